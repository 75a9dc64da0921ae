"""What the matches of policies came to: the paper's table 2 beside ours."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from miai.engine.files import write_file
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS
from miai.experiments.fernando_muller.policy_matches import PAPER_GAMES, SIZE, PolicyMatchPlan, games_of
from miai.experiments.fernando_muller.published import ADDITIVE, LINES, STRENGTHS, SUBTRACTIVE
from miai.experiments.matches.match_scores import (
    Score,
    chance_of_difference,
    describe_correlation,
    describe_differences,
    draw_scores,
    scores_of_lines,
)
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results, write_arrays


def scores_of(plan: PolicyMatchPlan, results: Results) -> dict[str, Score]:
    """Return the score of each line that has games, counted as the plan says."""
    return scores_of_lines(LINES, results, plan.counting, SIZE)


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


def score_table(scores: Mapping[str, Score]) -> str:
    """Return the table: ours, the paper's, whether the difference is chance, and the ranks of both."""
    rows = []
    for group in (SUBTRACTIVE, ADDITIVE):
        there = [line for line in group if line in scores]
        ours = _ranks([scores[line].percent for line in there])
        theirs = _ranks([STRENGTHS[line].score for line in there])
        for line, rank, their in zip(there, ours, theirs, strict=True):
            score, paper = scores[line], STRENGTHS[line]
            z, p = chance_of_difference(score, STRENGTHS[line])
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
        lines += describe_correlation(name, ours, theirs)
    return "\n".join([*lines, describe_differences(scores, STRENGTHS)])


def draw_table(scores: Mapping[str, Score], path: Path) -> None:
    """Draw table 2, ours beside the paper's."""
    draw_scores(path, scores, STRENGTHS, "win % of MCTS(P) against MCTS(F), or MCTS(R) below", (0, 100))


def write_report(plan: PolicyMatchPlan, results: Results, folder: Path, command: str) -> str:
    """Write raw results, the table and the figure into a folder; return the table."""
    scores = scores_of(plan, results)
    write_arrays(folder / "games.npz", lines=LINES, **results)
    write_file(folder / "scores.json", json.dumps({line: score._asdict() for line, score in scores.items()}) + "\n")
    rows = [
        (line, *score[:3], paper.score, paper.error, *chance_of_difference(score, paper), command)
        for line, score in scores.items()
        for paper in [STRENGTHS[line]]
    ]
    headers = ("policy", "games", "score", "error", "paper_score", "paper_error", "z", "p", "command")
    write_csv(folder / "table.csv", headers, rows)
    text = f"{score_table(scores)}\n\n{agreement(scores)}"
    write_file(
        folder / "table.md",
        f"# MCTS(P): {plan.simulations} simulations a move, komi {plan.komi:g}, counted by {plan.counting}\n\n"
        f"```\n{command}\n```\n\nF is `{plan.base}`. The search: {plan.reading.told}. "
        f"Standard errors as gogui-twogtp reports them.\n\n{text}\n\n"
        + time_of_lines(
            results,
            "games",
            [games_of(line, PAPER_GAMES) for line in LINES],
            [SIMULATIONS / plan.simulations] * len(LINES),
        ),
    )
    draw_table(scores, folder / "strengths.svg")
    return text
