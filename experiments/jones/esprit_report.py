"""What Jones's search came to on Go: scores, speeds and figures."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from miai.engine.files import write_file
from miai.experiments.jones.esprit_matches import FULL_GAMES, LINES, EspritPlan
from miai.experiments.matches.measured_players import PlayerScore, rates_of, score_of_pairs
from miai.experiments.plots import COLORS, GREY, MARKERS, OURS, PAPERS, drawing
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results, write_arrays
from miai.match.table import describe_interval, format_elo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPEEDS = ("simulations_a_move", "seconds_a_move", "simulations_a_second", "evaluations_a_second")

TICKS = ((100, 400, 1600, 6400), (8, 32, 128))
"""Simulations a move, and leaves in a batch."""


def scores_of(results: Results) -> dict[str, PlayerScore]:
    """Return the score of the first side of each line that has games."""
    found = {}
    for place, name in enumerate(LINES):
        score = score_of_pairs(results["score"][results["line"] == place])
        if score is not None:
            found[name] = score
    return found


def _speeds(results: Results, name: str) -> tuple[dict[str, float], dict[str, float]]:
    rows = results["line"] == tuple(LINES).index(name)
    return rates_of(results, rows, 0), rates_of(results, rows, 1)


def describe_line(plan: EspritPlan, name: str) -> str:
    """Return a line's two sides in words, the first one first."""
    first, second = LINES[name]
    if first.batch > 1:
        return f"waves of {first.batch}, virtual loss (`{plan.rule}`)"
    return f"`{first.select}` {first.simulations:,}, `{second.select}` {second.simulations:,}"


def score_table(plan: EspritPlan, results: Results) -> str:
    """Return scores, Elo differences and speeds, of the first side and then of the second."""
    rows = []
    for name, score in scores_of(results).items():
        elo, bounds = score.elo, describe_interval(score.elo)
        speeds = _speeds(results, name)
        rows.append(
            [
                f"`{name}`",
                describe_line(plan, name),
                f"{score.games:,}",
                f"{score.percent:.1f} ± {score.error:.1f}",
                f"{format_elo(elo.value)} ({bounds})" if math.isfinite(elo.value) else bounds,
                ", ".join(f"{one['simulations_a_move']:,.0f}" for one in speeds),
                ", ".join(f"{one['seconds_a_move']:.2f}" for one in speeds),
                ", ".join(f"{one['evaluations_a_second']:,.0f}" for one in speeds),
            ]
        )
    headers = ["line", "sides", "games", "score %", "Elo (95 %)", "simulations a move", "s a move", "evaluations/s"]
    return markdown_table(headers, rows)


def draw_strength(results: Results, path: Path) -> None:
    """Draw what was played: ESPRIT's score against PUCT by simulations, and that of waves by leaves in a batch."""
    scores = scores_of(results)
    groups: Mapping[str, tuple[int, list[str]]] = {
        "ESPRIT against PUCT": (0, [name for name in scores if name.startswith("puct-")]),
        "ESPRIT with a quarter": (0, [name for name in scores if name.startswith("quarter-")]),
        "waves, equal simulations": (1, wave_lines(results)),
        "waves, equal time": (1, [name for name in scores if name.endswith("-time")]),
    }
    shown = sorted({panel for panel, names in groups.values() if names})
    with drawing(path, 4.5 * len(shown), 4) as figure:
        panels = dict(zip(shown, figure.subplots(1, len(shown), sharey=True, squeeze=False)[0], strict=True))
        for color, marker, (label, (panel, names)) in zip(COLORS, MARKERS, groups.items(), strict=False):
            if names:
                panels[panel].errorbar(
                    [int(name.split("-")[1]) for name in names],
                    [scores[name].percent for name in names],
                    yerr=[2 * scores[name].error for name in names],
                    fmt=marker + ("--" if "time" in label else "-"),
                    color=color,
                    capsize=2,
                    label=label,
                )
        for panel, axes in panels.items():
            _scale(axes, TICKS[panel])
            axes.axhline(50, color=GREY, linewidth=1)
            axes.set(xlabel=("simulations a move", "leaves in a batch")[panel], ylim=(-3, 103))
            axes.legend()
        panels[shown[0]].set_ylabel("score, % (bars: 2 standard errors)")


def _scale(axes: "Axes", ticks: Sequence[int]) -> None:
    """Let an axis be logarithmic with these ticks, whether or not there is a line to show."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(ticks[0] / 1.5, ticks[-1] * 1.5)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()


def wave_lines(results: Results) -> list[str]:
    """Return the lines that were played of waves against virtual loss at equal simulations."""
    return [name for name in scores_of(results) if name.startswith("waves-") and not name.endswith("-time")]


def draw_speed(results: Results, path: Path) -> None:
    """Draw evaluations a second by leaves in a batch, of waves and of virtual loss."""
    names = wave_lines(results)
    with drawing(path, 6, 4) as figure:
        axes = figure.subplots()
        for side, (label, color, form) in enumerate((("waves", OURS, "o-"), ("virtual loss", PAPERS, "D--"))):
            axes.plot(
                [LINES[name].first.batch for name in names],
                [_speeds(results, name)[side]["evaluations_a_second"] for name in names],
                form,
                color=color,
                label=label,
            )
        _scale(axes, TICKS[1])
        axes.set(xlabel="leaves in a batch", ylabel="network evaluations a second", ylim=(0, None))
        axes.legend()


def write_report(plan: EspritPlan, results: Results, folder: Path, command: str) -> str:
    """Write raw results, the table and the figures into a folder; return the table."""
    write_arrays(folder / "games.npz", lines=tuple(LINES), **results)
    rows = []
    for name, score in scores_of(results).items():
        speeds = [one[what] for one in _speeds(results, name) for what in SPEEDS]
        elo = [value if math.isfinite(value) else "" for value in dataclasses.astuple(score.elo)]
        rows.append((name, score.games, score.percent, score.error, *elo, *speeds, command))
    sides = [f"{side}_{what}" for side in ("first", "second") for what in SPEEDS]
    headers = ("line", "games", "score", "error", "elo", "elo_low", "elo_high", *sides, "command")
    write_csv(folder / "table.csv", headers, rows)
    table = score_table(plan, results)
    limit = f"; at most {plan.most_simulations} simulations a move" if plan.most_simulations else ""
    write_file(
        folder / "table.md",
        f"# ESPRIT, PUCT and waves on 9x9 with the network {plan.net}\n\n```\n{command}\n```\n\n"
        f"PUCT's parameters: {plan.numbers}; komi {plan.komi:g}; fair openings, each played with both colours; equal "
        f"time: {plan.seconds:g} s a move{limit}. ± is a standard error. The paper has no games; on simulated trees "
        f"PUCT needs four times the tree, so that `quarter-1600` would be even.\n\n{table}\n\n"
        + time_of_lines(results, "games", [FULL_GAMES] * len(LINES), [plan.scale_of(name) for name in LINES]),
    )
    draw_strength(results, folder / "strength.svg")
    if wave_lines(results):
        draw_speed(results, folder / "speed.svg")
    return table
