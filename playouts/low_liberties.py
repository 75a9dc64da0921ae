"""The layer `low_lib`: blocks with two liberties at the last move (Fuego's LowLib)."""

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import append_distinct, gains_liberties, next_liberty, self_atari
from miai.engine.jit import compiled


@compiled
def are_connected(board, head, first, second):
    """Tell whether two liberties of a block touch the same other block of its owner's: one of them connects the two."""
    width = board.width_marker.shape[0]
    color = board.color[head]
    for here in (first - width, first - 1, first + 1, first + width):
        other = np.int64(board.head[here])
        if board.color[here] == color and other != head:
            for there in (second - width, second - 1, second + 1, second + width):
                if board.color[there] == color and np.int64(board.head[there]) == other:
                    return True
    return False


@compiled
def _append_good_liberties(board, head, workspace, count):
    """Append those of a block's two liberties where its owner would gain liberties and the mover is safe.

    Nothing if both liberties touch the same other block of the owner's: the two are connected already.
    """
    owner = np.int64(board.color[head])
    color = np.int64(board.to_play)
    first = next_liberty(board, head, np.int64(PASS))
    second = next_liberty(board, head, first)
    if are_connected(board, head, first, second):
        return count
    for liberty in (first, second):
        if gains_liberties(board, head, liberty):
            is_safe = owner == color or not self_atari(board, liberty, color)
            if is_safe and not is_own_eye(board, liberty, np.uint8(color)):
                count = append_distinct(workspace, count, liberty)
    return count


@compiled
def propose_low_lib(board, workspace):
    """Propose liberties of the last move's block, and of the mover's blocks beside it, that have two liberties.

    A liberty is proposed if its block's owner would have more liberties by playing there – the mover extends its own
    block or takes the extension away from the opponent's – and the move is no self-atari.
    """
    last = np.int64(board.last_move)
    count = np.int64(0)
    if last <= 0 or board.color[last] == EMPTY:
        return count
    head = np.int64(board.head[last])
    if board.num_liberties[head] == 2:
        count = _append_good_liberties(board, head, workspace, count)
    width = board.width_marker.shape[0]
    color = board.to_play
    previous = np.int64(0)
    for neighbor in (last - width, last - 1, last + 1, last + width):
        if board.color[neighbor] == color:
            head = np.int64(board.head[neighbor])
            if board.num_liberties[head] == 2 and head != previous:
                count = _append_good_liberties(board, head, workspace, count)
                previous = head
    return count
