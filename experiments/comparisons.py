"""Our numbers against those that a paper prints."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from miai.experiments.report_tables import markdown_table

WITHIN = 2.0
"""Standard errors of the difference within which two numbers agree."""


class Comparison(NamedTuple):
    """A printed number and ours."""

    what: str
    """A name or a line of the paper's table, in Markdown."""
    printed: float
    printed_error: float
    """Its standard error: printed, or what as many games or trees as the paper's would have here; 0 = not known."""
    ours: float
    error: float
    """Standard error."""
    digits: int = 1
    """After the point, in tables."""
    rounding: float = 0.0
    """Half of the last printed digit."""
    z: float | None = None
    """Of a test that knows more than the two errors, as that of two score rates; None = by the errors."""

    @property
    def deviation(self) -> float:
        """Return how many standard errors of the difference ours lies above the printed number.

        What the paper rounded away counts as agreement, where only the errors are known.
        """
        if self.z is not None:
            return self.z
        difference = self.ours - self.printed
        difference = np.sign(difference) * max(0.0, abs(difference) - self.rounding)
        spread = float(np.hypot(self.error, self.printed_error))
        with np.errstate(divide="ignore"):
            return float(np.divide(difference, spread)) if difference else 0.0

    @property
    def agrees(self) -> bool:
        """Whether the two are within two standard errors of each other."""
        return bool(abs(self.deviation) <= WITHIN)

    @property
    def told(self) -> tuple[str, str]:
        """The printed number, and ours ± its error, as text."""
        sign = f"{self.ours:.{self.digits}f} ± {self.error:.{self.digits}f}".replace("-", "−")
        return f"{self.printed:.{self.digits}f}".replace("-", "−"), sign


def agreement_of(comparisons: Sequence[Comparison]) -> str:
    """Return in a few words how many agree, and of those that do not the greatest deviation."""
    num = sum(one.agrees for one in comparisons)
    if len(comparisons) == 1:
        return "yes" if num else f"no ({_deviation(comparisons[0])})"
    if num == len(comparisons):
        return f"all {num}"
    worst = max(comparisons, key=lambda one: abs(one.deviation))
    return f"{num} of {len(comparisons)} (most off: {worst.what}, {_deviation(worst)})"


def _deviation(one: Comparison) -> str:
    return f"{one.deviation:+.1f} s.e.".replace("-", "−")


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """Return a Markdown table, a line a number."""
    rows = [
        [one.what, one.told[0], one.told[1], f"{one.deviation:+.1f}".replace("-", "−"), "yes" if one.agrees else "no"]
        for one in comparisons
    ]
    return markdown_table(["", "printed", "ours ± error", "standard errors apart", "agrees"], rows)
