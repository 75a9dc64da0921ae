"""The last positions and moves of a game, as compiled code keeps them on its way down a tree."""

import functools

import numpy as np

from miai.engine.go.board import board_dtype, board_size
from miai.engine.go.game import Game
from miai.engine.go.points import NO_MOVE
from miai.engine.jit import compiled

NUM_RECENT = 5
"""How many positions and moves are kept, the position now among them."""

_ONE = np.uint64(1)


@functools.cache
def recent_dtype(size: int) -> np.dtype:
    """Return the record type of the last positions and moves.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    rows = board_dtype(size)["head"].shape[0]
    return np.dtype(
        [
            ("keys", "u8", (NUM_RECENT,)),  # Zobrist keys of the positions; read only where there is one
            ("moves", "i2", (NUM_RECENT,)),  # 0 = the last; NO_MOVE where none was made
            ("num_positions", "i2"),
            ("colors", "u1", (NUM_RECENT, rows)),  # 0 = the position now; EMPTY where there was none
        ],
        align=True,
    )


@compiled
def clear_recent(recent, board):
    """Forget everything but the position of `board`, as at the start of a game."""
    recent.colors[:] = np.uint8(0)
    recent.moves[:] = NO_MOVE
    recent.num_positions = 0
    _remember(recent, board)


@compiled
def push_recent(recent, board):
    """Remember the position of `board` and the move that led to it, `board.last_move`, as the latest ones."""
    for age in range(NUM_RECENT - 1, 0, -1):
        row = np.uint64(age)
        recent.keys[row] = recent.keys[row - _ONE]
        recent.moves[row] = recent.moves[row - _ONE]
        for point in range(recent.colors.shape[1]):
            recent.colors[row, np.uint64(point)] = recent.colors[row - _ONE, np.uint64(point)]
    recent.moves[0] = board.last_move
    _remember(recent, board)


@compiled
def _remember(recent, board):
    recent.keys[0] = board.key
    recent.num_positions = min(recent.num_positions + 1, NUM_RECENT)
    for point in range(recent.colors.shape[1]):
        recent.colors[0, np.uint64(point)] = board.color[np.uint64(point)]


def recent_of(game: Game) -> np.ndarray:
    """Return an array of one record with the last positions and moves of a game."""
    boards = [game.board]
    earlier = game.copy()
    while earlier.moves and len(boards) < NUM_RECENT + 1:
        earlier.undo()
        boards.append(earlier.board)
    recents = np.zeros(1, dtype=recent_dtype(board_size(game.board)))
    clear_recent(recents[0], boards[-1])
    for board in reversed(boards[:-1]):
        push_recent(recents[0], board)
    return recents
