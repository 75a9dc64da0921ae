"""Tables of reports."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tabulate import tabulate

from miai.engine.files import write_file


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that reads well as text too: texts as they are, to the left."""
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True)


def time_needed(seconds: np.ndarray, unit: str, full: int, scale: float = 1.0) -> str:
    """Return a line on the processor time of all rows, and what the full size would take at the same rate.

    Args:
        seconds: of each row.
        unit: what a row is, in the plural.
        full: rows of the full size.
        scale: how many times as much work a row of the full size is.
    """
    spent = float(seconds.sum())
    hours = scale * spent / len(seconds) * full / 3600.0
    return (
        f"Processor time: {spent:,.0f} s for {len(seconds):,} {unit}; the full size of {full:,} {unit} would take "
        f"{hours:,.1f} hours of one core.\n"
    )


def write_csv(path: Path, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table for programs, as those in `results/`; floats are written in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    write_file(path, text.getvalue())
