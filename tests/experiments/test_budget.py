"""How a budget is shared: floors first, then equally long for all, nothing beyond the full size."""

from pathlib import Path

import numpy as np
import pytest

from miai.cli.experiments.crazy_stone import experiments
from miai.experiments.budget import hours_of, measure_cost, share_budget
from miai.experiments.catalogue import Experiment, KeptRun
from miai.experiments.coulom.crazy_stone import LINES


def experiment(name: str, full: int = 1000, floor: int = 10, step: int = 1, rows: int = 1) -> Experiment:
    words, account = (name,), "module:function"
    return Experiment(
        name, words, "paper", "table", "games", "--games", full, floor, 2, rows.__mul__, account, bool, step=step
    )


def sizes(costs: dict[Experiment, float], hours: float) -> dict[str, int]:
    return {share.experiment.name: share.size for share in share_budget(costs, hours)}


def test_a_great_budget_takes_the_full_sizes_and_no_more() -> None:
    costs = {experiment("a"): 3.6, experiment("b"): 36.0}
    assert sizes(costs, 1000.0) == {"a": 1000, "b": 1000}
    assert sizes(costs, 11.0) == {"a": 1000, "b": 1000}


def test_all_take_equally_long_but_for_what_is_done_sooner() -> None:
    a, b, c = experiment("a", full=10**6), experiment("b", full=10**6), experiment("c", full=20)
    shares = share_budget({a: 3.6, b: 36.0, c: 3.6}, 10.02)
    hours = {share.experiment.name: share.hours for share in shares}
    assert hours["a"] == pytest.approx(5.0, abs=0.02) and hours["b"] == pytest.approx(5.0, abs=0.02)
    assert hours["c"] == pytest.approx(0.02) and sum(hours.values()) <= 10.02


def test_a_floor_is_kept_though_it_takes_longer_than_the_others() -> None:
    found = sizes({experiment("dear", floor=100): 36.0, experiment("cheap"): 3.6}, 1.5)
    assert found["dear"] == 100 and 450 <= found["cheap"] <= 500


def test_where_the_floors_do_not_fit_the_dearest_is_left_out() -> None:
    found = sizes({experiment("dear"): 3600.0, experiment("cheap"): 3.6}, 1.0)
    assert found["dear"] == 0 and found["cheap"] == 1000
    assert sizes({experiment("dear"): 3600.0}, 1.0) == {"dear": 0}


def test_sizes_are_multiples_of_the_step_and_rows_are_what_costs() -> None:
    one = experiment("pairs", step=2, rows=3)
    (share,) = share_budget({one: 3.6}, 0.1)
    assert share.size == 32 and share.hours == pytest.approx(0.096) and share.full_hours == pytest.approx(3.0)
    assert hours_of(one, 3.6, 0) == 0.0


def test_the_piece_that_compiles_is_not_what_a_row_costs() -> None:
    def run(pieces: int, seconds: list[float]) -> KeptRun:
        return KeptRun(Path(), {}, tuple(range(pieces)), {"seconds": np.array(seconds)})

    one = experiment("one")
    assert measure_cost(one, run(3, [50.0, 50.0, 1.0, 1.0, 2.0, 2.0])) == 1.5
    assert measure_cost(one, run(1, [50.0, 50.0])) == 50.0


def test_lines_that_take_longer_than_the_sample_count_for_more() -> None:
    (crazy_stone,) = experiments
    games = LINES.index("2006-4"), LINES.index("2006-4"), LINES.index("2006-16"), LINES.index("2006-16")

    def run(number: int) -> KeptRun:
        seconds = np.array([100.0, 140.0, 400.0, 560.0])
        return KeptRun(Path(), {}, (0, 1), {"line": np.array(games[:number]), "seconds": seconds[:number]})

    # the first piece, which compiles, is left out where there are others
    assert measure_cost(crazy_stone, run(4)) == pytest.approx(120.0)
    # 4, 8 and 16 minutes of two players, and 4 minutes of five: 19 times as long as a game of 4 minutes, not 11 times
    (share,) = share_budget({crazy_stone: 120.0}, 1000.0)
    assert share.full_hours == pytest.approx(19 * 200 * 120.0 / 3600.0)
