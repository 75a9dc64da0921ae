"""Threads that search one tree in batches: while the leaves of some are evaluated, another descends.

Each thread fills a batch of its own, has it evaluated and backs it up. Only the evaluation runs at the same time as
anything else; whoever touches the tree holds a lock. A batch under way counts as lost along its paths, so that the
others look elsewhere (virtual loss, Chaslot et al. 2008); before anything is backed up or read, all of that is undone.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import numpy as np

from miai.engine.search.batch_stepper import BatchedSearch
from miai.engine.search.batched_search import LeafBatches

_LOOK_EVERY = 0.01
"""Seconds after which whoever waits for simulations may look at the clock."""


class BatchThreads:
    """The threads of one search: `start`, any number of `advance` and `at_rest`, and `stop`."""

    def __init__(self, search: BatchedSearch, evaluate: Callable[[LeafBatches], None], counts: np.ndarray) -> None:
        """Start no thread yet.

        Args:
            search: with a batch whose workspaces its `threads` share out.
            evaluate: see `miai.engine.search.search.BatchEvaluation`; several threads call it at once.
            counts: of all batches, `miai.engine.search.batched_search.COUNTS_DTYPE` [1].
        """
        assert search.batch is not None
        self._search = search
        self._evaluate = evaluate
        self._counts = counts
        parts = np.split(search.batch.workspaces, search.batch.threads)
        self._batches = [
            LeafBatches([part], np.array([part.ctypes.data], np.uint64), np.zeros(1, int)) for part in parts
        ]
        self._pool = ThreadPoolExecutor(len(parts))
        self._workers: list[Future[None]] = []
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        """That a thread has backed up, or that all are to end."""
        self._is_reached = threading.Condition(self._lock)
        """That there are as many simulations as wanted."""
        self._under_way: list[int] = []
        """Indices of the batches whose paths count as lost, in the order in which they began to."""
        self._is_full = False
        self._error: BaseException | None = None
        self._left = self._done = self._seen = self._wanted = 0

    @property
    def is_running(self) -> bool:
        """Whether `start` was called, and `stop` not yet."""
        return bool(self._workers)

    def start(self, most: int) -> None:
        """Begin to search, for at most so many simulations; the root has children."""
        self._left, self._done, self._seen = most, 0, 0
        self._is_full = False
        self._workers = [self._pool.submit(self._work, index) for index in range(len(self._batches))]

    def advance(self, simulations: int) -> int:
        """Wait a few milliseconds, or until there are so many simulations more; return how many more there are."""
        with self._lock:
            self._wanted = self._seen + simulations
            self._is_reached.wait_for(self._has_enough, _LOOK_EVERY)
            has_failed = self._error is not None
        return self.stop() if has_failed else self._take_new()

    def stop(self) -> int:
        """Wait until what is under way is backed up, and return how many simulations that added.

        Raises what a thread raised.
        """
        with self._lock:
            self._left = 0
            self._changed.notify_all()
        workers, self._workers = self._workers, []
        wait(workers)
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._take_new()

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Hold the threads off the tree, in which nothing counts as lost meanwhile."""
        with self._lock:
            self._undo_losses()
            try:
                yield
            finally:
                self._count_as_lost()

    def close(self) -> None:
        """Release the threads."""
        self._pool.shutdown()

    def _take_new(self) -> int:
        new, self._seen = self._done - self._seen, self._done
        return new

    def _has_enough(self) -> bool:
        return self._done >= self._wanted or (self._left <= 0 and not self._under_way)

    def _work(self, index: int) -> None:
        try:
            while self._select(index):
                self._evaluate(self._batches[index])
                self._back_up(index)
        except BaseException as error:
            with self._lock:
                self._error = error
                self._left = 0
                self._under_way.clear()  # the tree is lost anyhow
                self._is_full = False
                self._changed.notify_all()
                self._is_reached.notify()

    def _select(self, index: int) -> bool:
        """Fill a batch; tell whether there was anything left to search."""
        with self._lock:
            while True:
                self._changed.wait_for(lambda: not self._is_full)
                if self._left <= 0:
                    return False
                if found := self._descend(self._batches[index]):
                    self._left -= found
                    self._under_way.append(index)
                    self._count_as_lost(len(self._under_way) - 1)
                    return True
                self._changed.wait()  # all leaves are others'

    def _descend(self, batch: LeafBatches) -> int:
        """Descend to a batch's leaves, and return how many of its descents found one."""
        evaluation, functions = self._search.batch, self._search.batches
        assert evaluation is not None and functions is not None
        batch.lengths[0] = min(self._left, len(batch.workspaces[0]))
        before = self._num_found()
        functions.select(evaluation.batching)(
            self._trees(),
            *self._where(batch),
            self._search.settings.selection,
            evaluation.virtual_loss,
            evaluation.visits_per_leaf * len(self._batches),
            self._counts,
        )
        return self._num_found() - before

    def _num_found(self) -> int:
        return int(self._counts["leaves"][0] + self._counts["decided"][0])

    def _back_up(self, index: int) -> None:
        functions = self._search.batches
        assert functions is not None
        done, num_nodes = np.zeros(1, int), np.zeros(1, int)
        with self._lock:
            if index not in self._under_way:
                return  # another thread failed
            self._undo_losses()
            self._under_way.remove(index)
            where = self._where(self._batches[index])
            functions.expand_and_back_up(self._trees(), *where, self._search.settings.backup, done, num_nodes)
            self._count_as_lost()
            self._done += int(done[0])
            # nodes move when room is made: no path may be under way
            self._is_full = bool(num_nodes[0] >= self._search.maintain_at)
            if self._is_full and not self._under_way:
                self._search.maintain(int(num_nodes[0]))
                self._is_full = False
            self._changed.notify_all()
            if self._has_enough():
                self._is_reached.notify()

    def _trees(self) -> np.ndarray:
        return np.array([self._search.tree.address], np.uint64)

    def _where(self, batch: LeafBatches) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return batch.addresses, batch.lengths, batch.workspaces[0]

    def _count_as_lost(self, first: int = 0) -> None:
        """Count the batches under way from `first` on as lost."""
        evaluation, functions = self._search.batch, self._search.batches
        assert evaluation is not None and functions is not None
        for index in self._under_way[first:]:
            functions.count_as_lost(self._trees(), *self._where(self._batches[index]), evaluation.virtual_loss)

    def _undo_losses(self) -> None:
        """Undo `_count_as_lost` for all."""
        functions = self._search.batches
        assert functions is not None
        for index in reversed(self._under_way):
            functions.undo_losses(self._trees(), *self._where(self._batches[index]))
