"""The layer `low_lib`: blocks with two liberties at the last move (Fuego's LowLib)."""

import functools

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import append_distinct, gains_liberties, is_met_first, next_liberty, self_atari
from miai.engine.jit import Compiled, compiled


@compiled
def _are_connected(board, head, first, second):
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


@functools.cache
def compose_low_lib(append_if_good: Compiled) -> Compiled:
    """Return compiled `propose(board, workspace) -> count`: liberties of blocks that have two of them.

    Compiled `append_if_good(board, workspace, count, head, liberty) -> count` is asked for both, of the last move's
    block and of the mover's blocks beside it; for neither if both touch the same other block of the owner's: the two
    are connected already.
    """

    @compiled
    def append_liberties(board, workspace, count, head):
        first = next_liberty(board, head, np.int64(PASS))
        second = next_liberty(board, head, first)
        if not _are_connected(board, head, first, second):
            for liberty in (first, second):
                count = append_if_good(board, workspace, count, head, liberty)
        return count

    @compiled
    def propose(board, workspace):
        last = np.int64(board.last_move)
        count = np.int64(0)
        if last <= 0 or board.color[last] == EMPTY:
            return count
        head = np.int64(board.head[last])
        if board.num_liberties[head] == 2:
            count = append_liberties(board, workspace, count, head)
        width = board.width_marker.shape[0]
        around = (last - width, last - 1, last + 1, last + width)
        for index in range(4):
            head = np.int64(board.head[around[index]])
            has_two = board.color[around[index]] == board.to_play and board.num_liberties[head] == 2
            if has_two and is_met_first(board, around, index):
                count = append_liberties(board, workspace, count, head)
        return count

    return propose


@compiled
def _append_if_good(board, workspace, count, head, liberty):
    """Append a liberty by which the block's owner would have more of them, if the move is safe and fills no eye.

    So the mover extends its own block or takes the extension away from the opponent's.
    """
    color = np.int64(board.to_play)
    if not gains_liberties(board, head, liberty):
        return count
    is_safe = board.color[head] == color or not self_atari(board, liberty, color)
    if is_safe and not is_own_eye(board, liberty, np.uint8(color)):
        count = append_distinct(workspace, count, liberty)
    return count


propose_low_lib = compose_low_lib(_append_if_good)
