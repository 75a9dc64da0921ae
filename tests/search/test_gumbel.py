"""Gumbel root selection: the schedule of sequential halving, completed values and the improved policy."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import softmax

from miai.engine.search.backup.mean import mean
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.gumbel import (
    GumbelParameters,
    considered_visits,
    gumbel,
    write_gumbel_policy,
)
from miai.engine.search.tree import ROOT, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, best_moves, num_moves
from tests.search.random_trees import new_workspace


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


def test_the_first_value_of_a_root_is_that_of_its_first_simulation() -> None:
    for root_key in range(3, 40):
        search = Search(Parts(HASH_GAME, gumbel, mean), [HashWorkspace(root_key, 3)], 1 << 20)
        search.run(Budget(1), early_stop=False)
        [visited] = [child for child in search.tree.children(ROOT) if search.tree["visits"][child]]
        assert search.tree["first_value"][ROOT] == pytest.approx(search.tree["value"][visited])
        if search.tree["value"][visited] > 0.0:
            return
    pytest.fail("every first simulation was lost")


def random_node(rng: np.random.Generator) -> Tree:
    count = int(rng.integers(1, 101))
    tree = Tree(count + 1, gumbel.columns)
    rows = slice(1, count + 1)
    tree["visits"][rows] = 0 if rng.random() < 0.1 else rng.integers(0, rng.choice([2, 50]), count)
    tree["visits"][ROOT] = tree["visits"][rows].sum() + 2
    tree["value"][rows] = np.where(tree["visits"][rows] > 0, rng.random(count), 0.0)
    tree["prior"][rows] = rng.dirichlet(np.ones(count))
    tree["noise"][rows] = rng.gumbel(size=count)
    tree["visits_before"][rows] = 0.0
    tree["first_value"][ROOT] = rng.random()
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
    rng, workspace = np.random.default_rng(2), new_workspace()
    for _ in range(300):
        tree = random_node(rng)
        params = GumbelParameters(noise=float(rng.integers(2)), c_scale=float(rng.choice([0.1, 1.0])))
        write_gumbel_policy(tree.record, ROOT, params, workspace)
        expected = slow_policy(tree, params)
        np.testing.assert_allclose(workspace["policy"][: len(expected)], expected, atol=1e-6)


def test_without_a_plan_the_child_that_lags_behind_the_policy_is_selected() -> None:
    rng, workspace = np.random.default_rng(3), new_workspace()
    for _ in range(300):
        tree = random_node(rng)
        count = int(tree["num_children"][ROOT])
        lags = slow_policy(tree, GumbelParameters()) - tree["visits"][1 : count + 1] / (
            1.0 + tree["visits"][1 : count + 1].sum()
        )
        assert lags[gumbel.select(tree.record, ROOT, GumbelParameters(), workspace) - 1] == pytest.approx(
            lags.max(), abs=1e-6
        )


def searched(simulations: int, root_key: int = 9, **values: float) -> Search:
    search = Search(Parts(HASH_GAME, gumbel, mean), [HashWorkspace(root_key, 3)], 1 << 20)
    search.settings.selection = gumbel.defaults._replace(**values)
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
    policy = search.policy(ROOT)
    assert search.tree["visits"][best] == search.tree["visits"][second] and policy[best - 1] > policy[second - 1]


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
