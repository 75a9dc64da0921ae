"""Search: a tree, its threads and its budget. Knows no game."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.search.rules import BackupRule, SelectionRule
from engine.search.simulate import DomainFunctions, SearchParameters, compose_simulations
from engine.search.tree import ROOT, Tree, bytes_per_node, copy_subtree, full_threshold

CHUNK = 250
"""Simulations of each thread between two looks at the clock and at whether the search may stop."""


class Work(Protocol):
    """A thread's working space; see `engine.search.rules.work_fields`."""

    record: Any


@dataclass
class Budget:
    """Whatever ends a search first; None = no such limit."""

    simulations: int | None = None
    """Simulations to do, exactly unless something else ends the search."""
    seconds: float | None = None


@dataclass(frozen=True)
class Parts:
    """The parts that make a search."""

    domain: DomainFunctions
    selection: SelectionRule
    backup: BackupRule


@dataclass
class Settings:
    """Numbers that may change between two searches."""

    parameters: SearchParameters
    selection: Any
    backup: Any


class Search:
    """A tree that is searched, reported on, and carried from one root to the next."""

    def __init__(self, parts: Parts, works: Sequence[Work], memory: int) -> None:
        """Reserve the tree.

        Args:
            parts: what the search is made of.
            works: one working space a thread, with the root loaded before each `run`.
            memory: bytes for the tree, of which half is needed to carry it over to a new root.
        """
        self._parts = parts
        self._works = works
        self.settings = Settings(SearchParameters(), parts.selection.defaults, parts.backup.defaults)
        self._run = compose_simulations(parts.domain, parts.selection, parts.backup)
        columns = {*parts.domain.columns, *parts.selection.columns, *parts.backup.columns}
        capacity = max(1024, memory // (2 * bytes_per_node(len(columns))))
        self.tree = Tree(capacity, sorted(columns))
        self._spare = Tree(capacity, sorted(columns))
        self._pool = ThreadPoolExecutor(len(works)) if len(works) > 1 else None

    def clear(self) -> None:
        """Forget the tree."""
        self.tree.clear()

    def advance(self, move: int) -> bool:
        """Make the child by `move` the root and keep its subtree; forget all if there is no such child."""
        for child in self.tree.children(ROOT):
            if self.tree["move"][child] == move:
                self._compact(child, 0)
                return True
        self.clear()
        return False

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
        while True:
            chunk = self._next_chunk(budget, done, time.monotonic() - started)
            if chunk <= 0:
                break
            done += self._run_chunk(chunk)
            seconds = time.monotonic() - started
            if on_progress:
                on_progress(done, seconds)
            if stop is not None and stop.is_set():
                break
            if self.tree.num_nodes >= self.tree.capacity * 0.98:
                self._compact(ROOT, full_threshold(self.tree))
            if early_stop and self._is_decided(budget, done, seconds):
                break
        return done, time.monotonic() - started

    def _next_chunk(self, budget: Budget, done: int, seconds: float) -> int:
        chunk = CHUNK * len(self._works)
        if budget.simulations is not None:
            chunk = min(chunk, budget.simulations - done)
        if budget.seconds is not None:
            left = budget.seconds - seconds
            if left <= 0 and done > 0:
                return 0
            if done > 0:
                chunk = min(chunk, max(1, int(left * done / max(seconds, 1e-6))))
        return chunk

    def _run_chunk(self, simulations: int) -> int:
        budget = np.array([simulations], dtype=np.int64)
        settings = self.settings

        def run_with(work: Work) -> int:
            return int(
                self._run(
                    self.tree.record, work.record, settings.parameters, settings.selection, settings.backup, budget
                )
            )

        if self._pool is None:
            return run_with(self._works[0])
        return sum(self._pool.map(run_with, self._works))

    def _is_decided(self, budget: Budget, done: int, seconds: float) -> bool:
        """Tell whether the rest of the budget is too small for another root move to be visited most."""
        if budget.simulations is None and budget.seconds is None:
            return False
        children = self.tree.children(ROOT)
        if len(children) < 2:
            return True
        visits = np.sort(self.tree["visits"][children.start : children.stop])
        left = float("inf")
        if budget.simulations is not None:
            left = budget.simulations - done
        if budget.seconds is not None:
            left = min(left, (budget.seconds - seconds) * done / max(seconds, 1e-6))
        return bool(visits[-1] - visits[-2] > left)

    def root_order(self) -> list[int]:
        """Return the root's children, best first: most visits, then greatest value."""
        tree = self.tree
        return sorted(tree.children(ROOT), key=lambda child: (-tree["visits"][child], -tree["value"][child], child))

    def variation(self, node: int, longest: int = 30) -> list[int]:
        """Return `node` and the nodes of best play behind it, while they have been visited."""
        tree = self.tree
        line = [node]
        while len(line) < longest:
            children = tree.children(line[-1])
            if not children:
                break
            best = max(children, key=lambda child: (tree["visits"][child], tree["value"][child]))
            if tree["visits"][best] == 0:
                break
            line.append(best)
        return line

    def close(self) -> None:
        """Release the threads."""
        if self._pool is not None:
            self._pool.shutdown()
