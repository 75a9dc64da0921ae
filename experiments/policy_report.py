"""What the matches of policies came to: the paper's table 2 beside ours."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from miai.engine.files import write_file
from miai.experiments.fernando_muller import ADDITIVE, LINES, STRENGTHS, SUBTRACTIVE
from miai.experiments.pieces import Results, write_arrays
from miai.experiments.plots import OURS, PAPERS, drawing
from miai.experiments.policy_matches import PAPER_GAMES, SIZE, PolicyMatchPlan
from miai.experiments.tables import compare_rates, markdown_table, time_needed, write_csv
from miai.match.statistics import design_effect


class Score(NamedTuple):
    """What a line's games say, in per cent."""

    games: int
    percent: float
    error: float
    effect: float
    """How many times the variance is that of as many independent games."""


def scores_of(plan: PolicyMatchPlan, results: Results) -> dict[str, Score]:
    """Return the score of each line that has games, counted as the plan says.

    `twogtp` counts as gogui-twogtp does: a draw is half a win, games that did not end and games that are the same as an
    earlier one with the same colours, also turned or mirrored, are left out; all others are independent. `pairs` takes
    the two games of an opening together, see `miai.match.statistics`.
    """
    scores = {}
    for place, line in enumerate(LINES):
        mine = results["line"] == place
        is_counted = mine & np.isfinite(results["score"])
        if plan.counting == "twogtp":
            is_counted[np.flatnonzero(mine)[are_duplicates(results["moves"][mine], results["plays_black"][mine])]] = (
                False
            )
        values = results["score"][is_counted]
        if len(values) == 0:
            continue
        effect = 1.0
        if plan.counting == "pairs":
            numbers = np.flatnonzero(mine) // 2
            pairs = [
                results["score"][mine & is_counted & (np.arange(len(mine)) // 2 == one)] for one in np.unique(numbers)
            ]
            effect = design_effect([list(pair) for pair in pairs if len(pair)])
        spread = values.var() if plan.counting == "twogtp" else effect * values.mean() * (1.0 - values.mean())
        scores[line] = Score(len(values), 100 * values.mean(), 100 * float(np.sqrt(spread / len(values))), effect)
    return scores


def are_duplicates(moves: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """Tell which games were played before with the same colours, as they are or turned or mirrored."""
    board = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    forms = [np.rot90(side, turn).ravel() for side in (board, board.T) for turn in range(4)]
    tables = [np.append(form, (SIZE * SIZE, -1)).astype(np.int16) for form in forms]
    seen = set()
    found = []
    for row, color in zip(moves, colors, strict=True):
        key = (bool(color), min(table[row].tobytes() for table in tables))
        found.append(key in seen)
        seen.add(key)
    return np.array(found, dtype=bool)


def read_scores(folder: Path) -> dict[str, Score]:
    """Return the scores that a run of this experiment left in its folder.

    Raises:
        ValueError: if there are none.
    """
    try:
        found = json.loads((folder / "scores.json").read_text())
        return {line: Score(**fields) for line, fields in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise ValueError(f"{folder} holds no results of miai experiment policies") from None


def chance_of_difference(ours: Score, line: str) -> tuple[float, float]:
    """Return z and the two-sided p of ours against the paper's score, if both were of the same strength.

    Games of openings count by their design effect; see `compare_rates`.
    """
    paper = STRENGTHS[line]
    return compare_rates(ours.percent / 100.0, ours.games / ours.effect, paper.score / 100.0, paper.games)


def score_table(scores: Mapping[str, Score]) -> str:
    """Return the table: ours, the paper's, whether the difference is chance, and the ranks of both."""
    rows = []
    for group in (SUBTRACTIVE, ADDITIVE):
        there = [line for line in group if line in scores]
        ours = _ranks([scores[line].percent for line in there])
        theirs = _ranks([STRENGTHS[line].score for line in there])
        for line, rank, their in zip(there, ours, theirs, strict=True):
            score, paper = scores[line], STRENGTHS[line]
            z, p = chance_of_difference(score, line)
            rows.append(
                [
                    f"`{line}`",
                    "F" if group is SUBTRACTIVE else "R",
                    f"{score.games:,}",
                    f"{score.percent:.1f} ± {score.error:.1f}",
                    f"{paper.score:.1f} ± {paper.error:.1f}",
                    f"{score.percent - paper.score:+.1f}",
                    f"{z:+.1f}",
                    f"{p:.2g}",
                    f"{rank:g}, {their:g}",
                ]
            )
    headers = ["P", "against", "games", "win %", "paper", "difference", "z", "p", "rank, paper's"]
    return markdown_table(headers, rows)


def _ranks(values: Sequence[float]) -> np.ndarray:
    return stats.rankdata([-value for value in values])


def agreement(scores: Mapping[str, Score]) -> str:
    """Return lines on all policies together: Spearman's rank correlations, and the sum of z² as chi-square."""
    lines = []
    for name, group in (("subtractive", SUBTRACTIVE), ("additive", ADDITIVE)):
        there = [line for line in group if line in scores]
        ours, theirs = [scores[line].percent for line in there], [STRENGTHS[line].score for line in there]
        if len(there) > 2 and len(set(ours)) > 1:
            found = stats.spearmanr(ours, theirs)
            lines.append(f"Spearman's rank correlation, {name}: {found.statistic:.2f} (p = {found.pvalue:.2g}).")
    squares = sum(chance_of_difference(score, line)[0] ** 2 for line, score in scores.items())
    p = stats.chi2.sf(squares, len(scores))
    lines.append(
        f"All differences together: chi-square {squares:.1f} with {len(scores)} degrees of freedom, p = {p:.2g}."
    )
    return "\n".join(lines)


def _plot(scores: Mapping[str, Score], path: Path) -> None:
    with drawing(path, 8, 5) as figure:
        axes = figure.subplots()
        names = list(scores)
        places = np.arange(len(names))
        ours, papers = [scores[name] for name in names], [STRENGTHS[name] for name in names]
        axes.errorbar(
            [one.percent for one in ours],
            places - 0.12,
            xerr=[2 * one.error for one in ours],
            fmt="o",
            color=OURS,
            capsize=2,
            label="ours",
        )
        axes.errorbar(
            [one.score for one in papers],
            places + 0.12,
            xerr=[2 * one.error for one in papers],
            fmt="D",
            color=PAPERS,
            capsize=2,
            label="paper",
        )
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.set(xlabel="win % of MCTS(P) against MCTS(F), or MCTS(R) below (bars: 2 standard errors)", xlim=(0, 100))
        axes.legend()


def write_report(plan: PolicyMatchPlan, results: Results, folder: Path, command: str) -> str:
    """Write raw results, the table and the figure into a folder; return the table."""
    scores = scores_of(plan, results)
    write_arrays(folder / "games.npz", lines=LINES, **results)
    write_file(folder / "scores.json", json.dumps({line: score._asdict() for line, score in scores.items()}) + "\n")
    rows = [
        (line, *score[:3], STRENGTHS[line].score, STRENGTHS[line].error, *chance_of_difference(score, line), command)
        for line, score in scores.items()
    ]
    headers = ("policy", "games", "score", "error", "paper_score", "paper_error", "z", "p", "command")
    write_csv(folder / "table.csv", headers, rows)
    text = f"{score_table(scores)}\n\n{agreement(scores)}"
    write_file(
        folder / "table.md",
        f"# MCTS(P): {plan.simulations} simulations a move, komi {plan.komi:g}, counted by {plan.counting}\n\n"
        f"```\n{command}\n```\n\nF is `{plan.base}`; prior knowledge: {plan.prior}; parameters: {plan.numbers}"
        + (f"; the search has no {' and no '.join(plan.without)}" if plan.without else "")
        + f". Standard errors as gogui-twogtp reports them.\n\n{text}\n\n"
        + time_needed(results["seconds"], "games", len(SUBTRACTIVE) * PAPER_GAMES + len(ADDITIVE) * PAPER_GAMES // 4),
    )
    _plot(scores, folder / "strengths.svg")
    return text
