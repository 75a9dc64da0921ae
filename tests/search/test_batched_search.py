"""Batched search: nothing of a batch is left in the tree but its results, however its leaves were found."""

import time
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from miai.engine.domains.simulated import SIMULATED_TREES, TESTS, SimulatedWorkspace, evaluate_batch, true_values
from miai.engine.search.backup.mean import mean
from miai.engine.search.batched_search import (
    BATCHINGS,
    DECIDED,
    FREE,
    WAITING,
    LeafBatches,
    batch_fields,
    distribute_tickets,
)
from miai.engine.search.search import SPEED_KNOWN_AT, BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT, Tree
from miai.engine.search.workspace import workspace_fields
from tests.search.leaf_results import assert_tree_holds

MANY = {"virtual-loss": ["puct", "esprit", "uct"], "waves": ["esprit", "puct-policy", "regularized-policy"]}
CASES = pytest.mark.parametrize(("batching", "select"), [(how, name) for how in BATCHINGS for name in MANY[how]])


class Log:
    """Evaluates batches of simulated trees and remembers them."""

    def __init__(self) -> None:
        self.leaves: list[tuple[list[int], float]] = []
        """Path and result of each simulation, from the view of the player to move at its leaf."""
        self.states: list[int] = []
        self.sizes: list[tuple[int, int]] = []
        """Simulations before each batch, and how many descents it has."""
        self.pauses: list[float] = []
        """Seconds to wait before each of the next batches."""

    def evaluate(self, leaf_batches: LeafBatches) -> None:
        if self.pauses:
            time.sleep(self.pauses.pop(0))
        evaluate_batch(leaf_batches)
        self.sizes.append((len(self.leaves), int(leaf_batches.lengths[0])))
        for workspace in leaf_batches.in_use()[0]:
            self.states.append(int(workspace["leaf_state"]))
            if workspace["leaf_state"] != FREE:
                path = workspace["path"][: int(workspace["leaf_depth"]) + 1].tolist()
                self.leaves.append((path, float(workspace["leaf_result"])))


def make_search(
    select: str, batching: str, size: int, index: int = 3, **settings: float
) -> tuple[Search, Log, SimulatedWorkspace]:
    workspace, log = SimulatedWorkspace(TESTS["A"], index, 1, batch=size), Log()
    batch = BatchEvaluation(workspace.records, log.evaluate, batching, **settings)
    search = Search(Parts(SIMULATED_TREES, SELECTION_RULES[select], mean), [workspace], 64 << 20, batch)
    return search, log, workspace


@CASES
@pytest.mark.parametrize("size", [1, 7, 32])
def test_visits_and_values_are_those_of_the_leaves(batching: str, select: str, size: int) -> None:
    search, log, _ = make_search(select, batching, size)
    assert search.run(Budget(500), early_stop=False)[0] == 500 == len(log.leaves)
    assert_tree_holds(search.tree, log.leaves)


@CASES
def test_every_descent_is_a_leaf_an_end_or_a_collision(batching: str, select: str) -> None:
    search, log, _ = make_search(select, batching, 16)
    search.run(Budget(400), early_stop=False)
    counts = search.counts
    states = np.array(log.states)
    assert counts["leaves"] == (states == WAITING).sum() == 400
    assert counts["decided"] == (states == DECIDED).sum() == 0
    assert counts["collisions"] == (states == FREE).sum() > 0
    paths = [tuple(path) for path, _ in log.leaves]
    assert len(set(paths)) == len(paths), "no leaf is evaluated twice"


@CASES
def test_the_same_stream_gives_the_same_tree(batching: str, select: str) -> None:
    trees = []
    for _ in range(2):
        search, _, _ = make_search(select, batching, 8)
        search.run(Budget(300), early_stop=False)
        trees.append(search.tree["visits"][: search.tree.num_nodes].tolist())
    assert trees[0] == trees[1]


def test_a_virtual_loss_spreads_a_batch() -> None:
    collisions = []
    for loss in (0.0, 1.0, 5.0):
        search, _, _ = make_search("puct", "virtual-loss", 32, virtual_loss=loss)
        search.run(Budget(2000), early_stop=False)
        collisions.append(int(search.counts["collisions"]))
    assert collisions[0] > collisions[1] >= collisions[2]


