"""Tables of reports."""

import csv
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from tabulate import tabulate

from miai.engine.files import write_file


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that reads well as text too: texts as they are, to the left."""
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True)


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Return the mean of numbers and its standard error, NaN where there are too few; what is NaN is left out."""
    known = values[np.isfinite(values)]
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else float("nan")
    return float(known.mean()) if len(known) else float("nan"), float(error)


def with_error(mean: float, error: float) -> str:
    """Return a mean with its standard error, alone if that is NaN; `–` if there is no mean either."""
    if math.isnan(mean):
        return "–"
    return f"{mean:.2f}" if math.isnan(error) else f"{mean:.2f} ± {error:.2f}"


def time_needed(seconds: np.ndarray, unit: str, full: int, scale: float = 1.0) -> str:
    """Return a line on the processor time of all rows, and what the full size would take at the same rate.

    Args:
        seconds: of each row.
        unit: what a row is, in the plural.
        full: rows of the full size.
        scale: how many times as much work a row of the full size is.
    """
    spent = float(seconds.sum())
    return _told_time(spent, len(seconds), unit, full, scale * spent / len(seconds) * full / 3600.0)


def time_of_lines(
    results: Mapping[str, np.ndarray],
    unit: str,
    full: Sequence[int],
    scales: Sequence[float],
    optional: Collection[int] = (),
    how: str = "",
) -> str:
    """Return a line on the processor time of an experiment of lines, and what those that were run would take in full.

    Args:
        results: with `line`, the place of each row's line, and `seconds`.
        unit: what a row is, in the plural.
        full: rows of the full size, by the place of the line.
        scales: how many times as much work a row of the full size is, by the place of the line.
        optional: places of lines that are no part of the full size.
        how: words behind it.
    """
    seconds = results["seconds"]
    places = sorted({int(place) for place in results["line"]})
    means = [float(seconds[results["line"] == place].mean()) for place in places]
    hours = sum(scales[place] * mean * full[place] for place, mean in zip(places, means, strict=True)) / 3600.0
    if not {*range(len(full))} <= {*places, *optional}:
        how = f" of these lines{how}"
    return _told_time(float(seconds.sum()), len(seconds), unit, sum(full[place] for place in places), hours, how)


def _told_time(spent: float, rows: int, unit: str, full: int, hours: float, how: str = "") -> str:
    return (
        f"Processor time: {spent:,.0f} s for {rows:,} {unit}; the full size of {full:,} {unit}{how} would take "
        f"{hours:,.1f} hours of one core.\n"
    )


def compare_rates(first: float, first_games: float, second: float, second_games: float) -> tuple[float, float]:
    """Return z and the two-sided p of two score rates, if both were of the same strength.

    The normal approximation with pooled variance, 0 and 1 where that is none; numbers of games as if independent.
    """
    pooled = (first_games * first + second_games * second) / (first_games + second_games)
    spread = math.sqrt(pooled * (1.0 - pooled) * (1.0 / first_games + 1.0 / second_games))
    z = (first - second) / spread if spread > 0.0 else 0.0
    return z, math.erfc(abs(z) / math.sqrt(2.0))


def write_csv(path: Path, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table for programs, as those in `results/`; floats are written in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    write_file(path, text.getvalue())
