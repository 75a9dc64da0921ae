"""The correctors of Fuego's revision 1585. Each maps a legal move to a legal move and depends on the board alone.

They do not ask whether a replacement fills an eye.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.legality import leaves_liberty
from miai.engine.go.points import BORDER, EMPTY
from miai.engine.go.tactics import captures_at, count_neighbors, empty_neighbor
from miai.engine.jit import compiled
from miai.playouts.correctors import remaining_liberty
from miai.playouts.fuego1585.rules import self_atari


@compiled
def _is_legal(board, point):
    """Tell whether a move on an empty point takes no ko back and is no suicide."""
    return point != board.ko_point and leaves_liberty(board, np.uint64(point), np.uint8(board.to_play))


@compiled
def false_eye_to_capture(board, move):
    """Take a block in atari that makes an own eye false instead of filling that eye.

    (`GoUctUtil::DoFalseEyeToCaptureCorrection`.) That is where all four neighbours are own stones or border, and of the
    diagonals at most one is empty and two the opponent's; at the edge none and one.
    """
    color = np.int64(board.to_play)
    num_border = count_neighbors(board, move, BORDER)
    if count_neighbors(board, move, color) + num_border != 4:
        return move
    width = board.width_marker.shape[0]
    other = 3 - color
    diagonals = (move + width - 1, move + width + 1, move - width - 1, move - width + 1)  # in the order of Fuego
    num_empty, num_other = np.int64(0), np.int64(0)
    for diagonal in diagonals:
        num_empty += board.color[diagonal] == EMPTY
        num_other += board.color[diagonal] == other
    if num_empty > (num_border == 0) or num_other > 1 + (num_border == 0):
        return move
    for diagonal in diagonals:
        if board.color[diagonal] == other:
            head = np.int64(board.head[diagonal])
            if board.num_liberties[head] == 1 and _is_legal(board, first_liberty(board, head)):
                return first_liberty(board, head)
    return move


@compiled
def self_atari_correction(board, move):
    """Play on the liberty that a self-atari leaves, if that is no self-atari (`GoUctUtil::DoSelfAtariCorrection`).

    A lone stone with one empty neighbour that takes nothing moves there, if it has two empty neighbours there or takes
    something.
    """
    num_empty = count_neighbors(board, move, EMPTY)
    if num_empty >= 2:
        return move
    color = np.int64(board.to_play)
    takes = captures_at(board, move, color)
    if count_neighbors(board, move, color) > 0:
        if takes or not self_atari(board, move, color):
            return move
        other = remaining_liberty(board, move, color)
        return other if _is_legal(board, other) and not self_atari(board, other, color) else move
    if num_empty == 0 or takes:
        return move
    other = empty_neighbor(board, move)
    is_better = count_neighbors(board, other, EMPTY) >= 2 or captures_at(board, other, color)
    return other if is_better and _is_legal(board, other) else move
