"""`puct-adaptive`: its formula against a plain NumPy transcription, and its squares against a slow mean."""

import numpy as np
import pytest

from miai.engine.search.backup.mean import mean
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.puct_adaptive import AdaptiveParameters, deviation_factor, puct_adaptive
from miai.engine.search.tree import ROOT, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, logged
from tests.search.random_trees import new_workspace


def random_node(rng: np.random.Generator, node: int) -> Tree:
    """Return a tree with a node, number 0 or 1, that has 1 to 100 children from number 2 on."""
    count = int(rng.integers(1, 101))
    tree = Tree(count + 2, puct_adaptive.columns)
    rows = slice(2, count + 2)
    tree["visits"][rows] = 0 if rng.random() < 0.1 else rng.integers(0, rng.choice([2, 50, 5000]), count)
    tree["visits"][node] = tree["visits"][rows].sum() + rng.integers(1, 3)
    tree["value"][rows] = np.where(tree["visits"][rows] > 0, rng.random(count), 0.0)
    tree["value"][node] = rng.random()
    tree["prior"][rows] = rng.dirichlet(np.ones(count))
    # results lie between 0 and 1: their mean square lies between the square of the mean and the mean
    tree["square"][node] = rng.uniform((1.0 - tree["value"][node]) ** 2, 1.0 - tree["value"][node])
    tree["first_child"][node], tree["num_children"][node] = 2, count
    return tree


def slow_numbers(tree: Tree, node: int, params: AdaptiveParameters) -> np.ndarray:
    """Return the number of each child by the formulas of the docstrings."""
    rows = slice(2, 2 + int(tree["num_children"][node]))
    n, v, p = (tree[name][rows].astype(np.float64) for name in ("visits", "value", "prior"))
    total, value, square = (float(tree[name][node]) for name in ("visits", "value", "square"))
    value = 1.0 - value if total > 1 else 0.5
    reduction = params.root_fpu_reduction if node == ROOT else params.fpu_reduction
    v = np.where(n > 0, v, value - reduction * np.sqrt(p[n > 0].sum()))
    factor = 1.0
    if total > 2:
        weight, spread = params.deviation_visits, params.deviation**2
        second = (weight * (value**2 + spread) + (total - 1) * max(square, value**2)) / (weight + total - 2)
        factor += params.deviation_weight * (np.sqrt(max(0.0, second - value**2)) / params.deviation - 1.0)
    c = params.c0 + params.growth * np.log((total + params.growth_visits) / params.growth_visits)
    return v + c * factor * p * np.sqrt(total) / (1.0 + n)


@pytest.mark.parametrize("node", [ROOT, 1])
def test_the_child_with_the_greatest_number_is_selected(node: int) -> None:
    rng, workspace, selected = np.random.default_rng(node), new_workspace(), set[int]()
    for _ in range(1000):
        tree = random_node(rng, node)
        params = AdaptiveParameters(
            c0=float(rng.choice([0.0, 0.5, 2.0])),
            growth_visits=float(rng.choice([1.0, 500.0])),
            deviation_weight=float(rng.choice([0.0, 0.85, 1.0])),
            deviation=float(rng.choice([0.05, 0.2])),
            root_fpu_reduction=float(rng.choice([0.0, 0.3])),
        )
        expected = slow_numbers(tree, node, params)
        child = int(puct_adaptive.select(tree.record, node, params, workspace)) - 2
        assert expected[child] >= expected.max() - 1e-6 * max(1.0, abs(expected.max())), params
        selected.add(child)
    assert len(selected) > 40


@pytest.mark.parametrize(("square", "factor"), [(0.25, 0.2272), (0.29, 1.0031), (0.5, 2.2753)])
def test_exploration_follows_the_deviation_of_results(square: float, factor: float) -> None:
    # all results alike; deviation 0.2, as expected; wins and losses
    tree = random_node(np.random.default_rng(3), 1)
    tree["visits"][1], tree["value"][1], tree["square"][1] = 1000, 0.5, square
    assert deviation_factor(tree.record, 1, AdaptiveParameters()) == pytest.approx(factor, abs=1e-4)
    assert deviation_factor(tree.record, 1, AdaptiveParameters(deviation_weight=0.0)) == 1.0


def test_squares_are_those_of_the_results_below() -> None:
    workspace = HashWorkspace(9, 4)
    search = Search(Parts(HASH_GAME, puct_adaptive, mean), [workspace], 1 << 20)
    search.run(Budget(800), early_stop=False)
    results: dict[int, list[float]] = {}
    for simulation in logged(workspace):
        for node, distance in zip(simulation.path, range(len(simulation.path) - 1, -1, -1), strict=True):
            result = simulation.result if distance % 2 == 0 else 1.0 - simulation.result
            results.setdefault(node, []).append(result)
    assert len(results) > 100
    for node, found in results.items():
        assert search.tree["visits"][node] == len(found)
        assert search.tree["square"][node] == pytest.approx(np.mean(np.square(found)), abs=1e-4)
