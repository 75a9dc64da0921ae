"""Positions of random games with what came before them, and their planes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from miai.engine.go.board import new_board, play
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import clear_recent, push_recent, recent_dtype
from tests.playouts.transform import playout_positions


class Position(NamedTuple):
    """A board with its last positions and moves."""

    board: np.void
    recent: np.void


def random_moves(size: int, seed: int) -> list[int]:
    """Return the moves of a random game."""
    return [int(board[0]["last_move"]) for board in playout_positions(size, seed)][1:]


def positions(size: int, moves: list[int]) -> Iterator[Position]:
    """Yield the positions after each of the moves, the empty board first; each is overwritten by the next."""
    boards = new_board(size)
    recents = np.zeros(1, dtype=recent_dtype(size))
    clear_recent(recents[0], boards[0])
    yield Position(boards[0], recents[0])
    for move in moves:
        play(boards[0], move)
        push_recent(recents[0], boards[0])
        yield Position(boards[0], recents[0])


def planes_of(kind: str, position: Position, komi: float = 7.0, has_superko: bool = True) -> np.ndarray:
    """Return the planes of a position, float32 [planes, size, size]."""
    size = len(position.board["width_marker"]) - 1
    planes = np.full((num_planes(kind), size, size), np.nan, dtype=np.float32)
    make_write_planes(kind)(position.board, position.recent, komi, has_superko, planes)
    return planes


def batch_of(kind: str, size: int, number: int) -> np.ndarray:
    """Return the planes of positions of a random game, float32 [number, planes, size, size]."""
    moves = random_moves(size, 1)
    steps = [planes_of(kind, position, komi) for komi in (7.0, 0.5) for position in positions(size, moves)]
    return np.stack(steps[5 : 5 + number])
