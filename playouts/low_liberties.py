"""The layers `low_lib` and `fuego_low_lib`: blocks with two liberties at the last move (Fuego's LowLib).

`fuego_low_lib` is that of Fuego's revision 1585: what is an eye differs as in `random` and `listed_random`, and what
gains liberties too.
"""

import functools

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import append_distinct, gains_liberties, next_liberty, self_atari
from miai.engine.intrinsics import popcount
from miai.engine.jit import Compiled, compiled
from miai.playouts.random_moves import is_surrounded


@compiled
def _has_liberty(board, head, point):
    """Tell whether a point is a liberty of the block with this head."""
    return (board.liberties[head, point >> 6] >> np.uint64(point & 63)) & np.uint64(1) != 0


@compiled
def _gains_without_captures(board, head, point):
    """Tell whether a block gets two new liberties by its owner's move on its liberty `point`, captures left out.

    Each neighbour of the point is counted by itself: a liberty that two of them have counts twice
    (`GoUctUtil::GainsLiberties` of Fuego's revision 1585).
    """
    width = board.width_marker.shape[0]
    color = board.color[head]
    count = np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        other = np.int64(board.head[neighbor])
        if board.color[neighbor] == EMPTY:
            count += not _has_liberty(board, head, neighbor)
        elif board.color[neighbor] == color and other != head:
            for word in range(board.liberties.shape[1]):
                count += popcount(board.liberties[other, word] & ~board.liberties[head, word])
    return count >= 2


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
def _compose(is_eye: Compiled, gains: Compiled) -> Compiled:
    """Return `propose(board, workspace) -> count`, which proposes no move that fills what `is_eye` calls one.

    It proposes liberties of the last move's block, and of the mover's blocks beside it, that have two liberties. A
    liberty is proposed if by `gains` its block's owner would gain liberties by playing there – the mover extends its
    own block or takes the extension away from the opponent's – and the move is no self-atari.
    """

    @compiled
    def append_good_liberties(board, head, workspace, count):
        """Append those of a block's two liberties where its owner would gain liberties and the mover is safe.

        Nothing if both liberties touch the same other block of the owner's: the two are connected already.
        """
        owner = np.int64(board.color[head])
        color = np.int64(board.to_play)
        first = next_liberty(board, head, np.int64(PASS))
        second = next_liberty(board, head, first)
        if _are_connected(board, head, first, second):
            return count
        for liberty in (first, second):
            if gains(board, head, liberty):
                is_safe = owner == color or not self_atari(board, liberty, color)
                if is_safe and not is_eye(board, liberty, np.uint8(color)):
                    count = append_distinct(workspace, count, liberty)
        return count

    @compiled
    def propose(board, workspace):
        last = np.int64(board.last_move)
        count = np.int64(0)
        if last <= 0 or board.color[last] == EMPTY:
            return count
        head = np.int64(board.head[last])
        if board.num_liberties[head] == 2:
            count = append_good_liberties(board, head, workspace, count)
        width = board.width_marker.shape[0]
        color = board.to_play
        previous = np.int64(0)
        for neighbor in (last - width, last - 1, last + 1, last + width):
            if board.color[neighbor] == color:
                head = np.int64(board.head[neighbor])
                if board.num_liberties[head] == 2 and head != previous:
                    count = append_good_liberties(board, head, workspace, count)
                    previous = head
        return count

    return propose


propose_low_lib = _compose(is_own_eye, gains_liberties)
propose_fuego_low_lib = _compose(is_surrounded, _gains_without_captures)
