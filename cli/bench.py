"""`miai bench`: the group of measurements, each loaded when it is used."""

import click

from miai.cli.lazy_group import LazyCommand, LazyGroup

BENCHES = {
    "playouts": LazyCommand("miai.benchmarks.playouts:command", "Playouts per second by policy and board size."),
    "search": LazyCommand("miai.benchmarks.search:command", "Simulations per second of whole searches."),
    "env": LazyCommand("miai.benchmarks.environment:command", "Steps per second of the game as an environment."),
    "outcome": LazyCommand("miai.benchmarks.outcome:command", "Static estimates of win, draw and loss per second."),
    "net": LazyCommand("miai.benchmarks.net:command", "Evaluations per second of the networks by backend and batch."),
}


@click.group(cls=LazyGroup, lazy_commands=BENCHES)
def command() -> None:
    """Measure speed on this machine: one line per figure, or --json."""
