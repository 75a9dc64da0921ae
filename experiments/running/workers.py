"""Who does the pieces of an experiment: processes of this machine, or a Ray cluster."""

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Protocol

from miai.experiments.running.pieces import ExperimentPlan, Results, run_timed


class PiecesFailed(Exception):
    """Pieces that nobody can do; the text tells why."""


class PieceWorkers(Protocol):
    """Does pieces of work, wherever."""

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece's number and results as it is done, in any order."""


class LocalPieceWorkers:
    """Processes of this machine; they end when the program that started them does, however that ends.

    They are not forked: a network that this process has used has threads, which would be missing in a copy of it, and
    so the copy would hang or break when it lets go of the network.
    """

    def __init__(self, num_processes: int) -> None:
        self._num_processes = num_processes

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece as it is done.

        Raises:
            WorkersFailed: if a process is killed.
        """
        if self._num_processes == 1:
            for piece in pieces:
                yield piece, run_timed(plan, piece)
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self._num_processes, context, initializer=_begin, initargs=(plan,)) as pool:
            futures = {pool.submit(_run_piece, piece): piece for piece in pieces}
            try:
                for future in as_completed(futures):
                    yield futures.pop(future), future.result()
            except BrokenProcessPool:
                raise PiecesFailed(
                    "a process was killed, perhaps for want of memory; the same command with a smaller --parallel "
                    "goes on"
                ) from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def make_workers(text: str, num_processes: int) -> PieceWorkers:
    """Return workers by name: `local`, or `ray` for a cluster, `ray:ADDRESS` for one elsewhere.

    Raises:
        ValueError: naming what is allowed.
        WorkersFailed: if there is no such cluster.
    """
    name, _, address = text.partition(":")
    if text == "local":
        return LocalPieceWorkers(num_processes)
    if name != "ray":
        raise ValueError(f"{text!r} is not allowed (allowed: local, ray, ray:ADDRESS as in ray:local or ray:HOST:PORT)")
    from miai.experiments.running.ray_workers import RayPieceWorkers

    return RayPieceWorkers(address or "auto")


_plan: list[ExperimentPlan] = []
"""That of this process: plans may be large, and are not sent with each piece."""


def _begin(plan: ExperimentPlan) -> None:
    _plan[:] = [plan]
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _run_piece(piece: int) -> Results:
    return run_timed(_plan[0], piece)


def _end_with_driver() -> None:
    """End this process when the one that started it has ended."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        wait([driver.sentinel])
        os._exit(1)
