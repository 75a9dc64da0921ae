"""Which files to learn from: the newest, so many that the window grows with all that was played, but slower."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from miai.selfplay.data.format import DataError, game_files, read_heads

_GROWTH = 0.75
_FIRST_SLOPE = 0.4


class DataWindow(NamedTuple):
    """The files to learn from."""

    files: list[Path]
    """The oldest first."""
    num_positions: int
    """Rows in them."""
    num_played: int
    """Rows in all whole files of the folder."""


def window_size(num_played: int, first: int = 250_000) -> int:
    """Return how many of the newest positions to learn from.

    All of them up to `first`; beyond that `c·(1 + β·((n/c)^α − 1)/α)`, c = `first`, α = 0.75, β = 0.4: at first the
    window grows by 0.4 of what is played, later by less. (Wu 2019, "Accelerating Self-Play Learning in Go",
    appendix C, with its constants.)

    Args:
        num_played: positions played so far.
        first: least positions of a window.
    """
    if num_played <= first:
        return num_played
    grown = first * (1.0 + _FIRST_SLOPE * ((num_played / first) ** _GROWTH - 1.0) / _GROWTH)
    return min(num_played, round(grown))


def choose_window(
    folder: Path, first: int = 250_000, on_broken: Callable[[DataError], None] | None = None
) -> DataWindow:
    """Return the window of a folder: whole files, the newest first, until they hold `window_size` positions.

    Args:
        folder: of `miai.selfplay.data.format`.
        first: least positions of a window, if so many were played.
        on_broken: told of each file that cannot be read; they are left out.
    """
    counted = []
    for path in game_files(folder):
        try:
            counted.append((path, int(read_heads(path)["num_moves"].sum())))
        except DataError as error:
            if on_broken:
                on_broken(error)
    num_played = sum(count for _, count in counted)
    wanted = window_size(num_played, first)
    files: list[Path] = []
    num_positions = 0
    for path, count in reversed(counted):
        if num_positions >= wanted:
            break
        files.insert(0, path)
        num_positions += count
    return DataWindow(files, num_positions, num_played)
