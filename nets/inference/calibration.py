"""Positions from which a backend takes the range of a network's activations."""

import random

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import PASS
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of

_FULLEST = 0.9
"""Moves of the longest game, by points of the board."""


def calibration_planes(kind: str, size: int, number: int = 128) -> np.ndarray:
    """Return planes of positions of random games of all lengths, always the same ones.

    Args:
        kind: of planes, see `miai.nets.planes`.

    Returns:
        float32 [number, planes, size, size].
    """
    rng = random.Random(size)
    write_planes = make_write_planes(kind)
    planes = np.zeros((number, num_planes(kind), size, size), dtype=np.float32)
    for index in range(number):
        game = _random_game(rng, size, rng.randrange(int(_FULLEST * size**2) + 1))
        write_planes(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes[index])
    return planes


def _random_game(rng: random.Random, size: int, num_moves: int) -> Game:
    game = Game(size)
    while len(game.moves) < num_moves and not game.is_over:
        color = game.to_play
        game.play(color, rng.choice(game.legal_points(color) or [PASS]))
    return game
