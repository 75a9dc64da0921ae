"""Who plays the pieces of a tuning: processes of this machine, or a Ray cluster."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from miai.engine.processes import kill_pool, start_pool
from miai.experiments.running.pieces import Pieces, Results, run_timed
from miai.experiments.running.workers import process_killed
from miai.match.tables import read_workers
from miai.tuning.tables import Tables


@dataclass(frozen=True)
class PieceJob:
    """A piece of a trial."""

    match: Pieces
    piece: int


def play_piece(job: PieceJob) -> Results:
    """Play a piece here."""
    return run_timed(job.match, job.piece)


class LocalPieceTables:
    """Processes of this machine."""

    def __init__(self, num_tables: int) -> None:
        """Start so many when there is something to play."""
        self.num_tables = num_tables
        self._pool = start_pool(num_tables)

    def check(self, job: PieceJob) -> None:
        """Nothing: the players are miai's own."""

    def submit(self, job: PieceJob) -> "Future[Results]":
        """Have a piece played."""
        return self._pool.submit(play_piece, job)

    def report_of(self, future: "Future[Results]") -> Results:
        """Return a finished piece.

        Raises:
            PiecesFailed: if a process was killed.
        """
        try:
            return future.result()
        except BrokenProcessPool:
            raise process_killed() from None

    def close(self) -> None:
        """End all at once."""
        kill_pool(self._pool)


def make_piece_tables(text: str, num_tables: int) -> Tables:
    """Return tables by name, see `miai.match.tables.read_workers`.

    Args:
        text: the name.
        num_tables: processes on this machine; a cluster has as many as it has processors.

    Raises:
        ValueError: naming what is allowed.
        PiecesFailed: if there is no such cluster.
    """
    address = read_workers(text)
    if address is None:
        return LocalPieceTables(num_tables)
    from miai.tuning.ray_tables import RayTables

    return RayTables(address, 1, play_piece)
