"""The command shown in a report is the one that was given."""

from pathlib import Path

import click
from click.testing import CliRunner

from miai.cli.command_text import command_text


@click.command()
@click.option("--trees", type=int, default=5)
@click.option("--select", "texts", multiple=True, default=("uct",))
@click.option("--scan", is_flag=True)
@click.option("--output", type=click.Path(path_type=Path))
def grow(trees: int, texts: tuple[str, ...], scan: bool, output: Path | None) -> None:
    click.echo(command_text("miai experiment grow"))


@click.group()
def group() -> None:
    pass


group.add_command(grow)


def test_options_are_shown_as_they_were_given_however_the_command_was_called() -> None:
    arguments = ["--output", "my folder", "--select=puct:c0=1", "--select", "esprit", "--scan", "--trees", "5"]
    expected = "miai experiment grow --trees 5 --select puct:c0=1 --select esprit --scan --output 'my folder'\n"
    assert CliRunner().invoke(grow, arguments).output == expected
    assert CliRunner().invoke(group, ["grow", *arguments], prog_name="python -m miai").output == expected


def test_options_not_given_are_not_shown() -> None:
    assert CliRunner().invoke(grow, []).output == "miai experiment grow\n"
