"""Crazy Stone's selectivity against a transcription of the slides, and values in points."""

from typing import Any

import numpy as np
import pytest

from miai.engine.random import new_stream
from miai.engine.search.backup.mean import mean
from miai.engine.search.backup.mix import MixParameters, mix, mixed_value
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.crazystone import (
    CrazystoneParameters,
    crazystone,
    update_score_squares,
    write_crazystone_policy,
)
from miai.engine.search.tree import ROOT, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, logged
from tests.search.random_trees import new_workspace, random_tree

SCALE = 88.0
POINTS = 81


def points_workspace() -> Any:
    workspace = new_workspace()
    workspace["point_scale"], workspace["num_points"] = SCALE, POINTS
    workspace["stream"] = new_stream(3)
    return workspace


def random_node(rng: np.random.Generator, node_visits: int) -> Tree:
    """Return a root with 1 to 400 children, of which some have no visits, equal values, or no variance."""
    count = int(rng.choice([1, 2, 9, 80, 400]))
    tree = Tree(count + 1, crazystone.columns)
    rows = slice(1, count + 1)
    tree["visits"][rows] = rng.choice([0, 1, 40, 81, 3000], count)
    means = rng.choice([-20.0, 3.5, 60.0], count) if rng.random() < 0.3 else rng.normal(0, 15, count)
    tree["score"][rows] = means
    tree["value"][rows] = np.where(tree["visits"][rows] > 0, 0.5 + means / (2 * SCALE), 0.0)
    spread = 0.0 if rng.random() < 0.2 else rng.random(count) * 900
    tree["score_square"][rows] = means**2 + spread
    tree["threat"][rows] = rng.integers(0, 2, count)
    tree["prior"][rows] = rng.dirichlet(np.ones(count))
    tree["visits"][ROOT], tree["score"][ROOT] = node_visits, 4.0
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
    tree.record["num_nodes"][0] = count + 1
    return tree


def slow_policy(tree: Tree, params: CrazystoneParameters) -> np.ndarray:
    """Return the probabilities of the root's children, by the formulas of the slides."""
    rows = slice(1, 1 + int(tree["num_children"][ROOT]))
    columns = ("visits", "value", "score", "score_square", "threat")
    n, value, mean, square, threat = (tree[name][rows].astype(np.float64) for name in columns)
    count = len(n)
    mu = np.where(n > 0, (value - 0.5) * 2 * SCALE, -float(tree["score"][ROOT]))
    spread = np.where(n > 0, np.maximum(0.0, square - mean**2), 0.0)
    external = (n * spread + 4 * POINTS**2) / (n + 1)
    variance = np.where(n < POINTS, external, spread) / np.minimum(500, np.maximum(n, 1))
    order = np.argsort(-mu, kind="stable")
    rank = np.empty(count)
    rank[order] = np.arange(count)
    best = order[0]
    distance = (mu[best] - mu) / np.sqrt(2 * (variance[best] + variance) + 1e-12)
    urgency = np.exp(-params.slope * distance) + params.epsilon * (0.1 + 0.5**rank + threat) / count
    return np.asarray(urgency / urgency.sum())


def test_the_shares_of_an_internal_node_are_those_of_the_slides() -> None:
    rng = np.random.default_rng(5)
    workspace = points_workspace()
    for _ in range(300):
        tree = random_node(rng, 5000)
        write_crazystone_policy(tree.record, ROOT, CrazystoneParameters(), workspace)
        count = int(tree["num_children"][ROOT])
        np.testing.assert_allclose(workspace["policy"][:count], slow_policy(tree, CrazystoneParameters()), rtol=1e-6)


def test_an_external_node_draws_by_the_playouts_policy() -> None:
    tree, workspace = random_node(np.random.default_rng(6), POINTS - 1), points_workspace()
    write_crazystone_policy(tree.record, ROOT, CrazystoneParameters(), workspace)
    count = int(tree["num_children"][ROOT])
    np.testing.assert_allclose(workspace["policy"][:count], tree["prior"][1 : count + 1], rtol=1e-5)


def test_children_are_drawn_by_their_shares() -> None:
    tree, workspace = random_node(np.random.default_rng(9), 5000), points_workspace()
    number = 40_000
    drawn = [crazystone.select(tree.record, ROOT, CrazystoneParameters(), workspace) - 1 for _ in range(number)]
    expected = slow_policy(tree, CrazystoneParameters())
    found = np.bincount(drawn, minlength=len(expected)) / number
    np.testing.assert_allclose(found, expected, atol=5 * np.sqrt(0.25 / number))


def test_squares_of_scores_are_averaged_along_the_path() -> None:
    rng = np.random.default_rng(7)
    tree = random_tree(rng, 40, crazystone.columns)
    workspace = new_workspace()
    node = int(tree.children(ROOT)[0])
    workspace["path"][:2] = [ROOT, node]
    squares: dict[int, list[float]] = {ROOT: [], node: []}
    for row in squares:
        tree["score_square"][row] = 0.0
    for number, score in enumerate((3.0, -8.0, 0.5)):
        workspace["score"] = score
        for row, seen in squares.items():
            tree["visits"][row] = number + 1
            seen.append(score**2)
        update_score_squares(tree.record, workspace, 1, 1.0)
    for row, seen in squares.items():
        assert tree["score_square"][row] == pytest.approx(np.mean(seen), rel=1e-6)


def test_values_are_points_and_outcomes_are_kept_beside_them() -> None:
    workspace = HashWorkspace(3, 5)
    workspace.record["point_scale"] = 20.0
    search = Search(Parts(HASH_GAME, crazystone, mean), [workspace], 1 << 20)
    search.run(Budget(900), early_stop=False)
    tree = search.tree
    outcomes: dict[int, list[float]] = {}
    for path, _, result in logged(workspace):
        for depth, node in enumerate(path):
            outcomes.setdefault(node, []).append(result if (len(path) - 1 - depth) % 2 else 1.0 - result)
    for node, results in outcomes.items():
        assert search.win_rates([node])[0] == pytest.approx(np.mean(results), abs=1e-5)
        # scores of the game of hashes are 10·result − 5
        assert tree["value"][node] == pytest.approx(0.5 + (10 * np.mean(results) - 5) / 40, abs=1e-5)
        assert tree["score"][node] == pytest.approx(10 * np.mean(results) - 5, abs=1e-4)


def test_mix_of_points_is_mix_of_results_on_another_scale() -> None:
    """What the rule decides does not change under an affine map of values."""
    rng = np.random.default_rng(8)
    params = MixParameters()
    for _ in range(500):
        tree = random_tree(rng, 40, mix.columns)
        mean = float(rng.random())
        value = mixed_value(tree.record, ROOT, mean, 4.0, params)
        tree["value"][:] = 0.25 * tree["value"] + 0.5
        assert mixed_value(tree.record, ROOT, 0.25 * mean + 0.5, 4.0, params) == pytest.approx(0.25 * value + 0.5)
