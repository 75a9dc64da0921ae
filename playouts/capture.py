"""The layer `capture`: blocks in atari anywhere."""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.tactics import append_distinct
from miai.engine.intrinsics import equal_mask, trailing_zeros
from miai.engine.jit import compiled

_ONE = np.uint64(1)


@compiled
def propose_capture(board, workspace):
    """Propose every move that takes a block, anywhere on the board, unless ko forbids it."""
    other = np.uint8(3 - board.to_play)
    count = np.int64(0)
    for word in range(board.liberties.shape[1]):
        # heads of the opponent's blocks in atari, 64 points at a time
        heads = equal_mask(board.num_liberties, word, np.uint8(1)) & equal_mask(board.color, word, other)
        while heads != 0:
            liberty = first_liberty(board, np.uint64(word * 64 + trailing_zeros(heads)))
            heads &= heads - _ONE
            if liberty != board.ko_point:
                count = append_distinct(workspace, count, liberty)
    return count
