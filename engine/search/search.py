"""Search: a tree, its threads and its budget. Knows no game."""

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from miai.engine.search.batch_stepper import Stepper
from miai.engine.search.batch_threads import BatchThreads
from miai.engine.search.batched_search import BatchFunctions, LeafBatches, compose_batch_functions
from miai.engine.search.final_move import order_moves, payoffs
from miai.engine.search.rule_declaration import BackupRule, SelectionRule
from miai.engine.search.simulate import DomainFunctions, SearchParameters, columns_of, compose_simulations
from miai.engine.search.tree import ROOT, Tree, bytes_per_node, copy_subtree, follow_best, full_threshold

CHUNK = 250
"""Simulations of each thread between two looks at the clock and at whether the search may stop."""
FIRST_CHUNK = 25
"""The same before the first look, where time is limited: how long a simulation takes is not known yet."""
BATCH_CHUNK = 16
"""The same, at least, where leaves are evaluated in batches, which takes longer; batches are not cut for it."""
SPEED_KNOWN_AT = 128
"""Simulations before which nothing is foretold from their speed: the first find cold caches, and take twice as long."""
_NO_LIMIT = 1 << 62
_MOST_NODES = (1 << 31) - 1
"""Of a tree: their numbers have 32 bits."""
_MOST_VISITS = 2_000_000_000
"""Of the root, at which a search ends: visits are 32-bit numbers."""
_FULL = 0.98
"""Share of a tree's room from which on it is pruned."""


class Workspace(Protocol):
    """A thread's workspace; see `miai.engine.search.workspace.workspace_fields`."""

    record: Any


@dataclass
class Budget:
    """Limits of a search, of which the first reached ends it; None = no such limit."""

    simulations: int | None = None
    """Simulations to do, exactly unless something else ends the search."""
    seconds: float | None = None

    def less(self, simulations: int) -> "Budget":
        """Return what is left after so many simulations: one at least."""
        return self if self.simulations is None else Budget(max(1, self.simulations - simulations), self.seconds)


@dataclass(frozen=True)
class Parts:
    """The parts that make a search."""

    domain: DomainFunctions
    selection: SelectionRule
    backup: BackupRule
    final: str = "visits"
    """One of `miai.engine.search.final_move.FINAL_RULES`: what the root's moves are ordered by."""


@dataclass
class BatchEvaluation:
    """How leaves are evaluated outside compiled code, many at once."""

    workspaces: np.ndarray
    """Workspaces with `miai.engine.search.batched_search.batch_fields`, one a leaf, all with the root loaded."""
    evaluate: Callable[[LeafBatches], None]
    """Writes `leaf_result`, `score` and `candidate_prior` in workspaces in use whose `leaf_state` is WAITING."""
    batching: str = "virtual-loss"
    """One of `miai.engine.search.batched_search.BATCHINGS`."""
    virtual_loss: float = 1.0
    """As how many lost simulations a descent counts until the batch is complete."""
    visits_per_leaf: float = 0.0
    """A batch has no more leaves than one for each so many visits of the root; 0 = as many as fit."""
    threads: int = 1
    """Batches under way at once, each in its equal part of the workspaces; so many threads call `evaluate`."""


@dataclass
class Settings:
    """Numbers that may change between two searches."""

    parameters: SearchParameters
    selection: Any
    backup: Any


