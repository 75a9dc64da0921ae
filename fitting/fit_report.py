"""What `miai fit-moves` and `miai fit-patterns` share: what to learn from and to test on, the report, the table."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.files import write_file
from miai.fitting.bradley_terry import Competitions, fit, join_competitions, log_likelihood


class FitError(Exception):
    """Too few games, or too little in them."""


def split(
    found: Sequence[Sequence[tuple[np.ndarray, int]]], held_out: int, num_groups: int, what: str
) -> tuple[Competitions, Competitions]:
    """Return the competitions to learn from and those of every `held_out`-th game.

    Args:
        found: for each game what `join_competitions` takes.
        what: the competitions' name in messages.

    Raises:
        FitError: if either has none.
    """
    train = join_competitions([one for index, game in enumerate(found) if index % held_out for one in game], num_groups)
    test = join_competitions([one for game in found[::held_out] for one in game], num_groups)
    if not train.number or not test.number:
        raise FitError(f"these games hold too few {what}")
    return train, test


class Fitted(NamedTuple):
    """Strengths, and what they are worth."""

    strengths: np.ndarray
    """float64 [1 + members]."""
    log_likelihood: float
    """Mean over the competitions held out."""
    even_log_likelihood: float
    """The same if all strengths are equal."""


def fit_and_report(
    train: Competitions, test: Competitions, num_members: int, prior: float, tolerance: float, limit: int
) -> Fitted:
    """Fit strengths as `fit` does; print whether that converged, and how probable the outcomes become."""
    strengths, num_rounds = fit(train, num_members, prior, tolerance, limit)
    even = np.ones(num_members + 1)
    print(f"converged in {num_rounds} rounds" if num_rounds < limit else f"not converged in {limit} rounds")
    learned, held_out = ((log_likelihood(strengths, part), log_likelihood(even, part)) for part in (train, test))
    for name, (fitted, equal) in (("learned from", learned), ("held out", held_out)):
        print(f"mean log-likelihood, {name}: {fitted:.4f} (all equal: {equal:.4f})")
    return Fitted(strengths, *held_out)


def write_table(path: Path, comments: Sequence[str], rows: Sequence[str]) -> None:
    """Write a table of strengths, comments first, and say so."""
    write_file(path, "\n".join([*(f"# {comment}" for comment in comments), *rows]) + "\n")
    print(f"wrote {path}")
