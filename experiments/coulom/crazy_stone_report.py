"""What Crazy Stone's games came to: the paper's table 2 beside ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from miai.engine.files import write_file
from miai.experiments.coulom.crazy_stone import (
    ATHLON_RATE,
    BASE,
    DEFAULT_LINES,
    FULL_GAMES,
    PAPER_GAMES,
    VARIANTS,
    CrazyStoneScore,
    line_name,
    printed_scores,
)
from miai.experiments.matches.line_report import (
    LineScore,
    draw_line_scores,
    score_bars,
    scores_of_lines,
    show_number,
    unscored_games,
    write_games,
)
from miai.experiments.matches.match_lines import MatchLinesPlan, chosen_lines
from miai.experiments.plots import COLORS, MARKERS, PAPERS, drawing, tick_at_1_2_and_5
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = [color for color in COLORS if color != PAPERS]
_HEADERS = [
    "line",
    "games",
    "win %",
    "compared with",
    "its %",
    "difference",
    "z",
    "p",
    "simulations a game",
    "s a game",
]


def rival_of(
    name: str, scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore]
) -> tuple[str, float, float] | None:
    """Return what a line's score is compared with: name, rate and number of independent games; None if it is not there.

    The paper's score for Crazy Stone as it was, and else that of Crazy Stone as it was in our games.
    """
    variant, _, minutes = name.rpartition("-")
    if variant == BASE:
        paper = printed.get(int(minutes))
        return ("paper", paper.score / 100.0, PAPER_GAMES) if paper else None
    base = scores.get(line_name(BASE, int(minutes)))
    return (f"`{line_name(BASE, int(minutes))}`", base.rate, base.games / base.effect) if base and base.games else None


def score_rows(scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore]) -> list[list[str]]:
    """Return a row for each line, see `_HEADERS`."""
    rows = []
    for name, score in scores.items():
        rival = rival_of(name, scores, printed)
        compared = ["", "", "", "", ""]
        if rival and score.games:
            z, p = score.compare(*rival[1:])
            difference = 100 * (score.rate - rival[1])
            compared = [rival[0], f"{100 * rival[1]:.1f}", f"{difference:+.1f}", f"{z:+.1f}", f"{p:.2g}"]
        effort = [show_number(score.simulations[0]), f"{score.seconds[0]:.3g}"]
        rows.append([f"`{name}`", f"{score.games:,}", score.show(), *compared, *effort])
    return rows


def compare_machines(scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore]) -> str:
    """Return lines on the random games that the paper's machine played in its time, and on our simulations.

    Empty where nothing printed stands beside ours.
    """
    if not printed:
        return ""
    lines = [
        f"The paper's Athlon 3400+ played {ATHLON_RATE:,} random games a second from the empty board: at that rate "
        + ", ".join(f"{60 * minutes * ATHLON_RATE:,} in {minutes} minutes" for minutes in printed)
        + ". What its tree cost, and that later games are shorter, is not known. Ours, all moves of a game together:"
    ]
    for name, score in scores.items():
        minutes = int(name.rpartition("-")[2])
        if not np.isnan(score.simulations[0]):
            ratio = score.simulations[0] / (60 * minutes * ATHLON_RATE)
            rate = score.simulations[0] / max(score.seconds[0], 1e-9)
            lines.append(
                f"* `{name}`: {score.simulations[0]:,.0f} simulations a game, {ratio:.2g} times that; "
                f"{rate:,.0f} a second."
            )
    return "\n".join([lines[0], "", *lines[1:]]) + "\n"


def score_table(scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore]) -> str:
    """Return the table of all lines."""
    return markdown_table(_HEADERS, score_rows(scores, printed))


def draw_scores(scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore], path: Path) -> None:
    """Draw the scores: by simulations beside the paper's, or line by line where it has none."""
    with drawing(path, 8, 5) as figure:
        if printed:
            _draw_by_simulations(figure.subplots(), scores, printed)
        else:
            draw_line_scores(figure.subplots(), {name: score for name, score in scores.items() if score.games})


def _draw_by_simulations(axes: "Axes", scores: Mapping[str, LineScore], printed: Mapping[int, CrazyStoneScore]) -> None:
    for place, variant in enumerate(VARIANTS):
        found = [scores.get(line_name(variant, minutes)) for minutes in printed]
        played = [score for score in found if score and score.games and not np.isnan(score.simulations[0])]
        if played:
            rates, bars = score_bars(played)
            axes.errorbar(
                [score.simulations[0] for score in played],
                rates,
                yerr=bars,
                fmt=MARKERS[place] + "-",
                color=_COLORS[place % len(_COLORS)],
                capsize=2,
                label=variant if variant != BASE else "as of 2006",
            )
    axes.errorbar(
        [60 * minutes * ATHLON_RATE for minutes in printed],
        [one.score for one in printed.values()],
        yerr=[one.error for one in printed.values()],
        fmt="D:",
        color=PAPERS,
        capsize=2,
        label="paper, at the rate of its random games",
    )
    axes.set_xscale("log")
    tick_at_1_2_and_5(axes.xaxis)
    axes.set(xlabel="simulations a game", ylabel="win % against GNU Go (bars: 95 %)", ylim=(0, 100))
    axes.legend()


def write_report(
    plan: MatchLinesPlan, results: Results, folder: Path, command: str, programs: Mapping[str, str]
) -> str:
    """Write the games, the table and the figure into a folder; return the table.

    Args:
        plan: of the run.
        results: all its rows.
        folder: where to.
        command: that made them.
        programs: names and versions of other programs, by command line.
    """
    scores = scores_of_lines(plan, results)
    printed = printed_scores(plan.lines[0].second)
    write_games(plan, results, folder)
    rows = [
        (name, *score[:4], score.rate, *score.interval, *(rival_of(name, scores, printed) or ("", "", "")), command)
        for name, score in scores.items()
    ]
    headers = (
        "line",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "low",
        "high",
        "rival",
        "rival_score",
        "rival_games",
    )
    write_csv(folder / "table.csv", (*headers, "command"), rows)
    text = score_table(scores, printed)
    _, line = chosen_lines(plan)[0]
    times = "the paper's minutes on the clock" if line.seconds else "simulations instead of the paper's minutes"
    told = "".join(f"`{label}` is {name}.\n" for label, name in programs.items())
    write_file(
        folder / "table.md",
        f"# Crazy Stone of 2006 against {line.second}: komi {line.komi:g}, {times}, counted by "
        f"{plan.counting}\n\n"
        f"```\n{command}\n```\n\n{told}\n{text}\n\n{unscored_games(scores)}{compare_machines(scores, printed)}\n"
        + time_of_lines(
            results,
            "games",
            [FULL_GAMES] * len(plan.lines),
            [1.0] * len(plan.lines),
            [place for place, one in enumerate(plan.lines) if one.name not in DEFAULT_LINES],
            "" if line.seconds else " at as many simulations",
        ),
    )
    draw_scores(scores, printed, folder / "scores.svg")
    return text
