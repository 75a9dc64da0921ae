"""Searches in lockstep: each finds what it would have found alone, whenever the others begin and end."""

import numpy as np
import pytest

from miai.engine.domains.simulated import SIMULATED_TREES, TESTS, SimulatedWorkspace, evaluate_batch
from miai.engine.search.backup.mean import mean
from miai.engine.search.batched_search import LeafBatches
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.root_noise import dirichlet_noise
from miai.engine.search.search import BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT


class Evaluator:
    """Evaluates simulated trees and counts its calls."""

    def __init__(self) -> None:
        self.num_leaves: list[int] = []

    def __call__(self, leaf_batches: LeafBatches) -> None:
        evaluate_batch(leaf_batches)
        self.num_leaves.append(int(leaf_batches.lengths.sum()))


def make_search(select: str, index: int, evaluate: Evaluator, leaves: int = 1) -> Search:
    workspace = SimulatedWorkspace(TESTS["A"], index, 1, batch=leaves)
    return Search(
        Parts(SIMULATED_TREES, SELECTION_RULES[select], mean),
        [workspace],
        8 << 20,
        BatchEvaluation(workspace.records, evaluate),
    )


def visits_of(search: Search) -> list[int]:
    return search.tree["visits"][: search.tree.num_nodes].tolist()


@pytest.mark.parametrize("select", ["puct", "gumbel", "esprit"])
@pytest.mark.parametrize("leaves", [1, 4])
def test_each_search_gets_the_tree_that_it_gets_alone(select: str, leaves: int) -> None:
    budgets = [60, 7, 150, 1]
    evaluate = Evaluator()
    together = [make_search(select, index, evaluate, leaves) for index in range(4)]
    Lockstep(together, evaluate).run(budgets)
    for index, (search, budget) in enumerate(zip(together, budgets, strict=True)):
        alone = make_search(select, index, Evaluator(), leaves)
        alone.run(Budget(budget), early_stop=False)
        assert visits_of(search) == visits_of(alone) and search.tree["visits"][ROOT] == budget
    assert max(evaluate.num_leaves) == sum(min(leaves, budget) for budget in budgets)


def test_a_search_that_is_done_begins_anew_while_the_others_go_on() -> None:
    evaluate = Evaluator()
    searches = [make_search("puct", index, evaluate) for index in range(2)]
    lockstep = Lockstep(searches, evaluate)
    lockstep.begin(0, 10)
    lockstep.begin(1, 25)
    finished = []
    while lockstep.is_searching:
        for index in lockstep.step():
            finished.append(index)
            if len(finished) == 1:
                searches[index].clear()
                lockstep.begin(index, 20)
    assert finished == [0, 1, 0]
    assert [int(search.tree["visits"][ROOT]) for search in searches] == [20, 25]
    assert evaluate.num_leaves == [2] * 25 + [1] * 5


def test_a_search_stops_once_nothing_can_overtake_its_best_move() -> None:
    evaluate = Evaluator()
    search, other = (make_search("puct", index, evaluate) for index in range(2))
    lockstep = Lockstep([search, other], evaluate)
    lockstep.begin(0, 300)
    stopped = []
    while lockstep.is_searching:
        lockstep.step()
        stopped += lockstep.stop_decided()
    visits = np.sort(search.tree["visits"][list(search.tree.children(ROOT))])
    done = int(search.tree["visits"][ROOT])
    # with one simulation fewer it could still have been overtaken, or just so
    assert stopped == [0] and done < 300 and visits[-1] - visits[-2] in (301 - done, 302 - done)
    alone = make_search("puct", 0, Evaluator())
    alone.run(Budget(300), early_stop=False)
    assert alone.root_order()[0] == search.root_order()[0]


def test_full_trees_are_pruned_and_searched_on() -> None:
    evaluate, searches = Evaluator(), []
    for index in range(2):
        workspace = SimulatedWorkspace(TESTS["A"], index, 1, batch=4)
        parts = Parts(SIMULATED_TREES, SELECTION_RULES["puct"], mean)
        searches.append(Search(parts, [workspace], 0, BatchEvaluation(workspace.records, evaluate)))
    Lockstep(searches, evaluate).run([2000, 300])
    assert [int(search.tree["visits"][ROOT]) for search in searches] == [2000, 300]
    assert all(search.tree.num_nodes <= search.tree.capacity == 1024 for search in searches)


def test_nothing_to_do_is_no_evaluation() -> None:
    evaluate = Evaluator()
    lockstep = Lockstep([make_search("puct", 1, evaluate)], evaluate)
    assert lockstep.step() == [] and evaluate.num_leaves == []


@pytest.mark.parametrize("is_batched", [True, False])
def test_noise_comes_once_in_a_search_before_any_move_is_tried(is_batched: bool) -> None:
    workspace = SimulatedWorkspace(TESTS["A"], 3, 1, batch=4)
    batch = BatchEvaluation(workspace.records, evaluate_batch) if is_batched else None
    search = Search(Parts(SIMULATED_TREES, SELECTION_RULES["puct"], mean), [workspace], 8 << 20, batch)
    search.run(Budget(100), early_stop=False)
    plain = search.tree["prior"][1 : len(search.tree.children(ROOT)) + 1].copy()
    visited = []
    add = dirichlet_noise(np.random.default_rng(1), 0.5)
    for kept in (0, 60):
        search.clear()
        if kept:
            search.on_root = None
            search.run(Budget(kept), early_stop=False)
        calls = []

        def on_root(tree, children, calls=calls):
            calls.append(int(tree["visits"][children.start : children.stop].sum()))
            add(tree, children)

        search.on_root = on_root
        search.run(Budget(100), early_stop=False)
        noisy = search.tree["prior"][1 : len(plain) + 1]
        assert noisy.sum() == pytest.approx(1.0, abs=1e-5) and np.abs(noisy - plain).max() > 0.02
        assert (noisy >= 0.5 * plain - 1e-7).all()
        visited.append(calls)
    assert len(visited[0]) == 1 and visited[0][0] <= 1 and visited[1] == [59 if is_batched else 60]


def test_sequential_halving_knows_that_the_first_of_a_batched_search_only_opens_the_root() -> None:
    search = make_search("gumbel", 3, Evaluator())
    search.run(Budget(17), early_stop=False)
    visits = np.sort(search.tree["visits"][list(search.tree.children(ROOT))])[::-1]
    alone = SimulatedWorkspace(TESTS["A"], 3, 1)
    compiled = Search(Parts(SIMULATED_TREES, SELECTION_RULES["gumbel"], mean), [alone], 8 << 20)
    compiled.run(Budget(16), early_stop=False)
    expected = np.sort(compiled.tree["visits"][list(compiled.tree.children(ROOT))])[::-1]
    assert visits.sum() == expected.sum() == 16
    assert visits.tolist() == expected.tolist()


def test_a_search_that_is_stopped_keeps_what_it_found_and_the_others_go_on() -> None:
    evaluate = Evaluator()
    searches = [make_search("puct", index, evaluate) for index in range(2)]
    lockstep = Lockstep(searches, evaluate)
    lockstep.begin(0, 1000)
    lockstep.begin(1, 8)
    for _ in range(3):
        lockstep.step()
    lockstep.stop(0)
    while lockstep.is_searching:
        lockstep.step()
    assert [int(search.tree["visits"][ROOT]) for search in searches] == [3, 8]
