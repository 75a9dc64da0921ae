"""Who does the pieces of an experiment: processes of this machine, or a Ray cluster."""

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from miai.engine.processes import kill_pool, start_pool
from miai.experiments.running.pieces import ExperimentPlan, Results, run_timed
from miai.match.tables import read_workers


class PiecesFailed(Exception):
    """Pieces that nobody can do; the text tells why."""


def process_killed() -> PiecesFailed:
    """Return what to raise when a process of this machine was killed."""
    return PiecesFailed(
        "a process was killed, perhaps for want of memory; the same command with a smaller --parallel goes on"
    )


class PieceWorkers(Protocol):
    """Does pieces of work, wherever."""

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece's number and results as it is done, in any order."""


class LocalPieceWorkers:
    """Processes of this machine."""

    def __init__(self, num_processes: int) -> None:
        self._num_processes = num_processes

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece as it is done.

        Raises:
            PiecesFailed: if a process is killed.
        """
        if self._num_processes == 1:
            for piece in pieces:
                yield piece, run_timed(plan, piece)
            return
        pool = start_pool(self._num_processes, _set_plan, plan)
        try:
            futures = {pool.submit(_run_piece, piece): piece for piece in pieces}
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
            pool.shutdown()
        except BrokenProcessPool:
            raise process_killed() from None
        finally:
            kill_pool(pool)


def make_workers(text: str, num_processes: int) -> PieceWorkers:
    """Return workers by name: `local`, or `ray` for a cluster, `ray:ADDRESS` for one elsewhere.

    Raises:
        ValueError: naming what is allowed.
        PiecesFailed: if there is no such cluster.
    """
    address = read_workers(text)
    if address is None:
        return LocalPieceWorkers(num_processes)
    from miai.experiments.running.ray_workers import RayPieceWorkers

    return RayPieceWorkers(address)


_plan: list[ExperimentPlan] = []
"""That of this process: plans may be large, and are not sent with each piece."""


def _set_plan(plan: ExperimentPlan) -> None:
    _plan[:] = [plan]


def _run_piece(piece: int) -> Results:
    return run_timed(_plan[0], piece)
