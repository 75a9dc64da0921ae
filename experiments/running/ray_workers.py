"""The pieces of an experiment on a Ray cluster."""

from collections.abc import Iterator, Sequence

import ray

from miai.engine.ray_cluster import connect, run_tasks
from miai.experiments.running.pieces import ExperimentPlan, Results, run_timed
from miai.experiments.running.workers import PiecesFailed


class RayPieceWorkers:
    """Does a piece on every processor that the cluster has."""

    def __init__(self, address: str) -> None:
        """Connect to a cluster: `auto`, `local` for one of this machine that ends with the program, or `HOST:PORT`.

        Raises:
            PiecesFailed: if there is none.
        """
        connect(address, PiecesFailed)

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece as it is done; those of a lost machine are done again.

        Raises:
            PiecesFailed: if a piece fails by an error, or pieces are lost again and again.
        """
        shared = ray.put(plan)
        yield from run_tasks(pieces, lambda piece: _run_piece.remote(shared, piece), PiecesFailed, "pieces")


@ray.remote(max_retries=0)
def _run_piece(plan: ExperimentPlan, piece: int) -> Results:
    return run_timed(plan, piece)
