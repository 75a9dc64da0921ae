"""`miai doctor`: what a bug report needs."""

import click

from miai.cli.doctor_report import find_facts, measure

BENCH_SECONDS = 10.0
"""How long the speeds take in all."""


@click.command()
@click.option("--bench/--no-bench", default=True, show_default=True, help="Measure speed, about ten seconds.")
def command(bench: bool) -> None:
    """Show versions, processor, backend, cache and speed, to put into a bug report."""
    for name, found in find_facts():
        click.echo(f"{name:10} {found}")
    if bench:
        for name, found in measure(BENCH_SECONDS):
            click.echo(f"{name:10} {found}")
