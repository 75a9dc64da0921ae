"""The order of the root's moves by the final-move rules, and when a search may end early."""

import numpy as np
import pytest

from miai.engine.search.backup.mean import mean
from miai.engine.search.final_move import lower_bounds
from miai.engine.search.rule_declaration import SelectionRule
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.gumbel import gumbel
from miai.engine.search.selection.puct import puct
from miai.engine.search.tree import ROOT
from tests.search.hash_game import HASH_GAME, HashWorkspace


def search_with(final: str, visits: list[int], values: list[float], select: SelectionRule = puct) -> Search:
    """Return a search whose root has children 1, 2 … with these visits and values."""
    search = Search(Parts(HASH_GAME, select, mean, final), [HashWorkspace(8, 3)], 1 << 20)
    tree = search.tree
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, len(visits)
    rows = slice(1, len(visits) + 1)
    tree["visits"][rows], tree["value"][rows] = visits, values
    tree["prior"][rows] = 1.0 / max(1, len(visits))
    return search


@pytest.mark.parametrize(
    ("final", "order"),
    [("visits", [1, 2, 3, 4, 5]), ("lcb", [2, 1, 3, 4, 5]), ("value", [4, 3, 2, 1, 5])],
)
def test_moves_are_ordered_by_the_rule(final: str, order: list[int]) -> None:
    # 2: nearly as many visits and better; 3: better yet, but not for sure; 4: best, but with too few visits to count
    search = search_with(final, visits=[95, 93, 15, 14, 0], values=[0.53, 0.59, 0.62, 1.0, 0.0])
    assert search.root_order() == order


@pytest.mark.parametrize("final", ["visits", "lcb", "value"])
def test_without_moves_there_is_no_order(final: str) -> None:
    search = search_with(final, [], [])
    assert search.root_order() == []


def test_a_rule_that_plans_the_visits_is_not_overruled() -> None:
    search = search_with("lcb", visits=[95, 93], values=[0.53, 0.59], select=gumbel)
    assert search.root_order() == [1, 2]


def test_a_bound_is_below_its_value_and_approaches_it() -> None:
    visits = np.array([0, 1, 10, 100, 10_000])
    bounds = lower_bounds(np.full(5, 0.6), visits)
    assert bounds[0] == 0.0 and (np.diff(bounds) > 0).all() and 0.59 < bounds[-1] < 0.6
    # Wilson 1927: 95 % interval of 60 successes in 100 trials
    assert bounds[3] == pytest.approx(0.5020, abs=1e-4)


@pytest.mark.parametrize(
    ("final", "values", "is_decided"),
    [
        ("visits", [0.5, 0.5], True),
        ("visits", [0.5, 0.9], True),
        ("lcb", [0.5, 0.5], True),
        ("lcb", [0.5, 0.9], False),  # the other would be played
        ("value", [0.5, 0.5], False),
    ],
)
def test_a_search_ends_early_when_the_move_to_play_cannot_change_by_visits(
    final: str, values: list[float], is_decided: bool
) -> None:
    search = search_with(final, [90, 30], values)
    assert search.is_decided(Budget(150), 120, 1.0) is is_decided
    assert not search.is_decided(Budget(200), 120, 1.0)
