"""Positions of recorded games, rebuilt by playing the moves up to them: compiled, a few microseconds each."""

import numpy as np

from miai.engine.go.actions import move_of_action, point_of_action
from miai.engine.go.board import copy_board, place_stone, play
from miai.engine.go.points import EMPTY, NO_MOVE, PASS
from miai.engine.jit import compiled


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
