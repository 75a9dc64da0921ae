"""One batch of one search, or of many: descend to leaves, have them evaluated, carry the results to the roots."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from miai.engine.search.batched_search import COUNTS_DTYPE, LeafBatches


class BatchedSearch(Protocol):
    """What a `Stepper` needs of a search; see `miai.engine.search.search.Search`."""

    tree: Any
    batch: Any
    batches: Any
    settings: Any

    @property
    def maintain_at(self) -> int:
        """The number of nodes from which on `maintain` is needed."""

    def maintain(self, num_nodes: int) -> None:
        """Take note of the size of the tree, and make room in it when it is full."""


class Stepper:
    """Steps searches of the same parts; compiled code is called once for all of them."""

    def __init__(self, searches: Sequence[BatchedSearch], evaluate: Callable[[LeafBatches], None]) -> None:
        """Bring searches together.

        Args:
            searches: each with a batch. The parameters of the rules are those of the first.
            evaluate: see `miai.engine.search.search.BatchEvaluation`.
        """
        self._searches = searches
        self._evaluate = evaluate
        batches = [search.batch for search in searches if search.batch is not None]
        workspaces = [batch.workspaces for batch in batches]
        self._most = np.array([len(batch.workspaces) // batch.threads for batch in batches], dtype=np.int64)
        addresses = np.array([one.ctypes.data for one in workspaces], dtype=np.uint64)
        self._leaf_batches = LeafBatches(workspaces, addresses, np.zeros_like(self._most))
        self._trees = np.zeros_like(addresses)
        self._maintain_at = np.zeros_like(self._most)
        self._done, self._num_nodes = np.zeros_like(self._most), np.zeros_like(self._most)
        self.counts = np.zeros(1, dtype=COUNTS_DTYPE)
        """Of all batches up to now, an array of one record."""
        for index in range(len(searches)):
            self.begin(index)

    def begin(self, index: int) -> None:
        """Read where the tree of a search lies; that changes only when a search begins or moves its root."""
        self._trees[index] = self._searches[index].tree.address
        self._maintain_at[index] = self._searches[index].maintain_at

    def step(self, left: np.ndarray) -> np.ndarray:
        """Do one batch of every search that has simulations left, all of which `begin` has seen.

        After a network all that a step touches comes from far away, so that a step touches little.

        Args:
            left: int64 [searches], the most simulations that each may do; 0 = leave it out.

        Returns:
            int64 [searches]: how many each did, at least one; the next step overwrites it.
        """
        first, leaf_batches = self._searches[0], self._leaf_batches
        batch, batches, settings = first.batch, first.batches, first.settings
        assert batch is not None and batches is not None
        np.minimum(left, self._most, out=leaf_batches.lengths)
        select_leaves = batches.select(batch.batching)
        where = self._trees, leaf_batches.addresses, leaf_batches.lengths, leaf_batches.workspaces[0]
        select_leaves(*where, settings.selection, batch.virtual_loss, batch.visits_per_leaf, self.counts)
        self._evaluate(leaf_batches)
        batches.expand_and_back_up(*where, settings.backup, self._done, self._num_nodes)
        for index in np.flatnonzero(self._num_nodes >= self._maintain_at).tolist():
            self._searches[index].maintain(int(self._num_nodes[index]))
            self.begin(index)
        return self._done
