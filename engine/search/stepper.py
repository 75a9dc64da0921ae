"""One batch of one search, or of many: descend to leaves, have them evaluated, carry the results to the roots."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.search.batches import COUNTS_DTYPE

if TYPE_CHECKING:
    from engine.search.search import Search


class Stepper:
    """Steps searches of the same parts; compiled code is called once for all of them."""

    def __init__(self, searches: "Sequence[Search]", evaluate: Callable[..., None]) -> None:
        """Bring searches together.

        Args:
            searches: each with a batch. The parameters of the rules are those of the first.
            evaluate: `evaluate(*works)`, see `engine.search.search.Batch`.
        """
        self._searches = searches
        self._evaluate = evaluate
        self._works = [search.batch.works for search in searches if search.batch is not None]
        self._most = np.array([len(works) for works in self._works], dtype=np.int64)
        self._places = np.array([works.ctypes.data for works in self._works], dtype=np.uint64)
        self.counts = np.zeros(1, dtype=COUNTS_DTYPE)
        """Of all batches up to now, an array of one record."""

    def step(self, left: np.ndarray) -> np.ndarray:
        """Do one batch of every search that has simulations left.

        Args:
            left: int64 [searches], the most simulations that each may do; 0 = leave it out.

        Returns:
            int64 [searches]: how many each did, at least one.
        """
        done = np.zeros(len(left), dtype=np.int64)
        which = np.flatnonzero(left).tolist()
        if not which:
            return done
        first = self._searches[which[0]]
        batch, batches, settings = first.batch, first.batches, first.settings
        assert batch is not None and batches is not None
        gather = batches.gather
        if batch.batching == "waves" and batches.gather_wave is not None:
            gather = batches.gather_wave
        numbers = np.minimum(left, self._most)[which]
        works = [self._works[index][:number] for index, number in zip(which, numbers, strict=True)]
        trees = np.array([self._searches[index].tree.address for index in which], dtype=np.uint64)
        where = (trees, self._places[which], numbers, self._works[0])
        gather(*where, settings.selection, batch.virtual_loss, self.counts)
        self._evaluate(*works)
        found, num_nodes = np.empty_like(numbers), np.empty_like(numbers)
        batches.absorb(*where, settings.backup, found, num_nodes)
        for index, number in zip(which, num_nodes, strict=True):
            self._searches[index].settle(number)
        done[which] = found
        return done
