"""The estimate of win, draw and loss for one position, from Python."""

from typing import NamedTuple

import numpy as np

from miai.playouts.outcome import estimate_outcome


class Outcome(NamedTuple):
    """Probabilities for the player to move; they sum to 1."""

    win: float
    draw: float
    loss: float


def find_outcome(board: np.void, komi: float, estimate: np.ndarray) -> Outcome:
    """Return the estimate for a position (an element of `new_board`, or `Game.board`); see `new_estimate`."""
    record = estimate[0]
    estimate_outcome(board, komi, record)
    return Outcome(float(record["win"]), float(record["draw"]), float(record["loss"]))
