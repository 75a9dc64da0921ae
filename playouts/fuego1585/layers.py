"""The layers of Fuego's revision 1585 before its random moves, as `GoUctPlayoutPolicy` has them.

Each proposes what it finds and `rules.is_playable` allows. A move found twice is proposed twice, and so drawn twice as
often.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.points import EMPTY
from miai.engine.go.tactics import append_distinct, is_met_first
from miai.engine.intrinsics import popcount
from miai.engine.jit import compiled
from miai.playouts.capture import compose_capture
from miai.playouts.fuego1585.rules import is_playable, self_atari
from miai.playouts.low_liberties import compose_low_lib


@compiled
def _append(board, workspace, count, move):
    """Write a move behind the first `count` if it is playable; return the new count."""
    workspace.moves[count] = move
    return count + np.int64(is_playable(board, move, np.int64(board.to_play)))


@compiled
def propose_atari_capture(board, workspace):
    """Propose to take the block of the last move if it is in atari."""
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return np.int64(0)
    head = np.int64(board.head[last])
    if board.num_liberties[head] != 1:
        return np.int64(0)
    return _append(board, workspace, np.int64(0), first_liberty(board, head))


@compiled
def _append_captures_beside(board, workspace, count, head, liberty):
    """Append the moves, other than `liberty`, that take a block beside the block with this head, one for each block."""
    width = board.width_marker.shape[0]
    other = 3 - board.color[head]
    begin = count
    stone = np.int64(head)
    while True:
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            if board.color[neighbor] == other:
                block = np.int64(board.head[neighbor])
                if board.num_liberties[block] == 1 and first_liberty(board, block) != liberty:
                    count = append_distinct(workspace, count, block)
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            break
    end = begin
    for index in range(begin, count):  # each head gives way to the block's liberty
        end = _append(board, workspace, end, first_liberty(board, np.int64(workspace.moves[index])))
    return end


@compiled
def propose_atari_defense(board, workspace):
    """Propose to move the mover's blocks beside the last move out of atari, or to take blocks beside those."""
    last = np.int64(board.last_move)
    count = np.int64(0)
    if last <= 0 or board.color[last] == EMPTY:
        return count
    width = board.width_marker.shape[0]
    color = np.int64(board.to_play)
    around = (last - width, last - 1, last + 1, last + width)
    for index in range(4):
        head = np.int64(board.head[around[index]])
        is_in_atari = board.color[around[index]] == color and board.num_liberties[head] == 1
        if is_in_atari and is_met_first(board, around, index):
            liberty = first_liberty(board, head)
            if not self_atari(board, liberty, color):
                count = _append(board, workspace, count, liberty)
            count = _append_captures_beside(board, workspace, count, head, liberty)
    return count


@compiled
def _has_liberty(board, head, point):
    """Tell whether a point is a liberty of the block with this head."""
    return (board.liberties[head, point >> 6] >> np.uint64(point & 63)) & np.uint64(1) != 0


@compiled
def _gains_liberties(board, head, point):
    """Tell whether a block gets two new liberties by its owner's move on its liberty `point`, captures left out.

    Each neighbour of the point is counted by itself: a liberty that two of them have counts twice
    (`GoUctUtil::GainsLiberties`).
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
def _append_if_good(board, workspace, count, head, liberty):
    """Append a liberty by which the block's owner would gain liberties, if the move is no self-atari."""
    if _gains_liberties(board, head, liberty) and not self_atari(board, liberty, np.int64(board.to_play)):
        count = _append(board, workspace, count, liberty)
    return count


propose_low_lib = compose_low_lib(_append_if_good)

propose_capture = compose_capture(_append)
"""Fuego lists a block again with every move beside it that leaves it in atari, and so draws it more often."""
