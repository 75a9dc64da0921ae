"""Gumbel root selection: the schedule of sequential halving, completed values and the improved policy."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import softmax

from miai.engine.search.backup import MEAN
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.gumbel import (
    GUMBEL,
    GumbelParameters,
    considered_visits,
    select_gumbel,
    shares_gumbel,
)
from miai.engine.search.tree import ROOT, Tree
from tests.search.hash_game import HASH_GAME, HashWork, best_moves, num_moves
from tests.search.random_trees import new_work


def slow_schedule(considered: int, planned: int) -> list[int]:
    """Return the visits that the action to visit next has, simulation by simulation."""
    visits = [0] * considered
    left, schedule = considered, list[int]()
    while len(schedule) < planned:
        rounds = max(1, planned // (math.ceil(math.log2(max(2, considered))) * left))
        for _ in range(rounds):
            schedule += visits[:left]
            visits[:left] = [count + 1 for count in visits[:left]]
        left = max(min(2, considered), left // 2)
    return schedule[:planned]


@pytest.mark.parametrize("considered", [1, 2, 3, 5, 16, 40])
@pytest.mark.parametrize("planned", [1, 7, 32, 200])
def test_the_schedule_halves_the_moves(considered: int, planned: int) -> None:
    found = [considered_visits(simulation, considered, planned) for simulation in range(planned)]
    assert found == slow_schedule(considered, planned)


def random_node(chance: np.random.Generator) -> Tree:
    count = int(chance.integers(1, 101))
    tree = Tree(count + 1, GUMBEL.columns)
    rows = slice(1, count + 1)
    tree["visits"][rows] = 0 if chance.random() < 0.1 else chance.integers(0, chance.choice([2, 50]), count)
    tree["visits"][ROOT] = tree["visits"][rows].sum() + 2
    tree["value"][rows] = np.where(tree["visits"][rows] > 0, chance.random(count), 0.0)
    tree["prior"][rows] = chance.dirichlet(np.ones(count))
    tree["noise"][rows] = chance.gumbel(size=count)
    tree["visits_before"][rows] = 0.0
    tree["first_value"][ROOT] = chance.random()
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
    return tree


def slow_policy(tree: Tree, params: GumbelParameters) -> np.ndarray:
    """Return the improved policy at the root by equations 11 and 33 of the paper."""
    rows = slice(1, 1 + int(tree["num_children"][ROOT]))
    n, q, p = (tree[name][rows].astype(np.float64) for name in ("visits", "value", "prior"))
    mixed = float(tree["first_value"][ROOT])
    if n.any():
        mixed = (mixed + n.sum() * (p * q)[n > 0].sum() / p[n > 0].sum()) / (1 + n.sum())
    completed = np.where(n > 0, q, mixed)
    scores = np.log(p) + (params.c_visit + n.max()) * params.c_scale * completed
    return np.asarray(softmax(scores + params.noise * tree["noise"][rows]))


def test_the_improved_policy_is_that_of_the_paper() -> None:
    chance, work = np.random.default_rng(2), new_work()
    for _ in range(300):
        tree = random_node(chance)
        params = GumbelParameters(noise=float(chance.integers(2)), c_scale=float(chance.choice([0.1, 1.0])))
        shares_gumbel(tree.record, ROOT, params, work)
        expected = slow_policy(tree, params)
        np.testing.assert_allclose(work["share"][: len(expected)], expected, atol=1e-6)


def test_without_a_plan_the_child_that_lags_behind_the_policy_is_selected() -> None:
    chance, work = np.random.default_rng(3), new_work()
    for _ in range(300):
        tree = random_node(chance)
        count = int(tree["num_children"][ROOT])
        lags = slow_policy(tree, GumbelParameters()) - tree["visits"][1 : count + 1] / (
            1.0 + tree["visits"][1 : count + 1].sum()
        )
        assert lags[select_gumbel(tree.record, ROOT, GumbelParameters(), work) - 1] == pytest.approx(
            lags.max(), abs=1e-6
        )


def searched(simulations: int, root_key: int = 9, **values: float) -> Search:
    search = Search(Parts(HASH_GAME, GUMBEL, MEAN), [HashWork(root_key, 3)], 1 << 20)
    search.settings.selection = GUMBEL.defaults._replace(**values)
    search.run(Budget(simulations))
    return search


def test_the_root_is_visited_as_planned_and_the_best_of_the_last_is_played() -> None:
    search = searched(48, root_key=3)
    count = num_moves(3)
    visits = sorted(int(search.tree["visits"][child]) for child in search.tree.children(ROOT))
    planned = Counter[int]()
    for due in slow_schedule(count, 48):
        planned[due] += 1
    assert sum(visits) == 48 and planned[0] == count
    assert [sum(n > due for n in visits) for due in range(max(visits))] == [planned[due] for due in range(max(visits))]
    search = searched(48, root_key=3, considered=2)
    best, second = search.root_order()[:2]
    shares = search.shares(ROOT)
    assert search.tree["visits"][best] == search.tree["visits"][second] and shares[best - 1] > shares[second - 1]


def test_kept_visits_do_not_count_in_a_new_plan() -> None:
    search = searched(60)
    before = {child: int(search.tree["visits"][child]) for child in search.tree.children(ROOT)}
    search.run(Budget(12))
    gained = [int(search.tree["visits"][child]) - visits for child, visits in before.items()]
    planned = Counter(slow_schedule(len(gained), 12))
    assert [sum(gain > due for gain in gained) for due in planned] == list(planned.values())


def test_noise_tries_different_moves_and_none_is_repeatable() -> None:
    first = {int(searched(1, 9, considered=2, noise=1.0).root_order()[0]) for _ in range(3)}
    assert len(first) == 1  # one seed
    played = set()
    search = searched(1, 9, considered=2, noise=1.0, c_scale=0.0)
    for _ in range(60):
        before = search.tree["visits"][1 : 1 + num_moves(9)].copy()
        search.run(Budget(1))
        played.add(int(np.argmax(search.tree["visits"][1 : 1 + num_moves(9)] - before)))
    assert len(played) > 1


def test_it_finds_the_best_move() -> None:
    for root_key in (10, 12, 17, 21):
        search = searched(2000, root_key, c_visit=1.0, c_scale=0.1)
        assert int(search.tree["move"][search.root_order()[0]]) in best_moves(root_key)
