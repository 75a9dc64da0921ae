"""The games of a tuning on a Ray cluster; miai and the opponent must be installed on all its machines."""

import functools
import tempfile
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from miai.engine.ray_cluster import connect, count_processors
from miai.experiments.running.workers import PiecesFailed
from miai.tuning.tables import GameJob, GameReport, TuningTable

_MAX_LOSSES = 20
"""How often a game may be lost with its machine."""


class RayTables:
    """As many tables as the cluster has processors for when it is joined."""

    def __init__(
        self, address: str, threads: int, play: Callable[[Any], Any], check: Callable[[Any], None] | None = None
    ) -> None:
        """Join a cluster.

        Args:
            address: `auto`, `local` for one of this machine that ends with the program, or `HOST:PORT`.
            threads: that a job takes.
            play: does a job.
            check: makes sure, on this machine, that jobs can be done.

        Raises:
            PiecesFailed: if there is none.
        """
        connect(address, PiecesFailed)
        self._threads = threads
        self._check = check
        self._task = ray.remote(max_retries=_MAX_LOSSES)(play)
        self.num_tables = max(1, count_processors() // threads)

    def check(self, job: Any) -> None:
        """Make sure that jobs can be done."""
        if self._check:
            self._check(job)

    def submit(self, job: Any) -> "Future[Any]":
        """Have a job done; one that is lost with its machine is done again."""
        return self._task.options(num_cpus=self._threads).remote(job).future()

    def report_of(self, future: "Future[Any]") -> Any:
        """Return what was played.

        Raises:
            PiecesFailed: if it failed by an error, or was lost again and again.
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


def play_game(job: GameJob) -> GameReport:
    """Play a game with the engines of this process of the cluster."""
    return _table()[0].play(job)


@functools.cache
def _table() -> "tuple[TuningTable, tempfile.TemporaryDirectory[str]]":
    """Return the table of this process and its folder, which is gone when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="miai-tune-")
    return TuningTable(Path(folder.name)), folder
