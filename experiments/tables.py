"""Tables of reports."""

from collections.abc import Sequence

import numpy as np
from tabulate import tabulate


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that reads well as text too: texts as they are, to the left."""
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True)


def time_needed(seconds: np.ndarray, unit: str, full: int) -> str:
    """Return a line on the processor time of all rows, and what the full size would take at the same rate.

    Args:
        seconds: of each row.
        unit: what a row is, in the plural.
        full: rows of the full size.
    """
    spent = float(seconds.sum())
    hours = spent / len(seconds) * full / 3600.0
    return (
        f"Processor time: {spent:,.0f} s for {len(seconds):,} {unit}; the full size of {full:,} {unit} would take "
        f"{hours:,.1f} hours of one core.\n"
    )
