"""Simulated game trees: what a node is made of, and that it is the same however one comes to it."""

import numpy as np
import pytest
from scipy import stats

from miai.engine.domains.simulated import (
    PARAMETERS,
    SIMULATED_TREES,
    TESTS,
    SimulatedWorkspace,
    sample_parameters,
    sample_student_t,
    true_values,
)
from miai.engine.random import new_stream
from miai.engine.search.backup.mean import mean
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT

Path = tuple[int, ...]


def searched(test: str, index: int, select: str, playouts: int, *seeds: int) -> tuple[Search, SimulatedWorkspace]:
    workspace = SimulatedWorkspace(TESTS[test], index, *seeds)
    search = Search(Parts(SIMULATED_TREES, SELECTION_RULES[select], mean), [workspace], 64 << 20)
    search.run(Budget(playouts), early_stop=False)
    return search, workspace


def nodes_by_path(search: Search) -> dict[Path, tuple[float, float, float]]:
    """Return true value, noise and prior of every node by the moves that lead to it."""
    tree, found, todo = search.tree, dict[Path, tuple[float, float, float]](), [(ROOT, Path())]
    while todo:
        node, path = todo.pop()
        for child in tree.children(node):
            here = (*path, int(tree["move"][child]))
            found[here] = tuple(float(tree[name][child]) for name in ("logit", "logit_noise", "prior"))
            todo.append((child, here))
    return found


@pytest.mark.parametrize("test", TESTS)
def test_a_tree_is_the_same_in_whatever_order_it_is_searched(test: str) -> None:
    first, _ = searched(test, 7, "puct", 400)
    second, _ = searched(test, 7, "esprit-stochastic", 400, 5)
    trees = [nodes_by_path(search) for search in (first, second)]
    common = trees[0].keys() & trees[1].keys()
    assert len(common) > 20 and trees[0].keys() != trees[1].keys()
    assert all(trees[0][path] == trees[1][path] for path in common)
    other, _ = searched(test, 8, "puct", 400)
    assert nodes_by_path(other) != trees[0]


@pytest.mark.parametrize("test", TESTS)
def test_the_best_move_is_worth_what_its_parent_is(test: str) -> None:
    num_nodes = 0
    for index in range(5):
        search, workspace = searched(test, index, "puct", 500)
        tree = search.tree
        for node in range(tree.num_nodes):
            children = tree.children(node)
            if children:
                logit = (
                    float(tree["logit"][node])
                    if node != ROOT
                    else np.log(workspace.record["t_root"] / (1 - workspace.record["t_root"]))
                )
                assert true_values(tree, children).max() == pytest.approx(1.0 / (1.0 + np.exp(-logit)), abs=1e-6)
                assert sum(tree["prior"][child] for child in children) == pytest.approx(1.0, abs=1e-5)
                num_nodes += 1
    assert num_nodes > 500


def test_a_node_visited_once_has_the_static_evaluation_of_the_paper() -> None:
    """Eqs. 12 and 13, from the view of the player who moves at the parent."""
    num_checked = 0
    for index in range(8):
        search, workspace = searched("A", index, "puct", 300)
        tree, parent_correlation = search.tree, float(workspace.record["e_par"])
        for node in range(tree.num_nodes):
            inherited = float(tree["logit_noise"][node]) if node != ROOT else float(workspace.record["root_noise"])
            for child in tree.children(node):
                if tree["visits"][child] == 1:
                    true = 1.0 / (1.0 + np.exp(-np.float64(tree["logit"][child])))
                    noise = tree["logit_noise"][child] - parent_correlation * inherited
                    noise /= np.sqrt(1.0 + parent_correlation**2)
                    expected = true / (true + (1.0 - true) * np.exp(noise))
                    assert tree["value"][child] == pytest.approx(1.0 - expected, abs=1e-5)
                    num_checked += 1
    assert num_checked > 500


def test_steps_between_true_values_are_exponential_and_the_policy_prefers_good_moves() -> None:
    steps, correlations = [], []
    for index in range(400):
        search, workspace = searched("A", index, "puct", 1)
        children = search.tree.children(ROOT)
        logits = np.sort(search.tree["logit"][children.start : children.stop].astype(np.float64))
        steps += list(np.diff(logits) * np.sqrt(len(children)) / workspace.record["t_scale"])
        if len(children) > 5:
            worth = true_values(search.tree, children)
            priors = search.tree["prior"][children.start : children.stop]
            correlations.append(np.corrcoef(worth, np.log(priors))[0, 1])
    assert len(steps) > 5000
    assert stats.kstest(steps, "expon").pvalue > 1e-3
    assert np.mean(correlations) > 0.4


@pytest.mark.parametrize("freedom", [2.0, 3.0, 4.0, 7.5])
def test_draws_are_students(freedom: float) -> None:
    workspace = SimulatedWorkspace(TESTS["A"], 0)
    workspace.record["stream"] = new_stream(int(freedom))
    drawn = [sample_student_t(workspace.record, freedom) for _ in range(20_000)]
    assert stats.kstest(drawn, stats.t(freedom).cdf).pvalue > 1e-3


def test_the_best_moves_place_is_random() -> None:
    places, sizes = [], []
    for index in range(600):
        search, _ = searched("B", index, "puct", 1)
        children = search.tree.children(ROOT)
        places.append(int(true_values(search.tree, children).argmax()) / len(children))
        sizes.append(len(children))
    assert stats.kstest(places, "uniform").pvalue > 1e-3
    assert 195 < np.mean(sizes) < 205 and 3 < np.std(sizes) < 7 and max(sizes) <= 300


def test_parameters_are_drawn_from_the_papers_lists() -> None:
    drawn = [sample_parameters(TESTS["A"], index) for index in range(3000)]
    for name in PARAMETERS:
        values, counts = np.unique([parameters[name] for parameters in drawn], return_counts=True)
        assert tuple(values) == tuple(sorted(getattr(TESTS["A"], name)))
        assert counts.min() > 0.85 * len(drawn) / len(values)
    assert drawn[5] == sample_parameters(TESTS["A"], 5) != sample_parameters(TESTS["B"], 5)


def test_test_c_has_two_moves_everywhere() -> None:
    search, _ = searched("C", 3, "puct", 2000)
    tree = search.tree
    assert {len(tree.children(node)) for node in range(tree.num_nodes)} == {0, 2}