@CASES
def test_batches_grow_with_the_visits_of_the_root(batching: str, select: str) -> None:
    search, log, _ = make_search(select, batching, 8, visits_per_leaf=16.0)
    assert search.run(Budget(300), early_stop=False)[0] == 300 == search.tree["visits"][ROOT]
    assert log.sizes == [(visits, min(8, max(1, visits // 16), 300 - visits)) for visits, _ in log.sizes]
    assert {number for _, number in log.sizes} >= set(range(1, 9))


@CASES
def test_simulations_that_get_to_the_greatest_depth_are_evaluated_there(batching: str, select: str) -> None:
    workspace = SimulatedWorkspace(TESTS["C"], 3, 1, batch=8)
    fields = [(name, workspace.records.dtype[name]) for name in workspace.records.dtype.names if name != "path"]
    shallow = np.zeros(8, dtype=np.dtype([*fields, ("path", "i4", (4,))], align=True))
    for name, _ in fields:
        shallow[name] = workspace.records[name]
    workspace.records, workspace.record = shallow, shallow[0]
    log = Log()
    search = Search(
        Parts(SIMULATED_TREES, SELECTION_RULES[select], mean),
        [workspace],
        64 << 20,
        BatchEvaluation(shallow, log.evaluate, batching),
    )
    assert search.run(Budget(300), early_stop=False)[0] == 300 == search.tree["visits"][ROOT]
    depths = [len(path) - 1 for path, _ in log.leaves]
    assert max(depths) == 3 and depths.count(3) > 200


def test_a_slow_first_batch_does_not_end_a_search_whose_best_move_can_be_overtaken() -> None:
    search, log, _ = make_search("puct", "virtual-loss", 8)
    search.run(Budget(3000), early_stop=False)
    children = search.tree.children(ROOT)
    first, second = np.sort(search.tree["visits"][children.start : children.stop])[:-3:-1]
    assert first - second > 60, "or it might have gone on"
    log.pauses = [0.2]
    done, seconds = search.run(Budget(seconds=0.8))
    assert done >= SPEED_KNOWN_AT or seconds >= 0.8


def test_waves_of_a_rule_without_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="uct has not"):
        make_search("uct", "waves", 4)


def slow_tickets(number: int, policy: np.ndarray, visits: np.ndarray) -> tuple[list[int], int]:
    """Return tickets of each child and how many are left over: largest remainders, the unvisited as one party."""
    parties = [np.flatnonzero(visits == 0), *([index] for index in np.flatnonzero(visits))]
    quotas = np.array([number * policy[list(party)].sum() for party in parties])
    given = np.floor(quotas).astype(int)
    for _ in range(number - given.sum()):
        given[int(np.argmax(quotas - given))] += 1
    tickets = np.zeros(len(policy), dtype=int)
    for party, count in zip(parties[1:], given[1:], strict=True):
        tickets[party[0]] = count
    unseen = sorted(parties[0], key=lambda index: -policy[index])[: given[0]]
    tickets[unseen] = 1
    return tickets.tolist(), int(given[0]) - len(unseen)


def test_tickets_are_divided_by_largest_remainders() -> None:
    rng = np.random.default_rng(4)
    workspace: Any = np.zeros(1, dtype=np.dtype([*workspace_fields(60, 4, 4), *batch_fields(4, 60)], align=True))[0]
    for _ in range(500):
        count, number = int(rng.integers(1, 60)), int(rng.choice([1, 2, 8, 64]))
        tree = Tree(count + 1)
        tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
        visits = tree["visits"][1 : count + 1]
        visits[:] = rng.integers(0, 3, count) * rng.integers(0, 2)
        workspace["policy"][:count] = rng.dirichlet(np.full(count, 0.5))
        idle = distribute_tickets(tree.record, ROOT, workspace, number)
        tickets, expected_idle = slow_tickets(number, workspace["policy"][:count], visits)
        assert workspace["tickets"][:count].tolist() == tickets and idle == expected_idle
        assert sum(tickets) + idle == number


@pytest.mark.parametrize("batching", BATCHINGS)
def test_a_batched_search_chooses_nearly_as_well(batching: str) -> None:
    regrets = defaultdict(list)
    for index in range(40):
        for size in (1, 8):
            search, _, _ = make_search("esprit", batching, size, index)
            search.run(Budget(1024), early_stop=False)
            worth = true_values(search.tree, search.tree.children(ROOT))
            regrets[size].append(worth.max() - worth[search.root_order()[0] - 1])
    assert np.mean(regrets[8]) < 2.5 * np.mean(regrets[1]) + 0.002
