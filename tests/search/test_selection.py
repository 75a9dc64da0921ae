"""Selection formulas against plain NumPy transcriptions on random nodes; RAVE's learning against a slow one."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq

from miai.engine.random import new_stream
from miai.engine.search.backup.mean import mean
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.selection.esprit import EspritParameters, esprit, esprit_stochastic
from miai.engine.search.selection.puct import (
    PuctParameters,
    RegularizedParameters,
    puct,
    puct_policy,
    regularized_policy,
)
from miai.engine.search.selection.rave import RaveParameters, init_rave, rave, update_amaf
from miai.engine.search.selection.uct import UctParameters, uct
from miai.engine.search.tree import ROOT, UNEXPANDED, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, logged
from tests.search.random_trees import amaf_simulations, new_workspace, random_tree


class Node(NamedTuple):
    """A node and its children, as float64 arrays."""

    visits: float
    value: float
    child_visits: np.ndarray
    child_values: np.ndarray
    priors: np.ndarray
    own: list[np.ndarray]
    """The rule's own columns."""


def random_node(rng: np.random.Generator) -> tuple[Tree, Node]:
    """Return a root with 1 to 100 children, often with none visited, equal ones, or extreme numbers."""
    count = int(rng.integers(1, 101))
    tree = Tree(count + 1, rave.columns)
    rows = slice(1, count + 1)
    kind = rng.integers(6)
    top = [1, 3, 100, 10_000, 2**31 // count - 1, 5][kind]
    child_visits = rng.integers(0, top, count)
    if rng.random() < 0.1:
        child_visits[:] = 0
    tree["visits"][rows] = child_visits
    tree["visits"][ROOT] = child_visits.sum() + 1
    # equal and extreme values are frequent
    tree["value"][rows] = rng.choice([0.0, 0.5, 1.0], count) if rng.random() < 0.3 else rng.random(count)
    tree["value"][rows][child_visits == 0] = 0.0
    tree["value"][ROOT] = rng.random()
    tree["prior"][rows] = rng.choice([0.0, 1e-6, 1.0], count) if kind == 5 else rng.dirichlet(np.ones(count))
    for (name, _), scale in zip(rave.columns, (10.0 ** rng.integers(0, 7), 1.0, 50.0, 1.0), strict=True):
        own = rng.random(count) * scale
        if rng.random() < 0.4:
            own[rng.random(count) < 0.5] = 0.0
        if rng.random() < 0.2:
            own[:] = own[0]
        tree[name][rows] = own
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
    tree["first_child"][rows] = UNEXPANDED
    tree.record["num_nodes"][0] = count + 1
    return tree, Node(
        float(tree["visits"][ROOT]),
        float(tree["value"][ROOT]),
        *(tree[name][rows].astype(np.float64) for name in ("visits", "value", "prior")),
        [tree[name][rows].astype(np.float64) for name, _ in rave.columns],
    )


def uct_numbers(node: Node, params: UctParameters) -> np.ndarray:
    """v + c·sqrt(ln n_s / (n + 1)), first_play for v where n = 0."""
    values = np.where(node.child_visits > 0, node.child_values, params.first_play)
    return values + params.exploration * np.sqrt(np.log(node.visits) / (node.child_visits + 1))


def puct_numbers(node: Node, params: PuctParameters) -> np.ndarray:
    """v + (c0 + ln((1 + n_s + c1)/c1))·p·sqrt(n_s)/(1 + n); v where n = 0: 0, the node's, less a bit, or ½.

    Where c1 = 0 the logarithm is left out.
    """
    node_value = 1.0 - node.value if node.visits > 1 else 0.5
    first_play = [0.0, node_value, node_value - params.fpu_reduction, 0.5][params.fpu]
    values = np.where(node.child_visits > 0, node.child_values, first_play)
    weight = params.c0 + (np.log((1.0 + node.visits + params.c1) / params.c1) if params.c1 else 0.0)
    return values + weight * node.priors * np.sqrt(node.visits) / (1.0 + node.child_visits)


def rave_numbers(node: Node, params: RaveParameters) -> np.ndarray:
    """(1 − β)·v + β·AMAF + c·sqrt(ln n_s / (n + 1)); v and its visits with the prior's added."""
    amaf_visits, amaf_values, prior_weight, prior_values = node.own
    prior = params.prior_weight * prior_weight
    n = node.child_visits + prior
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(n > 0, (node.child_visits * node.child_values + prior * prior_values) / n, 0.5)
        if params.schedule == 1:
            beta = np.sqrt(params.equivalence / (3.0 * n + params.equivalence))
        else:
            beta = amaf_visits / (n + amaf_visits + n * amaf_visits / params.equivalence)
    beta = np.where((amaf_visits > 0) & (params.schedule != 2), beta, 0.0)
    exploration = params.exploration * np.sqrt(np.log(node.visits) / (node.child_visits + 1))
    return (1.0 - beta) * values + beta * amaf_values + exploration


def esprit_policy(node: Node, params: EspritParameters) -> np.ndarray:
    """r of Jones's eqs. 3 to 7, not normalized."""
    if not node.child_visits.any():
        return node.priors
    values = np.where(node.child_visits > 0, node.child_values, 0.0)
    z = node.child_visits**params.alpha
    falloff = (1.0 + (values.max() - values) * np.sqrt(z.mean()) / params.sigma) ** -params.gamma
    q = falloff / falloff.sum()
    return (params.prior_weight * node.priors + z * q) / (params.prior_weight + z)


def esprit_numbers(node: Node, params: EspritParameters) -> np.ndarray:
    """r/(n + 1)."""
    return esprit_policy(node, params) / (node.child_visits + 1.0)


def solved_policy(node: Node, params: RegularizedParameters) -> np.ndarray:
    """λ·p/(α − v) with α such that it sums to 1 (Grill et al. 2020, eq. 12), by SciPy's root finder."""
    node_value = 1.0 - node.value if node.visits > 1 else 0.5
    first_play = [0.0, node_value, node_value - params.fpu_reduction, 0.5][params.fpu]
    values = np.where(node.child_visits > 0, node.child_values, first_play)
    weight = params.c0 + (np.log((1.0 + node.visits + params.c1) / params.c1) if params.c1 else 0.0)
    weight *= np.sqrt(node.visits) / (len(values) + node.visits - 1.0)
    if len(values) == 1:
        return np.ones(1)
    lowest = float(np.max(values + weight * node.priors * (1.0 - 1e-12)))
    highest = float(values.max() + weight * 1.001)
    level = brentq(lambda x: np.sum(weight * node.priors / (x - values)) - 1.0, lowest, highest, xtol=1e-14)
    return np.asarray(weight * node.priors / (level - values))


def random_esprit(rng: np.random.Generator) -> EspritParameters:
    if rng.random() < 0.5:
        return EspritParameters()
    return EspritParameters(
        float(rng.choice([0.3, 0.5, 1.0])),
        float(rng.choice([0.1, 1.0, 8.0])),
        float(rng.choice([1.0, 3.0, 4.5])),
        float(rng.choice([0.01, 0.07, 1.0])),
    )


def random_uct(rng: np.random.Generator) -> UctParameters:
    return UctParameters(float(rng.choice([0.0, 0.4, 2.0])), float(rng.choice([-1.0, 0.6, 1.1, 10.0])))


def random_puct(rng: np.random.Generator) -> PuctParameters:
    c1 = float(rng.choice([0.0, 1.0, 500.0, 19652.0]))
    return PuctParameters(float(rng.choice([0.0, 1.25, 5.0])), c1, int(rng.integers(4)), 0.25)


def random_rave(rng: np.random.Generator) -> RaveParameters:
    return RaveParameters(
        float(rng.choice([1.0, 100.0, 3000.0])),
        float(rng.choice([0.0, 0.3])),
        float(rng.choice([0.0, 1.0, 2.5])),
        int(rng.integers(3)),
    )


@pytest.mark.parametrize(
    ("select", "numbers", "random_parameters"),
    [
        (uct.select, uct_numbers, random_uct),
        (puct.select, puct_numbers, random_puct),
        (puct_policy.select, puct_numbers, random_puct),
        (esprit.select, esprit_numbers, random_esprit),
        (rave.select, rave_numbers, random_rave),
    ],
    ids=["uct", "puct", "puct-policy", "esprit", "rave"],
)
def test_the_child_with_the_greatest_number_is_selected(select: Any, numbers: Any, random_parameters: Any) -> None:
    rng = np.random.default_rng(11)
    workspace = new_workspace()
    selected = set()
    for _ in range(3000):
        tree, node = random_node(rng)
        params = random_parameters(rng)
        expected = numbers(node, params)
        child = int(select(tree.record, ROOT, params, workspace)) - 1
        selected.add(child)
        best = float(expected.max())
        assert 0 <= child < len(expected)
        tolerance = 1e-6 * max(1.0, abs(best))
        assert expected[child] >= best - tolerance, (params, child, int(expected.argmax()))
        # among exactly equal children the first wins; nothing before the selected one is clearly better
        twins = [
            other
            for other in range(child)
            if all(column[other] == column[child] for column in (node[2], node[3], node[4], *node.own))
        ]
        assert twins == []
    assert len(selected) > 60


def test_the_regularized_policy_is_the_one_that_sums_to_one() -> None:
    rng = np.random.default_rng(17)
    for _ in range(1000):
        tree, node = random_node(rng)
        tree["prior"][1 : tree.num_nodes] = node.priors[:] = np.float32(rng.dirichlet(np.ones(len(node.priors))))
        params = RegularizedParameters(float(rng.choice([0.5, 1.25, 5.0])))
        expected = solved_policy(node, params) / (node.child_visits + 1.0)
        child = int(regularized_policy.select(tree.record, ROOT, params, new_workspace())) - 1
        assert expected[child] >= expected.max() * (1.0 - 1e-6)


@pytest.mark.parametrize("name", ["esprit-stochastic", "regularized-policy"])
def test_a_stochastic_rule_draws_children_by_its_policy(name: str) -> None:
    rng = np.random.default_rng(18)
    workspace = new_workspace()
    workspace["stream"] = new_stream(5)
    for _ in range(5):
        tree, node = random_node(rng)
        if name == "esprit-stochastic":
            expected = esprit_policy(node, EspritParameters())
            drawn = [esprit_stochastic.select(tree.record, ROOT, EspritParameters(), workspace) for _ in range(20_000)]
        else:
            tree["prior"][1 : tree.num_nodes] = node.priors[:] = np.float32(rng.dirichlet(np.ones(len(node.priors))))
            params = RegularizedParameters(stochastic=1)
            expected = solved_policy(node, params)
            drawn = [regularized_policy.select(tree.record, ROOT, params, workspace) for _ in range(20_000)]
        expected = expected / expected.sum()
        found = np.bincount(np.array(drawn) - 1, minlength=len(expected)) / len(drawn)
        np.testing.assert_allclose(found, expected, atol=5.0 * np.sqrt(0.25 / len(drawn)))


def test_puct_and_its_policy_visit_the_same_nodes() -> None:
    trees = []
    for name in ("puct", "puct-policy"):
        workspace = HashWorkspace(9, 4)
        search = Search(Parts(HASH_GAME, SELECTION_RULES[name], mean), [workspace], 1 << 20)
        search.run(Budget(1500), early_stop=False)
        trees.append([simulation.path for simulation in logged(workspace)])
    assert trees[0] == trees[1]


def test_a_single_child_is_selected_whatever_it_is_worth() -> None:
    rng = np.random.default_rng(12)
    tree, _ = random_node(rng)
    tree["num_children"][ROOT] = 1
    for value in (0.0, 1.0, -1e30):
        tree["value"][1] = value
        for rule in SELECTION_RULES.values():
            if set(rule.columns) <= set(tree.columns):
                assert rule.select(tree.record, ROOT, rule.defaults, new_workspace()) == 1


def test_mean_backup_is_the_average_of_all_results() -> None:
    rng = np.random.default_rng(13)
    for number in (1, 2, 50, 3000):
        tree, workspace = Tree(1), new_workspace()
        results = rng.choice([0.0, 0.5, 1.0], number)
        for count, result in enumerate(results):
            tree["visits"][ROOT] = count + 1
            workspace["result"] = result
            tree["value"][ROOT] = mean.backup(tree.record, ROOT, workspace, mean.defaults)
            assert tree["value"][ROOT] == pytest.approx(results[: count + 1].mean(), abs=1e-12)


def test_new_children_get_the_candidates_expectations_and_no_amaf() -> None:
    tree = random_tree(np.random.default_rng(14), 60, rave.columns)
    before = [tree[name].copy() for name, _ in rave.columns]
    workspace = new_workspace()
    workspace["candidate_weight"][:3] = [0.0, 12.5, 40.0]
    workspace["candidate_value"][:3] = [0.25, 0.5, 1.0]
    init_rave(tree.record, 10, 3, workspace)
    assert [tree[name][10:13].tolist() for name, _ in rave.columns] == [
        [0.0] * 3,
        [0.0] * 3,
        [0.0, 12.5, 40.0],
        [0.25, 0.5, 1.0],
    ]
    for (name, _), column in zip(rave.columns, before, strict=True):  # nobody else's
        for rows in (slice(0, 10), slice(13, tree.num_nodes)):
            np.testing.assert_array_equal(tree[name][rows], column[rows])


def slow_update_amaf(tree: Tree, workspace: Any, depth: int, result: float) -> dict[int, float]:
    """Return the outcome to credit by child: a child's move counts if its player is the first to make it."""
    credited = {}
    trace = workspace["trace"][: workspace["trace_length"]].tolist()
    for ply in range(depth + 1):
        outcome = result if (depth - ply) % 2 == 0 else 1.0 - result
        for child in tree.children(int(workspace["path"][ply])):
            move = int(tree["move"][child])
            if move != 0 and move in trace[ply:] and trace[ply:].index(move) % 2 == 0:
                credited[child] = outcome
    return credited


def test_learning_credits_who_makes_a_move_first_from_each_node_on() -> None:
    rng = np.random.default_rng(15)
    workspace = new_workspace()
    num_credited, depths = 0, set()
    for tree, depth, result in amaf_simulations(rng, rave.columns, workspace):
        amaf_visits, amaf_value = tree["amaf_visits"], tree["amaf_value"]
        credited = slow_update_amaf(tree, workspace, depth, result)
        visits, values = amaf_visits.astype(np.float64), amaf_value.astype(np.float64)
        others = [tree[name].copy() for name in ("prior_weight", "prior_value")]
        update_amaf(tree.record, workspace, depth, result)
        for child, outcome in credited.items():
            values[child] = (visits[child] * values[child] + outcome) / (visits[child] + 1)
            visits[child] += 1
        np.testing.assert_array_equal(amaf_visits, visits)
        np.testing.assert_allclose(amaf_value, values, atol=1e-6)
        for name, other in zip(("prior_weight", "prior_value"), others, strict=True):
            np.testing.assert_array_equal(tree[name], other)
        num_credited += len(credited)
        depths.add(depth)
    assert num_credited > 2000 and len(depths) > 4


def test_a_pass_is_never_credited() -> None:
    rng = np.random.default_rng(16)
    tree = random_tree(rng, 30, rave.columns)
    children = tree.children(ROOT)
    tree["move"][children.start] = 0
    workspace = new_workspace()
    workspace["path"][:2] = [ROOT, children.start]
    workspace["trace"][:3] = [0, 0, 0]
    workspace["trace_length"] = 3
    for depth in (0, 1):
        before = tree["amaf_visits"].copy()
        update_amaf(tree.record, workspace, depth, 1.0)
        np.testing.assert_array_equal(tree["amaf_visits"], before)
