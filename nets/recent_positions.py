"""The last positions and moves of a game, as compiled code keeps them on its way down a tree."""

import functools

import numpy as np

from miai.engine.go.board import board_dtype, board_size
from miai.engine.go.game import Game
from miai.engine.go.history import contains_key
from miai.engine.go.legality import key_after, leaves_liberty
from miai.engine.go.points import BLACK, EMPTY, NO_MOVE, PASS, WHITE
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
            ("movers", "u1", (NUM_RECENT,)),  # who made them; EMPTY where none was made
            ("ko_points", "i2", (NUM_RECENT,)),  # of the positions: where a ko could not be retaken, PASS = nowhere
            ("banned", "u8", ((rows + 63) // 64,)),  # bit set of points now forbidden by superko, see `mark_superko`
            ("num_positions", "i2"),
            ("num_moves", "i2"),  # how many of the moves belong together: all, or those from the end of a game on
            ("colors", "u1", (NUM_RECENT, rows)),  # 0 = the position now; EMPTY where there was none
        ],
        align=True,
    )


@compiled
def clear_recent(recent, board):
    """Forget everything but the position of `board`, as at the start of a game."""
    recent.colors[:] = np.uint8(0)
    recent.moves[:] = NO_MOVE
    recent.movers[:] = EMPTY
    recent.ko_points[:] = PASS
    recent.num_positions = 0
    recent.num_moves = 0
    _remember(recent, board)


@compiled
def push_recent(recent, board):
    """Remember the position of `board` and the move that led to it, `board.last_move`, as the latest ones.

    Whoever is not to play is taken for the player who made the move.
    """
    _push(recent, board, np.uint8(BLACK + WHITE - board.to_play))


@compiled
def _push(recent, board, mover):
    num_moves = recent.num_moves
    if num_passes_in_turn(recent) >= 2:
        num_moves = min(num_moves, 1)
    if mover == recent.movers[0]:
        recent.ko_points[0] = PASS  # was in force for the other player
    for age in range(NUM_RECENT - 1, 0, -1):
        row = np.uint64(age)
        recent.keys[row] = recent.keys[row - _ONE]
        recent.moves[row] = recent.moves[row - _ONE]
        recent.movers[row] = recent.movers[row - _ONE]
        recent.ko_points[row] = recent.ko_points[row - _ONE]
        for point in range(recent.colors.shape[1]):
            recent.colors[row, np.uint64(point)] = recent.colors[row - _ONE, np.uint64(point)]
    recent.moves[0] = board.last_move
    recent.movers[0] = mover
    recent.num_moves = min(num_moves + 1, NUM_RECENT)
    _remember(recent, board)


@compiled
def _remember(recent, board):
    recent.keys[0] = board.key
    recent.ko_points[0] = board.ko_point
    recent.banned[:] = np.uint64(0)
    recent.num_positions = min(recent.num_positions + 1, NUM_RECENT)
    for point in range(recent.colors.shape[1]):
        recent.colors[0, np.uint64(point)] = board.color[np.uint64(point)]


@compiled
def num_passes_in_turn(recent):
    """Return how many of the last moves were passes by one player after the other."""
    count = 0
    while count < NUM_RECENT and recent.moves[np.uint64(count)] == PASS:
        if count > 0 and recent.movers[np.uint64(count)] == recent.movers[np.uint64(count - 1)]:
            break
        count += 1
    return count


@compiled
def mark_superko(recent, board, history):
    """Mark the points where the player to move would make a position of `history` again.

    Args:
        history: all positions of the game up to now, see `miai.engine.go.history`.
    """
    recent.banned[:] = np.uint64(0)
    if board.num_captured[np.uint64(BLACK)] + board.num_captured[np.uint64(WHITE)] == 0:
        return  # a position can only come again after a capture
    color = np.int64(board.to_play)
    for index in range(board.num_empty):
        point = np.int64(board.empty_points[np.uint64(index)])
        if leaves_liberty(board, point, color) and contains_key(history, key_after(board, point, color)):
            recent.banned[np.uint64(point) >> np.uint64(6)] |= _ONE << (np.uint64(point) & np.uint64(63))


@compiled
def is_banned(recent, point):
    """Tell whether `mark_superko` marked a point."""
    point = np.uint64(point)
    return (recent.banned[point >> np.uint64(6)] >> (point & np.uint64(63))) & _ONE != 0


def recent_of(game: Game) -> np.ndarray:
    """Return an array of one record with the last positions and moves of a game."""
    boards = [game.board]
    earlier = game.copy()
    while earlier.moves and len(boards) < NUM_RECENT + 1:
        earlier.undo()
        boards.append(earlier.board)
    recents = np.zeros(1, dtype=recent_dtype(board_size(game.board)))
    clear_recent(recents[0], boards[-1])
    for age in reversed(range(len(boards) - 1)):
        _push(recents[0], boards[age], np.uint8(game.moves[-1 - age][0]))
    if game.rules.has_superko:
        mark_superko(recents[0], game.board, game.history)
    return recents
