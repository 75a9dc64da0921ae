"""Positions of recorded games, rebuilt by playing the moves up to them: compiled, a few microseconds each."""

import numpy as np

from engine.go.board import copy_board, new_board, place_stone, play
from engine.go.points import EMPTY, NO_MOVE, PASS, location_of, point_at
from engine.jit import compiled


def policy_index(move: int, size: int) -> int:
    """Return the policy index of a point or PASS: points row-major from the top left, then the pass."""
    if move == PASS:
        return size * size
    row, column = location_of(move, size)
    return row * size + column


def move_of_index(index: int, size: int) -> int:
    """Return the point or PASS that a policy index stands for."""
    return PASS if index == size * size else point_at(index // size, index % size, size)


@compiled
def _point_of(board, index):
    size = board.width_marker.shape[0] - 1
    return (index // size + 1) * (size + 1) + index % size + 1


@compiled
def begin_game(board, empty, setup):
    """Make `board` the position before a game's first move.

    Args:
        board: a board record.
        empty: the record of an empty board, `new_board(size)[0]`.
        setup: int8 [size·size]: 0 empty, 1 black, 2 white.
    """
    copy_board(board, empty)
    for index in range(setup.shape[0]):
        if setup[index] != EMPTY:
            place_stone(board, _point_of(board, index), np.uint8(setup[index]))
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
    if move == board.empty_points.shape[0]:
        play(board, PASS)
        return True
    point = _point_of(board, move)
    if board.color[point] != EMPTY:
        return False
    play(board, point)
    return True


@compiled
def replay(board, empty, setup, moves, colors, first, row):
    """Make `board` the position before the move of `row`; tell whether all moves up to there fell on empty points.

    Args:
        board: a board record.
        empty: the record of an empty board, `new_board(size)[0]`.
        setup: int8 [size·size] of the game.
        moves: int16 [rows]: `GameFile.move`.
        colors: uint8 [rows]: `GameFile.color`.
        first: row of the game's first move.
        row: one of the game's.
    """
    begin_game(board, empty, setup)
    for earlier in range(first, row):
        if not play_row(board, np.int64(moves[earlier]), np.int64(colors[earlier])):
            return False
    board.to_play = colors[row]
    return True


def empty_board(size: int) -> np.void:
    """Return the record of an empty board."""
    return new_board(size)[0]
