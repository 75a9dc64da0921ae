"""Correctors: replace a chosen move that is plainly worse than one beside it.

Each maps a legal move to a legal move and depends on the board alone. Their names are Fuego's; what exactly
they do is stated here.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import BORDER, EMPTY, PASS
from miai.engine.go.tactics import (
    captures_at,
    count_neighbors,
    count_surrounding,
    empty_neighbor,
    next_liberty,
    self_atari,
)
from miai.engine.jit import compiled


@compiled
def false_eye_to_capture(board, move):
    """Take a block in atari that makes an own eye false instead of filling that eye.

    Applies if all four neighbours are own stones or border and a stone on a diagonal can be taken.
    """
    color = np.int64(board.to_play)
    if count_neighbors(board, move, color) + count_neighbors(board, move, BORDER) != 4:
        return move
    width = board.width_marker.shape[0]
    other = 3 - color
    for diagonal in (move - width - 1, move - width + 1, move + width - 1, move + width + 1):
        if board.color[diagonal] == other:
            head = np.int64(board.head[diagonal])
            if board.num_liberties[head] == 1:
                liberty = first_liberty(board, head)
                if liberty != board.ko_point:
                    return liberty
    return move


@compiled
def remaining_liberty(board, move, color):
    """Return a liberty that the block made by a self-atari on `move` keeps; 0 if it only has what it takes."""
    liberty = empty_neighbor(board, move)
    if liberty != 0:
        return liberty
    width = board.width_marker.shape[0]
    for neighbor in (move - width, move - 1, move + 1, move + width):
        if board.color[neighbor] == color:
            head = np.int64(board.head[neighbor])
            liberty = next_liberty(board, head, np.int64(PASS))
            if liberty == move:
                liberty = next_liberty(board, head, liberty)
            if liberty != PASS:
                return liberty
    return np.int64(0)


@compiled
def self_atari_correction(board, move):
    """Play on the other liberty instead of putting the own block in atari, if that is no self-atari.

    A single stone that takes nothing moves to its empty neighbour on the same condition. Moves that take a
    block stay.
    """
    color = np.int64(board.to_play)
    if not self_atari(board, move, color) or captures_at(board, move, color):
        return move
    other = remaining_liberty(board, move, color)
    if other == 0 or other == board.ko_point or self_atari(board, other, color):
        return move
    if is_own_eye(board, other, np.uint8(color)):
        return move
    return other


@compiled
def clump_correction(board, move):
    """Play on the only empty neighbour instead of a point already packed with own stones, if that one is less so.

    Packed: three own neighbours and six own stones around; at the edge two and four.
    """
    if count_neighbors(board, move, EMPTY) != 1:
        return move
    color = np.int64(board.to_play)
    at_edge = np.int64(count_neighbors(board, move, BORDER) > 0)
    beside = count_neighbors(board, move, color)
    if beside != 3 - at_edge:
        return move
    around = count_surrounding(board, move, color)
    if around < 6 - 2 * at_edge:
        return move
    other = empty_neighbor(board, move)
    if count_surrounding(board, other, color) > around or count_neighbors(board, other, color) > beside:
        return move
    return move if self_atari(board, other, color) else other
