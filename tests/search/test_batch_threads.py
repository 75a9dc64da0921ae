"""Threads with a batch each: what is backed up and seen is the leaves' results alone, exactly as many as asked for."""

import threading
import time

import pytest

from miai.engine.domains.simulated import SIMULATED_TREES, TESTS, SimulatedWorkspace, evaluate_batch
from miai.engine.search.backup.mean import mean
from miai.engine.search.batched_search import BATCHINGS, FREE, LeafBatches
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.search import BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT
from tests.search.leaf_results import assert_tree_holds

MANY = {"virtual-loss": ["puct", "uct"], "waves": ["esprit", "regularized-policy"]}
CASES = pytest.mark.parametrize(("batching", "select"), [(how, name) for how in BATCHINGS for name in MANY[how]])


class Evaluator:
    """Evaluates batches of simulated trees, several at once, and remembers their leaves."""

    def __init__(self) -> None:
        self.leaves: list[tuple[list[int], float]] = []
        """Path and result of each simulation, from the view of the player to move at its leaf."""
        self.lengths: list[int] = []
        self.most_at_once = 0
        self.seconds = 0.0
        """That an evaluation takes."""
        self._at_once = 0
        self._lock = threading.Lock()

    def __call__(self, leaf_batches: LeafBatches) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(self.seconds)
        evaluate_batch(leaf_batches)
        with self._lock:
            self._at_once -= 1
            self.lengths.append(int(leaf_batches.lengths[0]))
            for workspace in leaf_batches.in_use()[0]:
                if workspace["leaf_state"] != FREE:
                    path = workspace["path"][: int(workspace["leaf_depth"]) + 1].tolist()
                    self.leaves.append((path, float(workspace["leaf_result"])))


def make_search(
    threads: int, size: int = 4, batching: str = "virtual-loss", select: str = "puct", memory: int = 64 << 20
) -> tuple[Search, Evaluator]:
    workspace, evaluator = SimulatedWorkspace(TESTS["A"], 3, 1, batch=threads * size), Evaluator()
    batch = BatchEvaluation(workspace.records, evaluator, batching, threads=threads)
    return Search(Parts(SIMULATED_TREES, SELECTION_RULES[select], mean), [workspace], memory, batch), evaluator


@CASES
@pytest.mark.parametrize(("threads", "size"), [(2, 1), (2, 8), (3, 4)])
def test_visits_and_values_are_those_of_the_leaves(batching: str, select: str, threads: int, size: int) -> None:
    search, evaluator = make_search(threads, size, batching, select)
    assert search.run(Budget(500), early_stop=False)[0] == 500 == len(evaluator.leaves)
    assert_tree_holds(search.tree, evaluator.leaves)
    paths = [tuple(path) for path, _ in evaluator.leaves]
    assert len(set(paths)) == len(paths), "no leaf is evaluated twice"


def test_as_many_batches_are_evaluated_at_once_as_there_are_threads() -> None:
    search, evaluator = make_search(threads=3)
    evaluator.seconds = 0.005
    search.run(Budget(300), early_stop=False)
    assert evaluator.most_at_once == 3


def test_small_batches_together_have_no_more_leaves_than_visits_allow() -> None:
    search, evaluator = make_search(threads=3, size=8)
    assert search.batch is not None
    search.batch.visits_per_leaf = 16.0
    search.run(Budget(200), early_stop=False)
    assert set(evaluator.lengths) <= {1, 2, 3, 4}, "200 / (3 · 16)"
    search.run(Budget(600), early_stop=False)
    assert max(evaluator.lengths) == 8


def test_whoever_looks_at_the_tree_sees_no_virtual_loss() -> None:
    search, evaluator = make_search(threads=2)
    evaluator.seconds = 0.001
    seen = []

    def look(done: int, _: float) -> None:
        children = search.tree.children(ROOT)
        visits = search.tree["visits"]
        seen.append((int(visits[ROOT]), 1 + int(visits[children.start : children.stop].sum()), done))

    search.run(Budget(400), on_progress=look, early_stop=False)
    assert len(seen) > 5
    assert all(root == below >= done for root, below, done in seen)


def test_a_full_tree_is_pruned_and_searched_on() -> None:
    search, evaluator = make_search(threads=3, memory=0)
    assert search.tree.capacity == 1024
    assert search.run(Budget(3000), early_stop=False)[0] == 3000 == search.tree["visits"][ROOT]
    assert len(evaluator.leaves) == 3000
    children = search.tree.children(ROOT)
    assert search.tree["visits"][children.start : children.stop].sum() == 2999


def test_what_an_evaluation_raises_ends_the_search() -> None:
    workspace, calls = SimulatedWorkspace(TESTS["A"], 3, 1, batch=8), []

    def fail(leaf_batches: LeafBatches) -> None:
        calls.append(1)
        if len(calls) > 10:
            raise ArithmeticError("no more")
        evaluate_batch(leaf_batches)

    batch = BatchEvaluation(workspace.records, fail, threads=2)
    search = Search(Parts(SIMULATED_TREES, SELECTION_RULES["puct"], mean), [workspace], 64 << 20, batch)
    with pytest.raises(ArithmeticError, match="no more"):
        search.run(Budget(1000), early_stop=False)
    search.clear()
    calls.clear()
    assert search.run(Budget(8), early_stop=False)[0] == 8


def test_what_is_raised_while_others_wait_for_room_ends_the_search() -> None:
    workspace = SimulatedWorkspace(TESTS["A"], 3, 1, batch=8)

    def fail(leaf_batches: LeafBatches) -> None:
        time.sleep(0.002)
        if search.tree.num_nodes >= search.maintain_at:
            raise MemoryError("full")
        evaluate_batch(leaf_batches)

    batch = BatchEvaluation(workspace.records, fail, threads=2)
    search = Search(Parts(SIMULATED_TREES, SELECTION_RULES["puct"], mean), [workspace], 0, batch)
    with pytest.raises(MemoryError, match="full"):
        search.run(Budget(10_000), early_stop=False)


def test_it_ends_in_time_and_when_told() -> None:
    search, evaluator = make_search(threads=2)
    evaluator.seconds = 0.002
    _, seconds = search.run(Budget(seconds=0.3), early_stop=False)
    assert seconds >= 0.3
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    done, _ = search.run(Budget(), stop)
    assert done > 0 and stop.is_set()


def test_the_next_search_goes_on_with_the_tree() -> None:
    search, _ = make_search(threads=2)
    search.run(Budget(200), early_stop=False)
    best = search.root_order()[0]
    kept = int(search.tree["visits"][best])
    search.advance(int(search.tree["move"][best]))
    assert search.tree["visits"][ROOT] == kept
    search.run(Budget(100), early_stop=False)
    assert search.tree["visits"][ROOT] == kept + 100
    search.close()


def test_in_lockstep_a_search_takes_no_more_leaves_than_a_thread() -> None:
    search, evaluator = make_search(threads=3, size=4)
    lockstep = Lockstep([search], evaluator)
    lockstep.begin(0, 100)
    while lockstep.is_searching:
        lockstep.step()
    assert max(evaluator.lengths) == 4
    assert search.tree["visits"][ROOT] == 100
