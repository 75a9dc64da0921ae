"""Many searches in lockstep: all select leaves, one evaluation serves them all, all expand and back up.

For evaluators that take little longer for many positions than for one. Each search keeps its own root, tree and
budget; the caller gives a search its next root while the others go on:

    lockstep = Lockstep(searches, evaluate)
    for index in range(len(searches)):
        lockstep.begin(index, simulations)
    while lockstep.is_searching:
        for index in lockstep.step():
            ...  # play the search's move; load the next position, of this game or of a new one
            lockstep.begin(index, simulations)
"""

from collections.abc import Callable, Sequence

import numpy as np

from miai.engine.search.batch_stepper import Stepper
from miai.engine.search.batched_search import LeafBatches
from miai.engine.search.search import Budget, Search


class Lockstep:
    """Searches that are evaluated together."""

    def __init__(self, searches: Sequence[Search], evaluate: Callable[[LeafBatches], None]) -> None:
        """Bring searches together.

        Args:
            searches: of the same parts, whose leaves are evaluated in batches; each has workspaces of its own, as
                many as it is to contribute leaves to a step. The rules' parameters are the first's.
            evaluate: as `miai.engine.search.search.BatchEvaluation.evaluate`, for the leaves of all of them.

        Raises:
            ValueError: if searches have different parts, or evaluate their leaves otherwise.
        """
        if searches[0].batches is None or any(search.batches is not searches[0].batches for search in searches):
            raise ValueError("searches in lockstep need the same domain and rules, and leaves evaluated in batches")
        self._searches = searches
        self._stepper = Stepper(searches, evaluate)
        self._left = np.zeros(len(searches), dtype=np.int64)
        self.done = np.zeros(len(searches), dtype=np.int64)
        """Simulations that each search has done since it began."""

    @property
    def is_searching(self) -> bool:
        """Whether any search has simulations left."""
        return bool(self._left.any())

    def begin(self, index: int, simulations: int) -> None:
        """Let a search do so many simulations from its root, which was loaded before."""
        self._searches[index].begin(simulations)
        self._stepper.begin(index)
        self._left[index] = simulations
        self.done[index] = 0

    def stop(self, index: int) -> None:
        """Let a search do no more simulations; what it found stays."""
        self._left[index] = 0

    def stop_decided(self) -> list[int]:
        """Stop the searches whose best move nothing can overtake any more; return their indices."""
        decided = [
            index
            for index in np.flatnonzero(self._left).tolist()
            if self._searches[index].is_decided(Budget(int(self._left[index])), 0, 0.0)
        ]
        self._left[decided] = 0
        return decided

    def step(self) -> list[int]:
        """Take one batch of each search under way; return the indices of those that are done with it."""
        if not self.is_searching:
            return []
        was_searching = self._left > 0
        done = self._stepper.step(self._left)
        self._left -= done
        self.done += done
        return np.flatnonzero(was_searching & (self._left == 0)).tolist()

    def run(self, simulations: int | Sequence[int]) -> None:
        """Let every search do so many simulations, or each as many as are given for it."""
        each = [simulations] * len(self._searches) if isinstance(simulations, int) else simulations
        for index, number in enumerate(each):
            self.begin(index, number)
        while self.is_searching:
            self.step()
