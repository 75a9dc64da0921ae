"""The layer `capture`: blocks in atari anywhere."""

import functools

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.tactics import append_distinct
from miai.engine.intrinsics import equal_mask, trailing_zeros
from miai.engine.jit import Compiled, compiled

_ONE = np.uint64(1)


@functools.cache
def compose_capture(append: Compiled) -> Compiled:
    """Return compiled `propose(board, workspace) -> count`: every move that takes a block, anywhere on the board.

    Compiled `append(board, workspace, count, move) -> count` is asked once for each block.
    """

    @compiled
    def propose(board, workspace):
        other = np.uint8(3 - board.to_play)
        count = np.int64(0)
        for word in range(board.liberties.shape[1]):
            # heads of the opponent's blocks in atari, 64 points at a time
            heads = equal_mask(board.num_liberties, word, np.uint8(1)) & equal_mask(board.color, word, other)
            while heads != 0:
                liberty = first_liberty(board, np.uint64(word * 64 + trailing_zeros(heads)))
                heads &= heads - _ONE
                count = append(board, workspace, count, np.int64(liberty))
        return count

    return propose


@compiled
def _append_unless_ko(board, workspace, count, move):
    return append_distinct(workspace, count, move) if move != board.ko_point else count


propose_capture = compose_capture(_append_unless_ko)
