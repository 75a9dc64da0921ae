"""The layers `low_lib` and `fuego_low_lib`: blocks with two liberties at the last move (Fuego's LowLib).

They differ by what is an eye, as `random` and `listed_random` do.
"""

import functools

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import append_distinct, gains_liberties, next_liberty, self_atari
from miai.engine.jit import Compiled, compiled
from miai.playouts.random_moves import is_surrounded


@compiled
def _touches_other_block(board, point, head, color):
    """Return the head of a block of `color` other than `head` beside a point; 0 if there is none."""
    width = board.width_marker.shape[0]
    found = np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        other = np.int64(board.head[neighbor])
        if board.color[neighbor] == color and other != head:
            found = other
    return found


@functools.cache
def _compose(is_eye: Compiled) -> Compiled:
    """Return `propose(board, workspace) -> count`, which proposes no move that fills what `is_eye` calls one.

    It proposes liberties of the last move's block, and of the mover's blocks beside it, that have two liberties. A
    liberty is proposed if its block's owner would have more liberties by playing there – the mover extends its own
    block or takes the extension away from the opponent's – and the move is no self-atari.
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
        partner = _touches_other_block(board, first, head, owner)
        if partner != 0 and partner == _touches_other_block(board, second, head, owner):
            return count
        for liberty in (first, second):
            if gains_liberties(board, head, liberty):
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


propose_low_lib = _compose(is_own_eye)
propose_fuego_low_lib = _compose(is_surrounded)
