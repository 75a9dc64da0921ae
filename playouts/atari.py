"""The layers `atari_capture` and `atari_defense`: what the last move left or put in atari.

Gelly et al. 2006, section 3.2; Fuego's layers of the same names.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.tactics import append_captures, append_distinct, liberties_after
from miai.engine.jit import compiled


@compiled
def propose_atari_capture(board, workspace):
    """Propose to take the block of the last move if it is in atari, unless ko forbids it."""
    last = np.int64(board.last_move)
    if last <= 0:
        return np.int64(0)
    head = np.int64(board.head[last])
    if board.num_liberties[head] != 1:
        return np.int64(0)
    liberty = first_liberty(board, head)
    if liberty == board.ko_point:
        return np.int64(0)
    workspace.moves[0] = liberty
    return np.int64(1)


@compiled
def append_rescues(board, head, workspace, count):
    """Append the moves that save the block with this head, in atari and the mover's own; return the new count.

    A rescue is to play on its liberty if it then has two or more, or to take a block beside it. Filling what
    the eye rule calls an own eye is allowed here: the block in atari is part of that eye's wall.
    """
    liberty = first_liberty(board, head)
    if liberty != board.ko_point:
        if liberties_after(board, liberty, np.int64(board.to_play)) >= 2:
            count = append_distinct(workspace, count, liberty)
    return append_captures(board, head, workspace, count)


@compiled
def propose_atari_defense(board, workspace):
    """Propose what saves the mover's blocks beside the last move that are in atari."""
    last = np.int64(board.last_move)
    count = np.int64(0)
    if last <= 0:
        return count
    width = board.width_marker.shape[0]
    color = np.int64(board.to_play)
    for neighbor in (last - width, last - 1, last + 1, last + width):
        if board.color[neighbor] == color:
            head = np.int64(board.head[neighbor])
            if board.num_liberties[head] == 1:
                count = append_rescues(board, head, workspace, count)
    return count
