"""Whole searches with a network, beside the network alone: lines of `miai bench net`."""

import time
from collections.abc import Callable, Iterator

from benchmarks.figures import Figure
from engine.go.game import Game
from engine.search.backup import MEAN
from engine.search.lockstep import Lockstep
from engine.search.search import Batch, Budget, Parts, Search
from engine.search.selection import SELECTION_RULES
from nets.config import NetConfig
from nets.evaluator import NET_DOMAIN, NetEvaluator, load_recent, new_leaves
from nets.inference import Backend

_SIZE = 9
_MEMORY = 32 << 20
_GAMES = 32
_SEARCHES = (("puct", "virtual-loss", 8), ("puct", "virtual-loss", 32), ("esprit", "waves", 32))
"""Selection rule, how leaves are found, and how many at once."""


class _Searches:
    """Some searches with one evaluator; every round begins at other positions, which are in no cache."""

    def __init__(
        self, config: NetConfig, backend: Backend, number: int, select: str, batching: str, leaves: int
    ) -> None:
        self.evaluator = NetEvaluator(config, backend, _SIZE)
        self._works = [new_leaves(_SIZE, leaves) for _ in range(number)]
        parts = Parts(NET_DOMAIN, SELECTION_RULES[select], MEAN)
        self.searches = [
            Search(parts, [work], _MEMORY, Batch(work.records, self.evaluator, batching)) for work in self._works
        ]
        self._num_begun = 0

    def begin(self) -> None:
        """Load fresh positions of two moves."""
        for search, work in zip(self.searches, self._works, strict=True):
            game = Game(_SIZE)
            for place in divmod(self._num_begun, 80):
                game.play(game.to_play, game.legal_points(game.to_play)[place])
            self._num_begun += 1
            search.clear()
            work.load(game, game.to_play)
            load_recent(work, game)


def _fastest_evaluations(searches: _Searches, search: Callable[[int], None], seconds: float, rounds: int) -> float:
    """Return evaluations a second of CPU time in the fastest of some rounds, of equally many simulations."""

    def time_search(simulations: int) -> float:
        searches.begin()
        before = searches.evaluator.num_evaluated
        start = time.process_time()
        search(simulations)
        return (searches.evaluator.num_evaluated - before) / (time.process_time() - start)

    time_search(64)  # compiles
    rate = time_search(64)
    simulations = max(200, round(rate * seconds / rounds / len(searches.searches)))
    return max(time_search(simulations) for _ in range(rounds))


def measure_searches(
    config: NetConfig, backend: Backend, raw_rates: dict[int, float], seconds: float, rounds: int
) -> Iterator[Figure]:
    """Measure `net.search.<configuration>.<backend>.<way>` in evaluations per second, and its share of the network's.

    Args:
        raw_rates: evaluations per second of the network alone, by how many positions it evaluates at once.
    """
    name = f"net.search.{config.name}.{backend.name}"
    for select, batching, leaves in _SEARCHES:
        one = _Searches(config, backend, 1, select, batching, leaves)

        def search(simulations: int, search: Search = one.searches[0]) -> None:
            search.run(Budget(simulations), early_stop=False)

        rate = _fastest_evaluations(one, search, seconds, rounds)
        yield from _figures(f"{name}.{select}.{batching}{leaves}", rate, raw_rates[leaves])
    many = _Searches(config, backend, _GAMES, "puct", "virtual-loss", 1)
    lockstep = Lockstep(many.searches, many.evaluator)
    rate = _fastest_evaluations(many, lockstep.run, seconds, rounds)
    yield from _figures(f"{name}.puct.lockstep{_GAMES}", rate, raw_rates[_GAMES])


def _figures(name: str, rate: float, raw_rate: float) -> Iterator[Figure]:
    yield Figure(name, rate, "/s")
    yield Figure(f"{name}.share", rate / raw_rate, "of the network's rate")
