"""What kept tunings of Li & Lim's knots came to, for the book."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from miai.experiments.catalogue import Account, KeptRun, command_line
from miai.experiments.comparisons import Comparison
from miai.experiments.li_lim.published import PUBLISHED, RANGES, STANDARD
from miai.experiments.matches.match_scores import Score, score_of
from miai.experiments.report_tables import markdown_table
from miai.experiments.running.pieces import Results
from miai.tuning.li_lim import SIMULATIONS, draw_weights

GAMES, TEST_GAMES, POINTS = 400, 1000, 40
"""The paper's games at a point and for the test of an optimum (section 4); how many points it tried it does not say."""


def signature_of(rule: str, simulations: int, values: str, games: int, komi: float, seed: int) -> dict[str, Any]:
    """Return what decides the results of `miai experiment tune-backup`."""
    told = {"rule": rule, "simulations": simulations, "values": values, "games": games, "komi": komi, "seed": seed}
    return {"experiment": "tune-backup", **told}


def account_of_tuning(run: KeptRun) -> Account:
    """Return what a tuning came to: its points, and the optimum that was tested last beside the paper's sets."""
    rows, settings = run.results, run.settings
    points = [int(point) for point in np.unique(rows["point"]) if point > 0]
    scores = {point: _score(rows, rows["point"] == point) for point in points}
    is_optimum = (rows["point"] == 0) & (rows["values"] == rows["values"][-1]).all(axis=1)
    test = _score(rows, is_optimum) if is_optimum.any() else None
    optimum = tuple(rows["values"][-1].tolist()) if test else None
    table = _table(rows, scores)
    rule, parts = settings["rule"], {}
    if test and optimum:
        told = ", ".join(f"{value:.2f}" for value in optimum)
        table += f"\n\n{test.games:,} fresh games at the optimum ({told}): {test.percent:.1f} ± {test.error:.1f} %."
        parts = {f"section 4, {rule} tuned": _against_the_paper(rule, test)}
    figures = {}
    if optimum:
        tuned, simulations, values = optimum, settings["simulations"], settings["values"]
        figures["weights"] = lambda path: draw_weights(rule, tuned, simulations, values, path)
    num_tested = int(is_optimum.sum())
    size = f"{len(points)} points, {len(rows['point']):,} games"
    return Account(_command(settings, len(points), num_tested), size, parts, table, figures)


def _score(rows: Results, chosen: np.ndarray) -> Score | None:
    return score_of({name: column[chosen] for name, column in rows.items()}, "pairs", 9)


def _table(rows: Results, scores: Mapping[int, Score | None]) -> str:
    lines = []
    for point, score in scores.items():
        values = rows["values"][np.flatnonzero(rows["point"] == point)[0]]
        games, percent = (str(score.games), f"{score.percent:.1f} ± {score.error:.1f}") if score else ("0", "–")
        lines.append([str(point), *(f"{value:.2f}" for value in values), games, percent])
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
            "--simulations": (settings["simulations"], SIMULATIONS),
            "--values": (settings["values"], RANGES[0]),
            "--games": (settings["games"], GAMES),
            "--komi": (settings["komi"], 7.0),
            "--seed": (settings["seed"], 1),
            "--points": (points, POINTS),
            "--test-games": (test_games, TEST_GAMES),
        },
    )
