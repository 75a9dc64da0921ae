"""Many searches in lockstep: all gather their leaves, one evaluation serves them all, all absorb.

For evaluators that take little longer for many positions than for one. Each search keeps its own root, tree and
budget; whoever plays games with them gives a search its next root while the others go on:

    lockstep = Lockstep(searches, evaluate)
    for index in range(len(searches)):
        lockstep.begin(index, simulations)
    while lockstep.is_searching:
        for index in lockstep.step():
            ...  # play the search's move; load the next position, of this game or of a new one
            lockstep.begin(index, simulations)
"""

from collections.abc import Callable, Sequence

from engine.search.search import Search


class Lockstep:
    """Searches that are evaluated together."""

    def __init__(self, searches: Sequence[Search], evaluate: Callable[..., None]) -> None:
        """Bring searches together.

        Args:
            searches: whose leaves are evaluated in batches, each with working spaces of its own, as many as it is to
                contribute leaves to a step. Their number is fixed, their roots are not.
            evaluate: `evaluate(*works)`, what `engine.search.search.Batch.evaluate` is for one search, for several.
        """
        self._searches = searches
        self._evaluate = evaluate
        self._left = [0] * len(searches)

    @property
    def is_searching(self) -> bool:
        """Whether any search has simulations left."""
        return any(self._left)

    def begin(self, index: int, simulations: int) -> None:
        """Let a search do so many simulations from its root, which was loaded before."""
        self._searches[index].begin(simulations)
        self._left[index] = simulations

    def step(self) -> list[int]:
        """Take one batch of each search under way; return the indices of those that are done with it."""
        gathered = [(index, self._searches[index].gather(left)) for index, left in enumerate(self._left) if left > 0]
        if gathered:
            self._evaluate(*(works for _, works in gathered))
        for index, works in gathered:
            self._left[index] -= self._searches[index].absorb(works)
        return [index for index, _ in gathered if self._left[index] == 0]

    def run(self, simulations: int | Sequence[int]) -> None:
        """Let every search do so many simulations, or each as many as are given for it."""
        each = [simulations] * len(self._searches) if isinstance(simulations, int) else simulations
        for index, number in enumerate(each):
            self.begin(index, number)
        while self.is_searching:
            self.step()
