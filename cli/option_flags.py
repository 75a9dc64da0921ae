"""Declared options as flags of click commands."""

import math
import os
from pathlib import Path
from typing import Any

import click

from miai.engine.files import check_writable
from miai.players import options
from miai.players.option_fields import OptionField
from miai.players.option_kinds import OptionError, OptionKind, PairOf


class OptionValue(click.ParamType):
    """A value of a kind of option, for commands that do not take the option itself."""

    def __init__(self, kind: OptionKind) -> None:
        """Take the kind."""
        self.name = kind.metavar
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; a wrong one is a usage error that says what is allowed."""
        try:
            return self._kind.read(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)


class FiniteFloat(click.FloatRange):
    """A number, in a range if bounds are given; neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; another one is a usage error that says what is allowed."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is not allowed (allowed: a finite number)", param, ctx)
        return number


class OutputFile(click.Path):
    """A file that is written at the end; one that cannot be is refused at the start."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; one that cannot be written is a usage error that says why."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        try:
            check_writable(path)
        except OSError as error:
            self.fail(f"cannot write to {path}: {error.strerror}", param, ctx)
        return path


class PowerOfTwo(click.IntRange):
    """A power of two, from a least one on: how much a search does whose choices are checked at these numbers."""

    name = "power of two"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; another one is a usage error that says what is allowed."""
        number: int = super().convert(value, param, ctx)
        if number & (number - 1):
            self.fail(f"{number} is not allowed (allowed: a power of two)", param, ctx)
        return number


KOMI = OptionValue(options.OPTIONS["komi"].kind)
SEED = OptionValue(options.SEED)


def describe_option(field: OptionField, default: str | None = None) -> str:
    """Return an option's help: meaning, allowed values, and default, which is the field's own if none is given."""
    default = show_value(field.default) if default is None else default
    bounds = f"{field.kind.allowed}; default {default}" if default else field.kind.allowed
    return f"{plain_meaning(field)} [{bounds}]"


def plain_meaning(field: OptionField) -> str:
    """Return an option's meaning without its Markdown."""
    return field.meaning.replace("`", "")


def show_value(value: Any) -> str:
    """Return a value as it is typed on a command line; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return " ".join(map(show_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def flag_arguments(field: OptionField) -> dict[str, Any]:
    """Return what `click.option(field.flag, field.name, …)` needs besides a help; the value arrives as text or None."""
    return {"metavar": field.kind.metavar, "nargs": 2 if isinstance(field.kind, PairOf) else 1}
