"""What reports say of the time that the full size takes."""

import numpy as np
import pytest

from miai.experiments.holden.dominance import LINES, make_lines
from miai.experiments.holden.dominance_report import _scale_of
from miai.experiments.jones.esprit_matches import EspritPlan
from miai.experiments.report_tables import time_needed, time_of_lines, with_error


def rows_of(**seconds: list[float]) -> dict[str, np.ndarray]:
    """Return rows of lines a, b and c."""
    rows = [("abc".index(name), value) for name, values in seconds.items() for value in values]
    places, values = zip(*rows, strict=True)
    return {"line": np.array(places), "seconds": np.array(values)}


def test_each_line_counts_by_its_own_time_and_scale() -> None:
    # 100 games of 36 s, 10 games of 360 s, which at full size are twice as long, and 10 games of 3,600 s
    found = time_of_lines(rows_of(a=[36.0, 36.0, 36.0], b=[360.0], c=[3600.0]), "games", [100, 10, 10], [1.0, 2.0, 1.0])
    assert found.endswith("the full size of 120 games would take 13.0 hours of one core.\n")
    assert found.startswith("Processor time: 4,068 s for 5 games;")


def test_lines_that_were_not_run_are_not_guessed_at() -> None:
    found = time_of_lines(rows_of(b=[36.0]), "games", [100, 100, 100], [1.0] * 3)
    assert "the full size of 100 games of these lines would take 1.0 hours" in found
    found = time_of_lines(rows_of(a=[36.0], b=[36.0]), "games", [100, 100, 100], [1.0] * 3, optional=(2,))
    assert "the full size of 200 games would take 2.0 hours" in found


def test_fewer_simulations_count_for_more() -> None:
    assert "would take 10.0 hours" in time_needed(np.array([36.0]), "positions", 100, 10.0)


def test_a_line_of_esprit_is_scaled_by_the_simulations_or_the_seconds_of_both_sides() -> None:
    plan = EspritPlan((), 2, "miai", "miai", "esprit", 0.1, 400, 7.0, 0)
    assert plan.scale_of("puct-100") == 1.0 and plan.scale_of("puct-6400") == 16.0
    assert plan.scale_of("quarter-1600") == 2.5 and plan.scale_of("waves-8-time") == pytest.approx(5.0)
    whole = EspritPlan((), 2, "miai", "miai", "esprit", 0.5, None, 7.0, 0)
    assert whole.scale_of("puct-6400") == whole.scale_of("waves-8-time") == 1.0


def test_a_line_of_dominance_is_scaled_by_its_own_budget() -> None:
    lines = dict(zip(LINES, map(_scale_of, make_lines(100, 0.05, "static", 7.0, 128)), strict=True))
    assert lines["puct"] == lines["counts-fuego"] == 10.0
    assert lines["puct-time"] == lines["counts-fuego-time"] == pytest.approx(4.0)


def test_an_error_that_is_not_known_is_not_shown() -> None:
    unknown = float("nan")
    assert [with_error(1.0, 0.255), with_error(1.0, unknown), with_error(unknown, unknown)] == [
        "1.00 ± 0.26",
        "1.00",
        "–",
    ]
