"""Processes of this machine that play games, one game after the other, and a driver that hands out the numbers."""

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from miai.engine.processes import begin_work
from miai.players.options import PlayerOptions
from miai.selfplay.generation.generator import FinishedGame
from miai.selfplay.generation.player_generator import make_generator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

_MAX_DEATHS = 5
"""Workers that may die in a row without a game between."""


class WorkersFailed(Exception):
    """Nobody can play the games; the text tells why."""


class _Worker:
    """A process and what it is playing."""

    def __init__(self, options: PlayerOptions, recipe: SelfPlayRecipe) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_work, args=(theirs, options, recipe), daemon=True)
        self.process.start()
        theirs.close()
        self.numbers: set[int] = set()
        """Games under way."""

    def assign(self, number: int | None) -> None:
        """Let it play a game; None = no further one."""
        if number is not None:
            self.numbers.add(number)
        with contextlib.suppress(OSError):  # it has died, which its connection will tell
            self.connection.send(number)

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


class LocalWorkers:
    """Plays games on several cores."""

    def __init__(self, options: PlayerOptions, recipe: SelfPlayRecipe, processes: int) -> None:
        self._options = options
        self._recipe = recipe
        self._num_processes = processes

    def play(self, numbers: Iterable[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished. What a worker was playing when it died is played again.

        Raises:
            WorkersFailed: if they fail by an error, or die again and again.
        """
        waiting = deque(numbers)
        share = -(-len(waiting) // self._num_processes)
        workers = {
            worker.connection: worker
            for worker in (self._start(waiting, share) for _ in range(self._num_processes) if waiting)
        }
        num_deaths = 0
        try:
            while workers:
                for connection in wait(list(workers)):
                    worker = workers[connection]  # type: ignore[index]
                    try:
                        finished = worker.connection.recv()
                    except (EOFError, OSError):
                        del workers[worker.connection]
                        worker.close()
                        waiting.extendleft(worker.numbers)
                        num_deaths += bool(worker.numbers)
                        if num_deaths >= _MAX_DEATHS:
                            raise WorkersFailed(
                                f"{num_deaths} processes died in a row, the last with status {worker.process.exitcode}"
                            ) from None
                        if waiting:
                            worker = self._start(waiting, len(waiting))
                            workers[worker.connection] = worker
                        continue
                    if isinstance(finished, str):
                        raise WorkersFailed(finished)
                    num_deaths = 0
                    worker.numbers.discard(finished.number)
                    worker.assign(waiting.popleft() if waiting else None)
                    yield finished
        finally:
            for worker in workers.values():
                worker.close()

    def _start(self, waiting: deque[int], most: int) -> _Worker:
        """Start a process and give it its first games, at most so many."""
        worker = _Worker(self._options, self._recipe)
        for place in range(self._recipe.games_at_once):
            worker.assign(waiting.popleft() if waiting and place < most else None)
        return worker


def _work(connection: Connection, options: PlayerOptions, recipe: SelfPlayRecipe) -> None:
    """Play the games whose numbers come in, until None comes or the driver is gone."""
    begin_work()

    def numbers() -> Iterator[int]:
        while (number := connection.recv()) is not None:
            yield number

    with contextlib.suppress(EOFError, ConnectionError):
        try:
            for finished in make_generator(options, recipe).play(numbers()):
                connection.send(finished)
        except (EOFError, ConnectionError):
            raise
        except Exception as error:
            connection.send(f"{type(error).__name__}: {error}")
