"""`miai bench playouts`: playouts per second by policy and board size, one thread, from the empty board."""

import time
from collections.abc import Iterator

import numpy as np

from miai.benchmarks.figures import Figure
from miai.engine.go.board import new_board
from miai.playouts.layer_order import POLICIES
from miai.playouts.playout import make_batch
from miai.playouts.workspace import new_playout_workspace

STANDARD = (("random", 9), ("random", 19), ("fuego", 9), ("fuego", 19), ("crazystone", 9))
"""What is measured without options: policy and board size."""
EVERY_POLICY = STANDARD + tuple((name, 9) for name in POLICIES if (name, 9) not in STANDARD)
"""Those, and every named policy on 9x9."""
_WARM_UP_PLAYOUTS = 20


def measure_policy(policy_name: str, size: int, seconds: float, rounds: int) -> float:
    """Return the playouts per second of the fastest of `rounds` rounds that share `seconds` seconds.

    Other work on the machine only ever slows a round down, so the fastest says most about the program.
    """
    play_batch = make_batch(policy_name)
    source = new_board(size)
    target = source.copy()
    workspace = new_playout_workspace(size, 1)[0]
    no_ownership = np.zeros(0, dtype=np.int32)

    def time_batch(number: int) -> float:
        scores = np.zeros(number, dtype=np.int16)
        start = time.perf_counter()
        play_batch(source[0], target, workspace, scores, no_ownership)
        return time.perf_counter() - start

    time_batch(_WARM_UP_PLAYOUTS)  # compiles
    a_few = max(1, round(_WARM_UP_PLAYOUTS * 0.05 / time_batch(_WARM_UP_PLAYOUTS)))
    number = max(1, round(a_few * seconds / rounds / time_batch(a_few)))
    return number / min(time_batch(number) for _ in range(rounds))


def run(cases: tuple[tuple[str, int], ...] = STANDARD, seconds: float = 3.0, rounds: int = 6) -> Iterator[Figure]:
    """Measure one case after the other: `playouts.<policy>.<size>x<size>` in playouts per second."""
    for policy_name, size in cases:
        rate = measure_policy(policy_name, size, seconds, rounds)
        yield Figure(f"playouts.{policy_name}.{size}x{size}", rate, "/s")
