"""Progress of long work on stderr: a bar on a terminal, else a line a minute, for logs of runs in the background."""

import io
import sys
from collections.abc import Iterable
from time import monotonic as now
from typing import Any, TypeVar

from tqdm import tqdm

LINE_EVERY = 60.0
"""Seconds between two lines."""
_LINE = "{desc}{percentage:.0f} %, {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"

Item = TypeVar("Item")


class _Lines(tqdm):
    """A bar that is written as whole lines; work that ends within the first minute writes none."""

    def __init__(self, iterable: Iterable[Any] | None, desc: str | None, **named: Any) -> None:
        self._last_line = now()
        self._has_lines = False
        super().__init__(iterable, f"{desc}: " if desc else None, bar_format=_LINE, miniters=1, **named)

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Write a line if the last one was a minute ago."""
        if now() - self._last_line >= LINE_EVERY:
            self._write_line()

    def _write_line(self) -> None:
        self._last_line = now()
        self._has_lines = True
        self.fp.write(f"{self}\n")
        self.fp.flush()

    def clear(self, *_: Any, **__: Any) -> None:
        """Leave the lines as they are."""

    def close(self) -> None:
        """Write a last line if there are any."""
        if not self.disable and self._has_lines:
            self._write_line()
        self.fp = io.StringIO()  # tqdm ends with a line feed
        super().close()


def progress_bar(
    iterable: Iterable[Item] | None = None,
    *,
    total: int | None = None,
    done: int = 0,
    unit: str,
    description: str | None = None,
    unit_scale: bool = False,
    is_fleeting: bool = False,
) -> "tqdm[Item]":
    """Return tqdm's bar on a terminal; where stderr is none, the same object writes a line a minute.

    Args:
        iterable: what is done one by one, if the bar is to follow it.
        total: of units; that of the iterable if there is one.
        done: of them before.
        unit: its name.
        description: shown in front.
        unit_scale: whether large numbers are shown as 1.2M.
        is_fleeting: whether it shows only after three seconds, and is gone at the end.
    """
    named: dict[str, Any] = {"total": total, "initial": done, "unit": unit, "unit_scale": unit_scale}
    if is_fleeting:
        named |= {"delay": 3.0, "leave": False}
    make = tqdm if sys.stderr.isatty() else _Lines
    bar: tqdm[Item] = make(iterable, desc=description, **named)
    return bar
