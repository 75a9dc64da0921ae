"""`miai bench outcome`: static estimates of win, draw and loss per second, one thread, over the positions of a game."""

import time
from collections.abc import Iterator

import numpy as np

from miai.benchmarks.figures import Figure
from miai.engine.go.board import new_board, play
from miai.playouts.outcome import estimate_outcomes, new_estimate
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

SIZES = (9, 19)
"""What is measured: board sizes."""
_KOMI = 7.0


def positions_of_playout(size: int) -> np.ndarray:
    """Return every position of one playout of `fuego` from the empty board, as an array of boards."""
    choose = make_policy("fuego").choose
    workspace = new_playout_workspace(size, 1)[0]
    board = new_board(size)
    found = [board.copy()]
    while board[0]["num_passes"] < 2:
        play(board[0], choose(board[0], workspace))
        found.append(board.copy())
    return np.concatenate(found)


def measure_estimates(size: int, seconds: float, rounds: int) -> float:
    """Return the estimates per second of the fastest of `rounds` rounds that share `seconds` seconds."""
    boards = positions_of_playout(size)
    estimate = new_estimate(size)[0]
    outcomes = np.zeros((len(boards), 3), dtype=np.float32)

    def time_games(number: int) -> float:
        start = time.perf_counter()
        for _ in range(number):
            estimate_outcomes(boards, _KOMI, estimate, outcomes)
        return time.perf_counter() - start

    time_games(1)  # compiles
    number = max(1, round(10 * seconds / rounds / time_games(10)))
    return number * len(boards) / min(time_games(number) for _ in range(rounds))


def run(seconds: float = 1.0, rounds: int = 6) -> Iterator[Figure]:
    """Measure one size after the other: `outcome.<size>x<size>` in estimates per second."""
    for size in SIZES:
        yield Figure(f"outcome.{size}x{size}", measure_estimates(size, seconds, rounds), "/s")
