"""Positions from which a backend takes the range of a network's activations."""

import functools
import random
from pathlib import Path

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of

_FULLEST = 0.9
"""Moves of the longest random game, by points of the board."""
_SIZE = 9
"""Board size of the recorded games."""


def calibration_planes(kind: str, size: int, number: int = 128) -> np.ndarray:
    """Return planes of positions of games of all lengths, always the same ones.

    The games are random; for KataGo's networks on 9x9 they are recorded ones of the network `miai`, as the range of a
    transformer's activations is another in random games.

    Args:
        kind: of planes, see `miai.nets.planes`.

    Returns:
        float32 [number, planes, size, size].
    """
    write_planes = make_write_planes(kind)
    planes = np.zeros((number, num_planes(kind), size, size), dtype=np.float32)
    for game, written in zip(calibration_games(kind, size, number), planes, strict=True):
        write_planes(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, written)
    return planes


def calibration_games(kind: str, size: int, number: int) -> list[Game]:
    """Return the games of `calibration_planes`, up to their positions."""
    rng = random.Random(size)
    if kind.startswith("katago") and size == _SIZE:
        return [_recorded_game(rng) for _ in range(number)]
    return [_random_game(rng, size, rng.randrange(int(_FULLEST * size**2) + 1)) for _ in range(number)]


@functools.cache
def _recorded_games() -> list[list[str]]:
    """Return komi and vertices of the games of the file."""
    text = (Path(__file__).parent / "calibration_games.txt").read_text(encoding="ascii")
    return [line.split() for line in text.splitlines()]


def _recorded_game(rng: random.Random) -> Game:
    """Return a game up to any of its moves."""
    komi, *vertices = rng.choice(_recorded_games())
    game = Game(_SIZE, float(komi))
    for number, vertex in enumerate(vertices[: rng.randrange(len(vertices))]):
        game.play((BLACK, WHITE)[number % 2], move_at(vertex, _SIZE))
    return game


def _random_game(rng: random.Random, size: int, num_moves: int) -> Game:
    game = Game(size)
    while len(game.moves) < num_moves and not game.is_over:
        color = game.to_play
        game.play(color, rng.choice(game.legal_points(color) or [PASS]))
    return game
