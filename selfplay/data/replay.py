"""Positions of recorded games, rebuilt by playing the moves up to them: compiled, a few microseconds each."""

import functools

import numpy as np

from miai.engine.go.actions import move_of_action, point_of_action
from miai.engine.go.board import board_dtype, copy_board, new_board, place_stone, play
from miai.engine.go.points import EMPTY, NO_MOVE, PASS
from miai.engine.jit import compiled
from miai.nets.recent_positions import NUM_RECENT, clear_recent, push_recent, recent_dtype


@functools.cache
def _workspace_dtype(size: int) -> np.dtype:
    boards = [("empty", board_dtype(size)), ("board", board_dtype(size))]
    return np.dtype([*boards, ("recent", recent_dtype(size))], align=True)


def new_replay(size: int) -> np.ndarray:
    """Return an array of one record in which positions are rebuilt: `board`, `recent`, and an `empty` board."""
    workspace = np.zeros(1, dtype=_workspace_dtype(size))
    workspace[0]["empty"] = new_board(size)[0]
    return workspace


@compiled
def begin_game(board, empty, setup):
    """Make `board` the position before a game's first move.

    Args:
        board: a board record.
        empty: the record of an empty board, `new_board(size)[0]`.
        setup: int8 [size·size]: 0 empty, 1 black, 2 white.
    """
    copy_board(board, empty)
    size = np.int64(board.width_marker.shape[0]) - 1
    for index in range(setup.shape[0]):
        if setup[index] != EMPTY:
            place_stone(board, point_of_action(index, size), np.uint8(setup[index]))
    board.ko_point = PASS
    board.last_move = NO_MOVE


@compiled
def play_row(board, move, color):
    """Make the move of a row on the position before it; tell whether its point was empty, else nothing is played.

    Args:
        board: the position before the move.
        move: policy index.
        color: who makes it.
    """
    board.to_play = color
    point = move_of_action(move, np.int64(board.width_marker.shape[0]) - 1)
    if point != PASS and board.color[point] != EMPTY:
        return False
    play(board, point)
    return True


@compiled
def rebuild(file, game, row, workspace):
    """Make `workspace.board` and `workspace.recent` the position before the move of `row`, a row of `game`.

    Args:
        file: a `GameFile`.
        workspace: a record of `new_replay`.
    """
    board = workspace.board
    first = file.games[game].first
    begin_game(board, workspace.empty, file.setup[game])
    remembered = max(first, row - NUM_RECENT)
    for earlier in range(first, remembered):
        play_row(board, np.int64(file.move[earlier]), np.int64(file.color[earlier]))
    clear_recent(workspace.recent, board)
    for earlier in range(remembered, row):
        play_row(board, np.int64(file.move[earlier]), np.int64(file.color[earlier]))
        push_recent(workspace.recent, board)
    board.to_play = file.color[row]
