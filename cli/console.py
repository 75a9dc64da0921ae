"""Where a person at a terminal reads and types."""

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import TextIO

import click

from miai.engine.go.board_picture import STONES, choose_stones


class EndOfInput(Exception):
    """The person pressed Ctrl-C or Ctrl-D, or the input ended."""


@dataclass
class Console:
    """Lines in and out, and what the output can show."""

    read_line: Callable[[str], str]
    """Show a prompt and return the line typed; raises EOFError or KeyboardInterrupt."""
    write: Callable[[str], None]
    is_interactive: bool = False
    """Whether a person types, who can be asked; a script is not."""
    use_color: bool = False
    stones: Mapping[int, str] = field(default_factory=lambda: STONES)
    """The signs of the two colours' stones."""

    def read(self, prompt: str) -> str:
        """Return the line typed at a prompt, without blanks around it.

        Raises:
            EndOfInput: if there is none.
        """
        try:
            return self.read_line(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            raise EndOfInput from None

    def confirm(self, question: str) -> bool:
        """Ask a person whether something shall be done, by default not; a script is taken at its word.

        Raises:
            EndOfInput: if the person leaves instead.
        """
        return not self.is_interactive or self.read(f"{question} (y/N): ").lower() in ("y", "yes")


def open_console() -> Console:
    """Return the console on standard input and output, with line editing and a history where there is readline."""
    is_interactive = sys.stdin.isatty()
    if is_interactive and sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            importlib.import_module("readline")  # `input` uses it from then on
    for stream in (sys.stdin, sys.stdout):
        replace_unknown_signs(stream)
    use_color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return Console(input, click.echo, is_interactive, use_color, choose_stones(sys.stdout))


def replace_unknown_signs(stream: TextIO) -> None:
    """Make a stream replace every sign that its encoding does not know, instead of failing."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
