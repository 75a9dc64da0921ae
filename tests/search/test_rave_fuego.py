"""`rave-fuego` against slow versions: which child it takes, and what it learns from a simulation."""

from typing import Any

import numpy as np
import pytest

from miai.engine.random import new_stream
from miai.engine.search.selection.rave import RaveParameters, rave
from miai.engine.search.selection.rave_fuego import FuegoRaveParameters, rave_fuego, update_fuego_amaf
from miai.engine.search.tree import ROOT, UNEXPANDED, Tree
from tests.search.random_trees import amaf_simulations, new_workspace
from tests.search.test_selection import Node, random_node, rave_numbers


def numbers(node: Node, params: FuegoRaveParameters, with_amaf: bool) -> np.ndarray:
    """The blend of `rave` after prior knowledge went into AMAF values, or the moves' own values."""
    amaf_visits, amaf_values, prior_weight, prior_values = node.own
    prior = params.prior_weight * prior_weight
    together = amaf_visits + prior
    with np.errstate(invalid="ignore", divide="ignore"):
        amaf = np.where(together > 0, (amaf_visits * amaf_values + prior * prior_values) / together, 0.0)
    told = RaveParameters(params.equivalence, params.exploration, params.prior_weight, 0 if with_amaf else 2)
    return rave_numbers(node._replace(own=[together, amaf, prior_weight, prior_values]), told)


@pytest.mark.parametrize("own_every", [0, 1])
def test_the_child_with_the_greatest_number_is_selected(own_every: int) -> None:
    rng = np.random.default_rng(21)
    workspace, selected = new_workspace(), set()
    for _ in range(2000):
        tree, node = random_node(rng)
        params = FuegoRaveParameters(*(float(rng.choice(those)) for those in ([1, 100, 5000], [0, 0.3], [0, 1, 2.5])))
        params = params._replace(own_every=own_every)
        child = int(rave_fuego.select(tree.record, ROOT, params, workspace)) - 1
        expected = numbers(node, params, own_every == 0)
        assert expected[child] >= expected.max() - 1e-6
        selected.add(child)
    assert len(selected) > 60


def test_one_choice_in_so_many_goes_by_own_values() -> None:
    tree = Tree(3, rave.columns)
    tree["visits"][:3], tree["value"][1:3] = [21, 10, 10], [0.9, 0.1]
    tree["amaf_visits"][1:3], tree["amaf_value"][1:3] = 1000.0, [0.0, 1.0]
    tree["prior_weight"][1:3], tree["prior_value"][1:3] = 0.0, 0.0
    tree["first_child"][:3], tree["num_children"][ROOT] = [1, UNEXPANDED, UNEXPANDED], 2
    tree.record["num_nodes"][0] = 3
    workspace = new_workspace()
    workspace["stream"] = new_stream(5)
    for own_every, low, high in ((0, 0, 0), (1, 2000, 2000), (5, 340, 460), (20, 60, 140)):
        params = FuegoRaveParameters(own_every=own_every)
        own = sum(int(rave_fuego.select(tree.record, ROOT, params, workspace)) == 1 for _ in range(2000))
        assert low <= own <= high, own_every


def slow_update(tree: Tree, workspace: Any, depth: int, result: float) -> dict[int, tuple[float, float]]:
    """Return outcome and weight to credit by child: its move counts if its player makes it first.

    A pass, move 0, counts in the tree alone.
    """
    credited = {}
    trace = workspace["trace"][: workspace["trace_length"]].tolist()
    for ply in range(depth + 1):
        outcome = result if (depth - ply) % 2 == 0 else 1.0 - result
        for child in tree.children(int(workspace["path"][ply])):
            move = int(tree["move"][child])
            made = [at for at in range(ply, len(trace)) if trace[at] == move and (move != 0 or at < depth)]
            if made and (made[0] - ply) % 2 == 0:
                credited[child] = (outcome, 2.0 - (made[0] - ply) / (len(trace) - ply))
    return credited


def test_learning_credits_moves_more_the_sooner_they_are_made() -> None:
    rng = np.random.default_rng(22)
    workspace = new_workspace()
    num_credited = 0
    for tree, depth, result in amaf_simulations(rng, rave.columns, workspace):
        amaf_visits, amaf_value = tree["amaf_visits"], tree["amaf_value"]
        credited = slow_update(tree, workspace, depth, result)
        visits, values = amaf_visits.astype(np.float64), amaf_value.astype(np.float64)
        update_fuego_amaf(tree.record, workspace, depth, result)
        for child, (outcome, weight) in credited.items():
            values[child] = (visits[child] * values[child] + weight * outcome) / (visits[child] + weight)
            visits[child] += weight
        np.testing.assert_allclose(amaf_visits, visits, rtol=1e-5)
        np.testing.assert_allclose(amaf_value, values, atol=1e-5)
        num_credited += len(credited)
    assert num_credited > 2000
