"""The pieces of an experiment on a Ray cluster; miai must be installed on all its machines, in the same version."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from miai.experiments.pieces import ExperimentPlan, Results, run_timed
from miai.experiments.workers import WorkersFailed

_MAX_LOSSES = 20
"""Pieces that may be lost in a row without one done between."""


class RayWorkers:
    """Does a piece on every processor that the cluster has."""

    def __init__(self, address: str) -> None:
        """Connect to a cluster: `auto`, `local` for one of this machine that ends with the program, or `HOST:PORT`.

        Raises:
            WorkersFailed: if there is none.
        """
        try:
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise WorkersFailed(f"cannot connect to a Ray cluster at {address!r}: {error}") from error

    def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
        """Yield each piece as it is done; those of a lost machine are done again.

        Raises:
            WorkersFailed: if a piece fails by an error, or pieces are lost again and again.
        """
        shared = ray.put(plan)
        waiting = deque(pieces)
        under_way: dict[Any, int] = {}
        num_lost = 0
        try:
            while waiting or under_way:
                while waiting and len(under_way) < _most_under_way():
                    piece = waiting.popleft()
                    under_way[_run_piece.remote(shared, piece)] = piece
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=5.0)
                for reference in done:
                    piece = under_way.pop(reference)
                    try:
                        results = ray.get(reference)
                    except RayTaskError as error:
                        raise WorkersFailed(str(error.cause)) from error
                    except RayError as error:
                        num_lost += 1
                        if num_lost >= _MAX_LOSSES:
                            raise WorkersFailed(
                                f"pieces were lost {num_lost} times in a row, the last by {error}"
                            ) from error
                        waiting.appendleft(piece)
                        continue
                    num_lost = 0
                    yield piece, results
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)
            ray.shutdown()


def _most_under_way() -> int:
    """Return how many pieces to hand out: twice what the processors can do now, as machines come and go."""
    return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))


@ray.remote(max_retries=0)
def _run_piece(plan: ExperimentPlan, piece: int) -> Results:
    return run_timed(plan, piece)
