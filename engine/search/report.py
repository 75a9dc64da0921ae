"""The result of a search, for people and protocols. Plain Python: importing it loads no compiled code."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class MoveReport:
    """One move at the root. Values are from the view of the player to move there."""

    move: int
    """The domain's move number; for Go a point or PASS."""
    visits: int
    """Simulations that went through the move."""
    value: float
    """Expected result, 0 to 1; a draw counts one half."""
    prior: float
    """Prior probability of the move; sums to 1 over its siblings."""
    lower_bound: float
    """Lower end of a confidence interval of `value`, 0 to 1."""
    score: float
    """Expected final score in points, komi included."""
    variation: tuple[int, ...]
    """Principal variation; its first move is `move`."""
    variation_visits: tuple[int, ...]
    """Visits of each move of the variation."""


@dataclass(frozen=True)
class SearchReport:
    """The state of a search at one moment. Values are from the view of the player to move at the root."""

    color: int
    """The player to move at the root."""
    moves: tuple[MoveReport, ...]
    """The root's moves, best first by the final-move rule."""
    value: float
    """Expected result of the position, 0 to 1."""
    score: float
    """Expected final score in points, komi included."""
    visits: int
    """Visits of the root, those kept from earlier searches included."""
    simulations: int
    """Simulations done by this search."""
    seconds: float
    """Time spent by this search."""
    ownership: np.ndarray
    """float32 [size·size], row-major from the top left: +1 the searching player's, -1 the opponent's."""
