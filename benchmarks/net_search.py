"""Whole searches with a network, beside the network alone: lines of `miai bench net`."""

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np

from miai.benchmarks.figures import Figure
from miai.engine.go.game import Game
from miai.engine.search.backup.mean import mean
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.search import BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.nets.config import NetConfig
from miai.nets.evaluator import NET_DOMAIN, NetEvaluator, load_recent, new_leaves
from miai.nets.inference import Backend
from miai.nets.planes import num_planes

_SIZE = 9
_MEMORY = 32 << 20
_GAMES = 32
_SEARCHES = (("puct", "virtual-loss", 8), ("puct", "virtual-loss", 32), ("esprit", "waves", 32))
"""Selection rule, how leaves are found, and how many at once."""


class _Searches:
    """Some searches with one evaluator; every round begins at other positions, which are in no cache."""

    def __init__(
        self,
        config: NetConfig,
        backend: Backend,
        number: int,
        select: str,
        batching: str,
        leaves: int,
        threads: int = 1,
    ) -> None:
        self.config = config
        backend.prepare(_SIZE, leaves)
        self.evaluator = NetEvaluator(config, backend, _SIZE)
        self._workspaces = [new_leaves(_SIZE, threads * leaves) for _ in range(number)]
        parts = Parts(NET_DOMAIN, SELECTION_RULES[select], mean)
        self.searches = [
            Search(
                parts,
                [workspace],
                _MEMORY,
                BatchEvaluation(workspace.records, self.evaluator, batching, threads=threads),
            )
            for workspace in self._workspaces
        ]
        self._num_begun = 0

    def begin(self) -> None:
        """Load fresh positions of two moves."""
        for search, workspace in zip(self.searches, self._workspaces, strict=True):
            game = Game(_SIZE)
            for place in divmod(self._num_begun, 80):
                game.play(game.to_play, game.legal_points(game.to_play)[place])
            self._num_begun += 1
            search.clear()
            workspace.load(game, game.to_play)
            load_recent(workspace, game)


def _measure(
    name: str,
    searches: _Searches,
    search: Callable[[int], None],
    backend: Backend,
    batch: int,
    seconds: float,
    rounds: int,
) -> Iterator[Figure]:
    """Search and evaluate as large batches in turn, so that what disturbs one disturbs the other as well.

    Rates are evaluations a second of CPU time, the fastest of some rounds; the fraction is the median of the rounds'.
    """
    planes = np.zeros((batch, num_planes(searches.config.planes), _SIZE, _SIZE), dtype=np.float32)

    def time_network(evaluations: int) -> float:
        number = max(1, evaluations // batch)
        start = time.process_time()
        for _ in range(number):
            backend.evaluate(planes)
        return batch * number / (time.process_time() - start)

    def time_search(simulations: int) -> float:
        searches.begin()
        before = searches.evaluator.num_evaluated
        start = time.process_time()
        search(simulations)
        return (searches.evaluator.num_evaluated - before) / (time.process_time() - start)

    time_search(64)  # compiles
    number = len(searches.searches)
    simulations = max(100, round(time_search(64) * 0.5 * seconds / rounds / number))
    pairs = [(time_search(simulations), time_network(number * simulations)) for _ in range(rounds)]
    yield Figure(name, max(rate for rate, _ in pairs), "/s")
    yield Figure(f"{name}.share", statistics.median(rate / raw for rate, raw in pairs), "of the network alone")


def measure_searches(config: NetConfig, backend: Backend, seconds: float, rounds: int) -> Iterator[Figure]:
    """Measure `net.search.<configuration>.<backend>.<way>` in evaluations per second, and relative to the network."""
    name = f"net.search.{config.name}.{backend.name}"
    for select, batching, leaves in _SEARCHES:
        one = _Searches(config, backend, 1, select, batching, leaves)

        def search(simulations: int, search: Search = one.searches[0]) -> None:
            search.run(Budget(simulations), early_stop=False)

        yield from _measure(f"{name}.{select}.{batching}{leaves}", one, search, backend, leaves, seconds, rounds)
    many = _Searches(config, backend, _GAMES, "puct", "virtual-loss", 1)
    run = Lockstep(many.searches, many.evaluator).run
    yield from _measure(f"{name}.puct.lockstep{_GAMES}", many, run, backend, _GAMES, seconds, rounds)


def measure_threads(config: NetConfig, one: Backend, two: Backend, seconds: float, rounds: int) -> Iterator[Figure]:
    """Measure `net.speedup.<configuration>.<backend>.2threads`: simulations a second of the clock, against one thread.

    The median of the rounds, in each of which both search the same positions.
    """
    pair = [_Searches(config, backend, 1, *_SEARCHES[0], threads) for threads, backend in ((1, one), (2, two))]

    def rate(searches: _Searches, simulations: int) -> float:
        searches.begin()
        done, spent = searches.searches[0].run(Budget(simulations), early_stop=False)
        return done / spent

    for searches in pair:
        rate(searches, 2000)  # compiles, for batches of all lengths
    simulations = [max(100, round(rate(searches, 200) * seconds / rounds)) for searches in pair]
    rates = [[rate(*one) for one in zip(pair, simulations, strict=True)] for _ in range(rounds)]
    figure = f"net.speedup.{config.name}.{one.name}.2threads"
    yield Figure(figure, statistics.median(two / one for one, two in rates), "x")
