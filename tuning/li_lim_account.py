"""What kept tunings of Li & Lim's knots came to, for the book."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from miai.experiments.catalogue import Account, KeptRun, command_line
from miai.experiments.comparisons import Comparison
from miai.experiments.li_lim.backup_matches import PAIRS_TOGETHER
from miai.experiments.li_lim.published import (
    PUBLISHED,
    RANGES,
    SIMULATIONS,
    STANDARD,
    TEST_GAMES,
    TUNING_GAMES,
    TUNING_POINTS,
)
from miai.experiments.matches.match_scores import Score, score_of
from miai.experiments.report_tables import markdown_table
from miai.experiments.running.pieces import Results
from miai.tuning.li_lim import draw_weights


def account_of_tuning(run: KeptRun) -> Account:
    """Return what a tuning came to: its points, and the optimum that was tested last beside the paper's sets."""
    rows, rule = run.results, run.settings["rule"]
    points = [int(point) for point in np.unique(rows["point"]) if point > 0]
    last_test = rows["point"].min()
    test = _rows_at(rows, last_test) if last_test < 0 else None
    score = score_of(test, "pairs", 9) if test else None
    table, parts, figures = _table(rows, points), {}, {}
    if test and score:
        optimum = tuple(test["values"][0].tolist())
        told = ", ".join(f"{value:.2f}" for value in optimum)
        table += f"\n\n{score.games:,} fresh games at the optimum ({told}): {score.percent:.1f} ± {score.error:.1f} %."
        parts[f"section 4, {rule} tuned"] = _against_the_paper(rule, score)
        simulations, values = run.settings["simulations"], run.settings["values"]
        figures["weights"] = lambda path: draw_weights(rule, optimum, simulations, values, path)
    size = f"{len(points)} points, {len(rows['point']):,} games"
    command = _command(run.settings, len(points), len(test["point"]) if test else 0)
    return Account(command, size, parts, table, figures)


def _rows_at(rows: Results, point: int) -> Results:
    chosen = rows["point"] == point
    return {name: column[chosen] for name, column in rows.items()}


def _table(rows: Results, points: Sequence[int]) -> str:
    lines = []
    for point in points:
        there = _rows_at(rows, point)
        score = score_of(there, "pairs", 9)
        games, percent = (str(score.games), f"{score.percent:.1f} ± {score.error:.1f}") if score else ("0", "–")
        lines.append([str(point), *(f"{value:.2f}" for value in there["values"][0]), games, percent])
    return markdown_table(["point", *(f"p{index}" for index in range(6)), "games", "win %"], lines)


def _against_the_paper(rule: str, test: Score) -> list[Comparison]:
    published = [PUBLISHED[9][f"{rule}-{number}:{STANDARD}"] for number in (1, 2)]
    what = "tuned against the mean, the paper's set of table"
    return [
        Comparison(f"{what} {one.table}", one.score, one.error, test.percent, test.error, 1, 0.05) for one in published
    ]


def _command(settings: Mapping[str, Any], points: int, test_games: int) -> str:
    return command_line(
        "tune-backup",
        {
            "--rule": (settings["rule"], None),
            "--simulations": (settings["simulations"], SIMULATIONS[9]),
            "--values": (settings["values"], RANGES[0]),
            "--games": (settings["games"], TUNING_GAMES),
            "--komi": (settings["komi"], 7.0),
            "--together": (settings["together"], PAIRS_TOGETHER),
            "--seed": (settings["seed"], 1),
            "--points": (points, TUNING_POINTS),
            "--test-games": (test_games, TEST_GAMES),
        },
    )
