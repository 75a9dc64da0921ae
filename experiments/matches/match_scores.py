"""What games say of a line of a paper's table, and whether ours and the paper's differ by more than chance."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from scipy import stats

from miai.experiments.comparisons import Comparison
from miai.experiments.plots import OURS, PAPERS, drawing
from miai.experiments.report_tables import compare_rates
from miai.experiments.running.pieces import Results
from miai.match.statistics import design_effect


class Score(NamedTuple):
    """What a line's games say, in per cent."""

    games: int
    percent: float
    error: float
    effect: float
    """How many times the variance is that of as many independent games."""


class PublishedScore(Protocol):
    """What a paper prints of a line, in per cent."""

    @property
    def score(self) -> float:
        """Wins."""

    @property
    def error(self) -> float:
        """Their standard error."""

    @property
    def games(self) -> int:
        """Of how many games."""


def scores_of_lines(lines: Sequence[str], results: Results, counting: str, size: int) -> dict[str, Score]:
    """Return the score of each line that has games, by its name; `line` of the results is its place."""
    scores = {}
    for place, line in enumerate(lines):
        rows = {name: results[name][results["line"] == place] for name in ("score", "moves", "plays_black")}
        if (score := score_of(rows, counting, size)) is not None:
            scores[line] = score
    return scores


def score_of(rows: Results, counting: str, size: int) -> Score | None:
    """Return the score of pairs of games; None if none counts.

    `twogtp` counts as gogui-twogtp does: a draw is half a win, games that did not end and games that are the same as an
    earlier one with the same colours, also turned or mirrored, are left out; all others are independent. `pairs` takes
    the two games of an opening together, see `miai.match.statistics`.
    """
    scores = rows["score"]
    is_counted = np.isfinite(scores)
    if counting == "twogtp":
        is_counted &= ~are_duplicates(rows["moves"], rows["plays_black"], size)
    values = scores[is_counted]
    if len(values) == 0:
        return None
    effect = 1.0
    if counting == "pairs":
        pairs = [[score for score in pair.tolist() if np.isfinite(score)] for pair in scores.reshape(-1, 2)]
        effect = design_effect([pair for pair in pairs if pair])
    spread = values.var() if counting == "twogtp" else effect * values.mean() * (1.0 - values.mean())
    return Score(len(values), 100 * float(values.mean()), 100 * float(np.sqrt(spread / len(values))), effect)


def are_duplicates(moves: np.ndarray, colors: np.ndarray, size: int) -> np.ndarray:
    """Tell which games were played before with the same colours, as they are or turned or mirrored."""
    board = np.arange(size * size).reshape(size, size)
    forms = [np.rot90(side, turn).ravel() for side in (board, board.T) for turn in range(4)]
    tables = [np.append(form, (size * size, -1)).astype(np.int16) for form in forms]
    seen = set()
    found = []
    for row, color in zip(moves, colors, strict=True):
        key = (bool(color), min(table[row].tobytes() for table in tables))
        found.append(key in seen)
        seen.add(key)
    return np.array(found, dtype=bool)


def chance_of_difference(ours: Score, paper: PublishedScore) -> tuple[float, float]:
    """Return z and the two-sided p of ours against the paper's score, if both were of the same strength.

    Games of openings count by their design effect; see `compare_rates`.
    """
    return compare_rates(ours.percent / 100.0, ours.games / ours.effect, paper.score / 100.0, paper.games)


def compare_scores(what: str, paper: PublishedScore, ours: Score) -> Comparison:
    """Return a printed score and ours, compared by `chance_of_difference`."""
    z, _ = chance_of_difference(ours, paper)
    return Comparison(what, paper.score, paper.error, ours.percent, ours.error, z=z)


def chance_of_even(ours: Score) -> float:
    """Return the two-sided p of a score if both sides were of the same strength, by the normal approximation."""
    z = (ours.percent - 50.0) / 50.0 * np.sqrt(ours.games / ours.effect)
    return float(2.0 * stats.norm.sf(abs(z)))


def describe_correlation(name: str, ours: Sequence[float], papers: Sequence[float]) -> list[str]:
    """Return a line on Spearman's rank correlation of some scores, none where fewer than four say nothing."""
    if len(ours) < 4 or len(set(ours)) < 2 or len(set(papers)) < 2:
        return []
    found = stats.spearmanr(ours, papers)
    return [f"Spearman's rank correlation, {name}: {found.statistic:.2f} (p = {found.pvalue:.2g})."]


def describe_differences(scores: Mapping[str, Score], papers: Mapping[str, PublishedScore]) -> str:
    """Return a line on all differences together: the sum of z² as chi-square."""
    squares = sum(chance_of_difference(score, papers[line])[0] ** 2 for line, score in scores.items())
    p = stats.chi2.sf(squares, len(scores))
    return f"All differences together: chi-square {squares:.1f} with {len(scores)} degrees of freedom, p = {p:.2g}."


def draw_scores(
    path: Path,
    scores: Mapping[str, Score],
    papers: Mapping[str, PublishedScore],
    label: str,
    limits: tuple[float, float],
) -> None:
    """Draw ours and the paper's scores, a row for each line, with two standard errors."""
    with drawing(path, 8, max(3.0, 1.0 + 0.27 * len(scores))) as figure:
        axes = figure.subplots()
        places = np.arange(len(scores))
        published = [papers[name] for name in scores]
        sides = (
            ("ours", [(one.percent, 2 * one.error) for one in scores.values()], -0.12, "o", OURS),
            ("paper", [(one.score, 2 * one.error) for one in published], 0.12, "D", PAPERS),
        )
        for name, points, shift, marker, color in sides:
            x, bars = zip(*points, strict=True)
            axes.errorbar(x, places + shift, xerr=bars, fmt=marker, color=color, capsize=2, label=name)
        axes.set_yticks(places, list(scores))
        axes.invert_yaxis()
        axes.set(xlabel=f"{label} (bars: 2 standard errors)", xlim=limits)
        axes.legend()
