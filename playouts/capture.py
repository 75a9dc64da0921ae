"""The layer `capture`: blocks in atari anywhere."""

import numpy as np

from engine.go.board import first_liberty
from engine.go.tactics import append_distinct
from engine.jit import compiled


@compiled
def _count_in_atari(board, color):
    """Count the blocks of a colour in atari; a plain pass over the bytes, which the compiler turns into vectors."""
    count = np.uint8(0)
    for point in range(board.color.shape[0]):
        count += np.uint8((board.num_liberties[point] == 1) & (board.color[point] == color))
    return count


@compiled
def propose_capture(board, scratch):
    """Propose every move that takes a block, anywhere on the board, unless ko forbids it."""
    other = np.uint8(3 - board.to_play)
    count = np.int64(0)
    left = np.int64(_count_in_atari(board, other))
    point = np.int64(0)
    while left > 0:
        if board.num_liberties[point] == 1 and board.color[point] == other:
            left -= 1
            liberty = first_liberty(board, point)
            if liberty != board.ko_point:
                count = append_distinct(scratch, count, liberty)
        point += 1
    return count
