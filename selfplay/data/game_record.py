"""A finished game as Python keeps it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class PolicyTarget(NamedTuple):
    """What the policy should be in a position."""

    moves: np.ndarray
    """int16 [moves]: policy indices: points row-major from the top left, then `size*size` for a pass."""
    probabilities: np.ndarray
    """float32 [moves]: their probabilities, greater than 0, which sum to 1."""


@dataclass
class GameRecord:
    """A finished game. Lists by move have one entry a move, in the order of play."""

    size: int
    komi: float
    moves: list[int] = field(default_factory=list)
    """Policy indices of the moves played."""
    colors: list[int] = field(default_factory=list)
    """Who made each, BLACK or WHITE."""
    root_values: list[float] = field(default_factory=list)
    """Expected results for the player to move, 0 to 1, after searching the position; NaN unknown."""
    root_scores: list[float] = field(default_factory=list)
    """Expected scores in points for the player to move, komi included; NaN unknown."""
    targets: list[PolicyTarget | None] = field(default_factory=list)
    """Policy targets; None where there was no full search."""
    setup: np.ndarray | None = None
    """int8 [size*size]: EMPTY, BLACK or WHITE before the first move; None = an empty board."""
    ownership: np.ndarray | None = None
    """int8 [size*size]: +1 Black's, -1 White's, 0 nobody's or unknown at the end; None = all unknown."""
    score: float = float("nan")
    """Final area, Black's minus White's minus komi; NaN unknown."""
    result: float = float("nan")
    """1 if Black won, 0.5 for a draw, 0 if White won; NaN unknown."""
    has_superko: bool = True
    suicide: bool = False
    is_scored: bool = False
    """Whether score and ownership are those of a game played to its end."""
    net_version: int = 0
    """Of the network that played; 0 = none."""
    seed: int = 0
    """Identifies the game in its folder."""

    def add_move(
        self,
        color: int,
        move: int,
        target: PolicyTarget | None = None,
        root_value: float = float("nan"),
        root_score: float = float("nan"),
    ) -> None:
        """Append a move by its policy index, with what a search found before it."""
        self.colors.append(color)
        self.moves.append(move)
        self.targets.append(target)
        self.root_values.append(root_value)
        self.root_scores.append(root_score)
