"""The games of a tuning on a Ray cluster; miai and the opponent must be installed on all its machines."""

import tempfile
from concurrent.futures import Future
from pathlib import Path

import ray
from ray.exceptions import RayError, RayTaskError

from miai.engine.ray_cluster import connect, count_processors
from miai.experiments.running.workers import PiecesFailed
from miai.tuning.tables import GameJob, GameReport, TuningTable

_MAX_LOSSES = 20
"""How often a game may be lost with its machine."""
_table: list[TuningTable] = []
"""That of this process of the cluster."""


class RayTables:
    """As many tables as the cluster has processors for when it is joined."""

    def __init__(self, address: str, threads: int) -> None:
        """Join a cluster: `auto`, `local` for one of this machine that ends with the program, or `HOST:PORT`.

        Raises:
            WorkersFailed: if there is none.
        """
        connect(address, PiecesFailed)
        self._threads = threads
        self.num_tables = max(1, count_processors() // threads)

    def submit(self, job: GameJob) -> "Future[GameReport]":
        """Have a game played; one that is lost with its machine is played again."""
        return _play.options(num_cpus=self._threads).remote(job).future()

    def report_of(self, future: "Future[GameReport]") -> GameReport:
        """Return a finished game.

        Raises:
            WorkersFailed: if it failed by an error, or was lost again and again.
        """
        try:
            return future.result()
        except RayTaskError as error:
            raise PiecesFailed(str(error.cause)) from error
        except RayError as error:
            raise PiecesFailed(f"a game was lost {_MAX_LOSSES} times, at last by {error}") from error

    def close(self) -> None:
        """End all games at once."""
        ray.shutdown()


@ray.remote(max_retries=_MAX_LOSSES)
def _play(job: GameJob) -> GameReport:
    if not _table:
        _table.append(TuningTable(Path(tempfile.mkdtemp(prefix="miai-tune-"))))
    return _table[0].play(job)
