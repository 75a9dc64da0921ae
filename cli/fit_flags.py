"""Flags of the commands that learn the playouts' tables from games."""

from collections.abc import Callable
from typing import Any

import click

from miai.cli.option_flags import FiniteFloat, OutputFile

_Decorator = Callable[[Any], Any]

take_held_out: _Decorator = click.option(
    "--held-out", type=click.IntRange(2), default=10, show_default=True, help="Keep every N-th game to test on."
)


def take_table(content: str, name: str) -> _Decorator:
    """Return `--output` of a table with this content, which the engine reads from `playouts/NAME`."""
    text = f"File for the {content}; the engine reads playouts/{name}."
    return click.option("--output", type=OutputFile(), required=True, help=text)


def take_tolerance(default: float) -> _Decorator:
    """Return `--tolerance`."""
    text = "Largest step (log) at the end."
    return click.option("--tolerance", type=FiniteFloat(0), default=default, show_default=True, help=text)


def take_rounds(default: int) -> _Decorator:
    """Return `--rounds`."""
    text = "Stop after this many rounds at the latest."
    return click.option("--rounds", type=click.IntRange(1), default=default, show_default=True, help=text)