class Search:
    """A tree that is searched, reported on, and carried from one root to the next."""

    def __init__(
        self, parts: Parts, workspaces: Sequence[Workspace], memory: int, batch: BatchEvaluation | None = None
    ) -> None:
        """Reserve the tree.

        Args:
            parts: what the search is made of.
            workspaces: one workspace a thread, with the root loaded before each `run`.
            memory: bytes for the tree, of which half is needed to carry it over to a new root.
            batch: how to evaluate leaves, if not by the domain's own evaluator; it says how many threads there are.

        Raises:
            ValueError: if waves are asked for and the selection rule has no search policy.
        """
        self._parts = parts
        self._workspaces = workspaces
        self._selection = parts.selection
        self.settings = Settings(SearchParameters(), parts.selection.defaults, parts.backup.defaults)
        self.batch = batch
        """How leaves are evaluated outside compiled code; None = they are not."""
        self.on_root: Callable[[Tree, range], None] | None = None
        """Called once in each search, when the root has children: with the tree and these; may change their priors."""
        self._on_root_is_due = False
        self.batches: BatchFunctions | None = None
        """The compiled steps, if leaves are evaluated so."""
        if batch is None:
            self._run = compose_simulations(parts.domain, parts.selection, parts.backup)
        else:
            self.batches = compose_batch_functions(parts.domain, parts.selection, parts.backup)
            if batch.batching == "waves" and self.batches.select_leaves_in_wave is None:
                raise ValueError(f"waves need a search policy, which {parts.selection.name} has not")
        columns = columns_of(parts.domain, parts.selection, parts.backup)
        results_apart = batch is None and len(workspaces) > 1
        capacity = min(max(1024, memory // (2 * bytes_per_node(len(columns) + results_apart))), _MOST_NODES)
        self.tree = Tree(capacity, columns, results_apart)
        self._spare = Tree(capacity, columns, results_apart)
        # In no cycle of references, so that a search that nobody holds gives its memory back at once.
        itself = weakref.proxy(self)
        self._stepper = None if batch is None else Stepper([itself], batch.evaluate)
        self._threads: BatchThreads | None = None
        if batch is not None and self._stepper is not None and batch.threads > 1:
            self._threads = BatchThreads(itself, batch.evaluate, self._stepper.counts)
        self._pool = ThreadPoolExecutor(len(workspaces)) if len(workspaces) > 1 else None

    def clear(self) -> None:
        """Forget the tree, and what was counted of batches."""
        self.tree.clear()
        if self._stepper is not None:
            self._stepper.counts[:] = 0

    def advance(self, move: int) -> bool:
        """Make the child by `move` the root and keep its subtree; forget all if there is no such child."""
        for child in self.tree.children(ROOT):
            if self.tree["move"][child] == move:
                self._compact(child, 0)
                return True
        self.clear()
        return False

    @property
    def counts(self) -> Any:
        """Counts of all batches since the tree was cleared: `batched_search.COUNTS_DTYPE`."""
        assert self._stepper is not None
        return self._stepper.counts[0]

    def _compact(self, root: int, min_visits: int) -> None:
        """Copy the subtree of a node to the spare tree and make that the tree."""
        copy_subtree(self.tree.record, root, self._spare.record, min_visits)
        self.tree, self._spare = self._spare, self.tree

    def run(
        self,
        budget: Budget,
        stop: threading.Event | None = None,
        on_progress: Callable[[int, float], None] | None = None,
        early_stop: bool = True,
    ) -> tuple[int, float]:
        """Search from the root until the budget is spent, the best move cannot be overtaken, or `stop` is set.

        Args:
            budget: neither limit given means until `stop`.
            stop: looked at every few milliseconds.
            on_progress: called with simulations and seconds so far, every few milliseconds.
            early_stop: whether to end once no other root move can get more visits.

        Returns:
            Simulations done and seconds spent.
        """
        started = time.monotonic()
        done = 0
        self.begin(budget.simulations)
        try:
            while True:
                chunk = self._next_chunk(budget, done, time.monotonic() - started)
                if chunk <= 0:
                    break
                done += self._do(chunk, _NO_LIMIT if budget.simulations is None else budget.simulations - done)
                seconds = time.monotonic() - started
                with self._threads.at_rest() if self._threads is not None else nullcontext():
                    if on_progress:
                        on_progress(done, seconds)
                    is_decided = early_stop and self.is_decided(budget, done, seconds)
                if is_decided or (stop is not None and stop.is_set()):
                    break
        finally:
            if self._threads is not None:
                done += self._threads.stop()
        return done, time.monotonic() - started

    def _do(self, simulations: int, most: int) -> int:
        """Do at least so many simulations, but no more than `most`; return how many."""
        if self._stepper is None:
            return self._run_chunk(simulations)
        if self._threads is None or self._on_root_is_due or not self.tree.children(ROOT):
            return self._run_batches(self._stepper, simulations, most)
        if not self._threads.is_running:
            self._threads.start(most)
        return self._threads.advance(simulations)

    def begin(self, simulations: int | None) -> None:
        """Prepare for a number of simulations from the present root; None = not known how many.

        `run` calls this, and so does `miai.engine.search.lockstep`.
        """
        has_children = bool(self.tree.children(ROOT))
        planned = simulations or 0
        for workspace in self._workspaces:
            workspace.record["planned"] = planned
        if self.batch is not None:  # where the first simulation goes no further than to the root
            self.batch.workspaces["planned"] = planned if has_children else max(0, planned - 1)
        self._on_root_is_due = self.on_root is not None
        if has_children:
            self._selection.begin_search(self.tree.record, self._workspaces[0].record, self.settings.selection)
            self._call_on_root()
        if self._stepper is not None:
            self._stepper.begin(0)

    def step(self, simulations: int) -> int:
        """Do so many simulations after `begin`, for programs that watch a search; return how many were done."""
        if self._stepper is None:
            return self._run_chunk(simulations)
        return self._run_batches(self._stepper, simulations, simulations)

    def _call_on_root(self) -> None:
        """Call `on_root` if that is still due and the root has children."""
        if self._on_root_is_due and self.on_root is not None and (children := self.tree.children(ROOT)):
            self._on_root_is_due = False
            self.on_root(self.tree, children)

    def _next_chunk(self, budget: Budget, done: int, seconds: float) -> int:
        chunk = CHUNK * len(self._workspaces) if self.batch is None else BATCH_CHUNK
        if self._threads is not None:
            chunk = _NO_LIMIT if done else 1
        if self._on_root_is_due:
            chunk = 1
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        if budget.seconds is not None:
            left = budget.seconds - seconds
            if left <= 0 and done > 0:
                return 0
            if done > 0:
                chunk = min(chunk, max(1, int(left * done / max(seconds, 1e-6))))
            elif self.batch is None:
                chunk = min(chunk, FIRST_CHUNK * len(self._workspaces))
        return min(chunk, max(_MOST_VISITS - int(self.tree["visits"][ROOT]), 0 if done else 1))

    @property
    def _full_at(self) -> int:
        return int(_FULL * self.tree.capacity)

    @property
    def maintain_at(self) -> int:
        """The number of nodes from which on `maintain` has something to do."""
        return 0 if self._on_root_is_due else self._full_at

    def maintain(self, num_nodes: int) -> None:
        """Call `on_root` if that is due, and make room if the tree, with so many nodes, is full; after simulations."""
        self._call_on_root()
        if num_nodes >= self._full_at:
            self._compact(ROOT, full_threshold(self.tree))

    def _run_batches(self, stepper: Stepper, simulations: int, most: int) -> int:
        """Do batches until there are so many simulations, but no more than `most`; return how many."""
        done = 0
        while done < simulations:
            done += int(stepper.step(np.array([most - done]))[0])
        return done

    def _run_chunk(self, simulations: int) -> int:
        budget = np.array([simulations], dtype=np.int64)
        settings = self.settings

        def run_with(workspace: Workspace) -> int:
            return int(
                self._run(
                    self.tree.record, workspace.record, settings.parameters, settings.selection, settings.backup, budget
                )
            )

        if self._pool is None:
            done = run_with(self._workspaces[0])
        else:
            threads = [self._pool.submit(run_with, workspace) for workspace in self._workspaces]
            if any(thread.exception() for thread in wait(threads, return_when=FIRST_EXCEPTION).done):
                budget[0] = 0  # a rule failed: the others are to end before anything is cleared
                wait(threads)
            done = sum(thread.result() for thread in threads)
        self.maintain(self.tree.num_nodes)
        return done

    def is_decided(self, budget: Budget, done: int, seconds: float) -> bool:
        """Tell whether the move to play is clear: the only one, out of reach in visits, or dominating the others."""
        if budget.simulations is None and budget.seconds is None:
            return False
        children = self.tree.children(ROOT)
        if len(children) < 2:
            return True
        stop_probability = self.settings.parameters.stop_probability
        if stop_probability > 0.0 and self._selection.policy is not None:
            return bool(np.sort(self.policy(ROOT))[-2] < stop_probability)
        if self._parts.final not in ("visits", "lcb") or self._selection.ties_by_policy:
            return False
        visits = np.sort(self.tree["visits"][children.start : children.stop])
        left = float("inf")
        if budget.simulations is not None:
            left = budget.simulations - done
        if budget.seconds is not None and done >= SPEED_KNOWN_AT:
            left = min(left, (budget.seconds - seconds) * done / max(seconds, 1e-6))
        if visits[-1] - visits[-2] <= left:
            return False
        return self._parts.final == "visits" or bool(self.tree["visits"][self.root_order()[0]] == visits[-1])

    def policy(self, node: int) -> np.ndarray:
        """Return the search policy at a node, float64 [children].

        The rule must have a search policy, and the node children.
        """
        assert self._selection.policy is not None
        workspace = self._workspaces[0].record
        self._selection.policy(self.tree.record, node, self.settings.selection, workspace)
        return np.array(workspace["policy"][: len(self.tree.children(node))])

    def win_rates(self, nodes: Sequence[int]) -> np.ndarray:
        """Return the expected results of nodes, 0 to 1, for the player who moves at their parent, float64 [nodes]."""
        rows = np.array(nodes, dtype=np.int64)
        if self._selection.kind == "wdl":  # known before the first visit
            return payoffs(self.tree, rows, SearchParameters())
        name = "outcome" if self._selection.kind == "points" else "value"
        return np.where(self.tree["visits"][rows] > 0, self.tree[name][rows].astype(np.float64), 0.0)

    def root_order(self) -> list[int]:
        """Return the root's children, best first by the final-move rule."""
        children = self.tree.children(ROOT)
        return order_moves(
            self.tree,
            children,
            self._parts.final,
            self.settings.parameters,
            self._selection.ties_by_policy,
            lambda: self.policy(ROOT),
            lambda: self.win_rates(children),
        )

    def variations(self, nodes: Sequence[int], longest: int = 30) -> list[list[int]]:
        """Return for each node it and the nodes of best play behind it, while they have been visited."""
        lines = np.empty((len(nodes), longest), dtype=np.int64)
        lengths = np.empty(len(nodes), dtype=np.int64)
        follow_best(self.tree.record, np.array(nodes, dtype=np.int64), lines, lengths)
        return [line[:length] for line, length in zip(lines.tolist(), lengths.tolist(), strict=True)]

    def close(self) -> None:
        """Release the threads."""
        if self._pool is not None:
            self._pool.shutdown()
        if self._threads is not None:
            self._threads.close()
