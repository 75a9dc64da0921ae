"""What the matches of backup rules came to: Li & Lim's tables 1 to 5 beside ours, and their weight profiles."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from miai.engine.files import write_file
from miai.engine.search.backup.weighted import FeedbackParameters, KnotParameters, feedback_weight, weight_at
from miai.experiments.li_lim.backup_matches import BackupMatchPlan
from miai.experiments.li_lim.published import (
    LINES,
    MONOTONE,
    PAPER_GAMES,
    PUBLISHED,
    SIMULATIONS,
    SOFTMAX,
    Knots,
    Published,
    segment_width,
)
from miai.experiments.matches.match_scores import (
    Score,
    chance_of_difference,
    chance_of_even,
    describe_correlation,
    describe_differences,
    draw_scores,
    scores_of_lines,
)
from miai.experiments.plots import drawing
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results, write_arrays

_FEEDBACK = {
    "GAX": FeedbackParameters(),
    "GAY": FeedbackParameters(is_exponential=1),
    "GBX": FeedbackParameters(is_widening=1),
    "GBY": FeedbackParameters(is_widening=1, is_exponential=1),
}


def scores_of(plan: BackupMatchPlan, results: Results) -> dict[str, Score]:
    """Return the score of each line that has games, counted as the plan says."""
    return scores_of_lines(LINES[plan.size], results, plan.counting, plan.size)


def score_table(scores: Mapping[str, Score], papers: Mapping[str, Published]) -> str:
    """Return the table: ours, the paper's, whether their difference is chance, and whether ours from 50 % is."""
    rows = []
    for line, score in scores.items():
        paper = papers[line]
        side, opponent = line.split(":")
        z, p = chance_of_difference(score, paper)
        rows.append(
            [
                paper.table,
                f"`{side}`",
                f"`{opponent}`",
                f"{score.games:,}",
                f"{score.percent:.1f} ± {score.error:.1f}",
                f"{paper.score:.1f} ± {paper.error:.1f}",
                f"{score.percent - paper.score:+.1f}",
                f"{z:+.1f}",
                f"{p:.2g}",
                f"{chance_of_even(score):.2g}",
            ]
        )
    headers = ["table", "side", "against", "games", "win %", "paper", "difference", "z", "p", "p of 50 %"]
    return markdown_table(headers, rows)


def weight_profiles(visits: int) -> dict[str, dict[str, np.ndarray]]:
    """Return the weights that figures 1, 2 and 3 draw, each at 0, 1, …, `visits`, by figure and line."""
    times = np.arange(visits + 1, dtype=np.float64)

    def of_feedback(params: FeedbackParameters) -> np.ndarray:
        scaled = params._replace(width=segment_width(visits))
        return np.array([feedback_weight(t, scaled) for t in times])

    def of_knots(knots: Knots, start: float) -> np.ndarray:
        params = KnotParameters(*knots, simulations=float(visits))
        return np.array([start + weight_at(t, params) for t in times])

    return {
        "figure 1": {name: of_feedback(params) for name, params in _FEEDBACK.items()},
        "figure 2": {f"monotone-{number}": of_knots(knots, 1.0) for number, knots in enumerate(MONOTONE, 1)},
        "figure 3": {f"softmax-{number}": of_knots(knots, 0.0) for number, knots in enumerate(SOFTMAX, 1)},
    }


def draw_profiles(profiles: Mapping[str, Mapping[str, np.ndarray]], path: Path) -> None:
    """Draw what `weight_profiles` returns."""
    with drawing(path, 10, 3.4) as figure:
        for axes, (title, lines) in zip(figure.subplots(1, len(profiles)), profiles.items(), strict=True):
            for (name, weights), style in zip(lines.items(), ("-", "--", "-.", ":"), strict=False):
                axes.plot(weights, linestyle=style, label=name)
            axes.set(title=title, xlabel="visits", ylabel="weight")
            axes.legend()


def _describe(plan: BackupMatchPlan) -> str:
    values = "−1 to 1" if plan.values == "signed" else "0 to 1"
    changed = "".join(f", {name} = {value}" for name, value in plan.parameters)
    return (
        f"Network `{plan.label}`; PUCT of equation 5 with C = 0.5 on values from {values}; weights grow over "
        f"{plan.visits:,} visits; ERWA is `{plan.erwa}`{changed}. Each search evaluates one leaf at a time: no virtual "
        "loss. Standard errors: the paper prints none, here they are those of 1,000 independent games."
    )


def write_report(plan: BackupMatchPlan, results: Results, folder: Path, command: str) -> str:
    """Write raw results, the table and the figures into a folder; return the table."""
    papers = PUBLISHED[plan.size]
    scores = scores_of(plan, results)
    profiles = weight_profiles(plan.visits)
    write_arrays(folder / "games.npz", lines=LINES[plan.size], **results)
    write_arrays(folder / "profiles.npz", **{name: one for lines in profiles.values() for name, one in lines.items()})
    rows = [
        (line, *score[:3], paper.score, paper.error, *chance_of_difference(score, paper), even, command)
        for line, score in scores.items()
        for paper, even in [(papers[line], chance_of_even(score))]
    ]
    headers = ("line", "games", "score", "error", "paper_score", "paper_error", "z", "p", "p_even", "command")
    write_csv(folder / "table.csv", headers, rows)
    ours, theirs = [score.percent for score in scores.values()], [papers[line].score for line in scores]
    together = [*describe_correlation("all lines", ours, theirs), describe_differences(scores, papers)]
    text = "\n".join([score_table(scores, papers), "", *together])
    scales = [SIMULATIONS[plan.size] / plan.simulations] * len(papers)
    write_file(
        folder / "table.md",
        f"# Backup rules on {plan.size}x{plan.size}: {plan.simulations:,} simulations a move, komi {plan.komi:g}, "
        f"counted by {plan.counting}\n\n```\n{command}\n```\n\n{_describe(plan)}\n\n{text}\n\n"
        + time_of_lines(results, "games", [PAPER_GAMES] * len(papers), scales),
    )
    draw_scores(folder / "scores.svg", scores, papers, "win % of the side named first", limits_of(scores))
    draw_profiles(profiles, folder / "profiles.svg")
    return text


def limits_of(scores: Mapping[str, Score]) -> tuple[float, float]:
    """Return the ends of the axis: 40 to 65 %, in which all of the paper's lie, or more if ours go further."""
    ends = [score.percent + sign * (2 * score.error + 1) for score in scores.values() for sign in (-1, 1)]
    return max(0.0, min(40.0, *ends)), min(100.0, max(65.0, *ends))
