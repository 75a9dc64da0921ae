"""Selection formulas against plain NumPy transcriptions on random nodes; RAVE's learning against a slow one."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.search.backup import MEAN
from engine.search.selection import (
    SELECTION_RULES,
    PuctParameters,
    RaveParameters,
    UctParameters,
    learn_rave,
    prepare_rave,
    select_puct,
    select_rave,
    select_uct,
)
from engine.search.tree import ROOT, Tree, column
from tests.search.random_trees import MAX_DEPTH, MAX_MOVE, MAX_TRACE, new_work, random_tree


class Node(NamedTuple):
    """A node and its children, as float64 arrays."""

    visits: float
    value: float
    child_visits: np.ndarray
    child_values: np.ndarray
    priors: np.ndarray
    own: list[np.ndarray]
    """The rule's own columns."""


def random_node(chance: np.random.Generator) -> tuple[Tree, Node]:
    """Return a root with 1 to 100 children, often with none visited, equal ones, or extreme numbers."""
    count = int(chance.integers(1, 101))
    tree = Tree(count + 1, 4)
    rows = slice(1, count + 1)
    kind = chance.integers(6)
    top = [1, 3, 100, 10_000, 2**31 // count - 1, 5][kind]
    child_visits = chance.integers(0, top, count)
    if chance.random() < 0.1:
        child_visits[:] = 0
    tree["visits"][rows] = child_visits
    tree["visits"][ROOT] = child_visits.sum() + 1
    # equal and extreme values are frequent
    tree["value"][rows] = chance.choice([0.0, 0.5, 1.0], count) if chance.random() < 0.3 else chance.random(count)
    tree["value"][rows][child_visits == 0] = 0.0
    tree["value"][ROOT] = chance.random()
    tree["prior"][rows] = chance.choice([0.0, 1e-6, 1.0], count) if kind == 5 else chance.dirichlet(np.ones(count))
    for number, scale in enumerate((10.0 ** chance.integers(0, 7), 1.0, 50.0, 1.0)):
        own = chance.random(count) * scale
        if chance.random() < 0.4:
            own[chance.random(count) < 0.5] = 0.0
        if chance.random() < 0.2:
            own[:] = own[0]
        tree.own_column(number)[rows] = own
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
    tree.record["num_nodes"][0] = count + 1
    return tree, Node(
        float(tree["visits"][ROOT]),
        float(tree["value"][ROOT]),
        *(tree[name][rows].astype(np.float64) for name in ("visits", "value", "prior")),
        [tree.own_column(number)[rows].astype(np.float64) for number in range(4)],
    )


def uct_numbers(node: Node, params: UctParameters) -> np.ndarray:
    """v + c·sqrt(ln n_s / (n + 1)), first_play for v where n = 0."""
    values = np.where(node.child_visits > 0, node.child_values, params.first_play)
    return values + params.exploration * np.sqrt(np.log(node.visits) / (node.child_visits + 1))


def puct_numbers(node: Node, params: PuctParameters) -> np.ndarray:
    """v + (c0 + ln((1 + n_s + c1)/c1))·p·sqrt(n_s)/(1 + n); v where n = 0: 0, the node's, or the node's less a bit."""
    node_value = 1.0 - node.value if node.visits > 1 else 0.5
    first_play = [0.0, node_value, node_value - params.fpu_reduction][params.fpu]
    values = np.where(node.child_visits > 0, node.child_values, first_play)
    weight = params.c0 + np.log((1.0 + node.visits + params.c1) / params.c1)
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
    beta = np.where(amaf_visits > 0, beta, 0.0)
    exploration = params.exploration * np.sqrt(np.log(node.visits) / (node.child_visits + 1))
    return (1.0 - beta) * values + beta * amaf_values + exploration


def random_uct(chance: np.random.Generator) -> UctParameters:
    return UctParameters(float(chance.choice([0.0, 0.4, 2.0])), float(chance.choice([-1.0, 0.6, 1.1, 10.0])))


def random_puct(chance: np.random.Generator) -> PuctParameters:
    c1 = float(chance.choice([1.0, 500.0, 19652.0]))
    return PuctParameters(float(chance.choice([0.0, 1.25, 5.0])), c1, int(chance.integers(3)), 0.25)


def random_rave(chance: np.random.Generator) -> RaveParameters:
    return RaveParameters(
        float(chance.choice([1.0, 100.0, 3000.0])),
        float(chance.choice([0.0, 0.3])),
        float(chance.choice([0.0, 1.0, 2.5])),
        int(chance.integers(2)),
    )


@pytest.mark.parametrize(
    ("select", "numbers", "random_parameters"),
    [
        (select_uct, uct_numbers, random_uct),
        (select_puct, puct_numbers, random_puct),
        (select_rave, rave_numbers, random_rave),
    ],
    ids=["uct", "puct", "rave"],
)
def test_the_child_with_the_greatest_number_is_selected(select: Any, numbers: Any, random_parameters: Any) -> None:
    chance = np.random.default_rng(11)
    work = new_work()
    selected = set()
    for _ in range(3000):
        tree, node = random_node(chance)
        params = random_parameters(chance)
        expected = numbers(node, params)
        child = int(select(tree.record, ROOT, params, work)) - 1
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


def test_a_single_child_is_selected_whatever_it_is_worth() -> None:
    chance = np.random.default_rng(12)
    tree, _ = random_node(chance)
    tree["num_children"][ROOT] = 1
    for value in (0.0, 1.0, -1e30):
        tree["value"][1] = value
        for rule in SELECTION_RULES.values():
            assert rule.select(tree.record, ROOT, rule.defaults, new_work()) == 1


def test_mean_backup_is_the_average_of_all_results() -> None:
    chance = np.random.default_rng(13)
    for number in (1, 2, 50, 3000):
        tree = Tree(3, 0)
        results = chance.choice([0.0, 0.5, 1.0], number)
        for count, result in enumerate(results):
            tree["visits"][1] = count + 1
            tree["value"][1] = MEAN.backup(tree.record, 1, result, MEAN.defaults)
            assert tree["value"][1] == pytest.approx(results[: count + 1].mean(), abs=1e-12)


def test_new_children_get_the_candidates_expectations_and_no_amaf() -> None:
    tree = random_tree(np.random.default_rng(14), 60, 4)
    before = [column(tree.record, number).copy() for number in range(4)]
    work = new_work()
    work["candidate_weight"][:3] = [0.0, 12.5, 40.0]
    work["candidate_value"][:3] = [0.25, 0.5, 1.0]
    prepare_rave(tree.record, 10, 3, work)
    assert [tree.own_column(number)[10:13].tolist() for number in range(4)] == [
        [0.0] * 3,
        [0.0] * 3,
        [0.0, 12.5, 40.0],
        [0.25, 0.5, 1.0],
    ]
    for number in range(4):  # nobody else's
        for rows in (slice(0, 10), slice(13, tree.num_nodes)):
            np.testing.assert_array_equal(tree.own_column(number)[rows], before[number][rows])


def random_simulation(chance: np.random.Generator, tree: Tree, work: Any) -> int:
    """Write a path through the tree and a trace that follows it and goes on with a playout; return the depth."""
    node, depth = ROOT, 0
    work["path"][0] = ROOT
    max_depth = int(chance.integers(0, MAX_DEPTH))
    while depth < max_depth and tree.children(node):
        node = int(chance.choice(tree.children(node)))
        work["trace"][depth] = tree["move"][node]
        depth += 1
        work["path"][depth] = node
    length = int(chance.integers(depth, MAX_TRACE + 1))
    # few different moves make repetitions, zeros are passes
    work["trace"][depth:length] = chance.integers(0, chance.choice([2, 10, MAX_MOVE]), length - depth)
    work["trace_length"] = length
    return depth


def slow_learn(tree: Tree, work: Any, depth: int, result: float) -> dict[int, float]:
    """Return the outcome to credit by child: a child's move counts if its player is the first to make it."""
    credited = {}
    trace = work["trace"][: work["trace_length"]].tolist()
    for ply in range(depth + 1):
        outcome = result if (depth - ply) % 2 == 0 else 1.0 - result
        for child in tree.children(int(work["path"][ply])):
            move = int(tree["move"][child])
            if move != 0 and move in trace[ply:] and trace[ply:].index(move) % 2 == 0:
                credited[child] = outcome
    return credited


def test_learning_credits_who_makes_a_move_first_from_each_node_on() -> None:
    chance = np.random.default_rng(15)
    work = new_work()
    num_credited, depths = 0, set()
    for _ in range(60):
        tree = random_tree(chance, 400, 4, max_children=12)
        amaf_visits, amaf_value = tree.own_column(0), tree.own_column(1)
        amaf_visits[:] = chance.integers(0, 50, 400)
        amaf_value[:] = chance.random(400) * (amaf_visits > 0)
        for _ in range(20):
            depth = random_simulation(chance, tree, work)
            result = float(chance.choice([0.0, 0.5, 1.0]))
            credited = slow_learn(tree, work, depth, result)
            visits, values = amaf_visits.astype(np.float64), amaf_value.astype(np.float64)
            others = [tree.own_column(number).copy() for number in (2, 3)]
            learn_rave(tree.record, work, depth, result)
            for child, outcome in credited.items():
                values[child] = (visits[child] * values[child] + outcome) / (visits[child] + 1)
                visits[child] += 1
            np.testing.assert_array_equal(amaf_visits, visits)
            np.testing.assert_allclose(amaf_value, values, atol=1e-6)
            for number, other in zip((2, 3), others, strict=True):
                np.testing.assert_array_equal(tree.own_column(number), other)
            num_credited += len(credited)
            depths.add(depth)
    assert num_credited > 2000 and len(depths) > 4


def test_a_pass_is_never_credited() -> None:
    chance = np.random.default_rng(16)
    tree = random_tree(chance, 30, 4)
    children = tree.children(ROOT)
    tree["move"][children.start] = 0
    work = new_work()
    work["path"][:2] = [ROOT, children.start]
    work["trace"][:3] = [0, 0, 0]
    work["trace_length"] = 3
    for depth in (0, 1):
        before = tree.own_column(0).copy()
        learn_rave(tree.record, work, depth, 1.0)
        np.testing.assert_array_equal(tree.own_column(0), before)
