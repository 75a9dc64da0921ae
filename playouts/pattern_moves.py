"""The layers `pattern` and `biased_pattern`: 3x3 shapes around the last two moves."""

import functools

import numpy as np

from miai.engine.go.points import EMPTY
from miai.engine.go.tactics import self_atari
from miai.engine.jit import Compiled, compiled
from miai.playouts.patterns import code_of_columns, pattern_columns

_BYTE = np.uint64(8)
_TWO_BYTES = np.uint64(16)
_SIX_BITS = np.uint64(63)


@functools.cache
def compose_matches(level_at: Compiled) -> Compiled:
    """Return compiled `append_matches(board, workspace, center, excluded, count) -> count`.

    It appends the points of the nine around `center`, not of those around `excluded`, whose neighbourhood matches:
    where compiled `level_at(workspace, code)` is not 0. Their levels are left in `workspace.levels`.
    """

    @compiled
    def append_match(board, workspace, point, columns, excluded, count):
        """Append a point if it counts; return the new count.

        The point is written in any case and the count moves on only if it counts: there is nothing to branch on.
        """
        width = board.width_marker.shape[0]
        level = level_at(workspace, code_of_columns(columns))
        # bit `offset + width + 1` is set if a point at this offset from `excluded` is one of the nine around it
        around = np.uint64(7 | (7 << width) | (7 << (2 * width)))
        shift = np.uint64(point - excluded + width + 1)
        is_near = (shift <= np.uint64(2 * width + 2)) & (((around >> (shift & _SIX_BITS)) & np.uint64(1)) != 0)
        workspace.moves[np.uint64(count)] = point
        workspace.levels[np.uint64(count)] = level
        return count + np.int64((level != 0) & (not is_near))

    @compiled
    def append_matches(board, workspace, center, excluded, count):
        width = board.width_marker.shape[0]
        for start in (center - width, center, center + width):
            columns = pattern_columns(board, start - 2)
            count = append_match(board, workspace, start - 1, columns, excluded, count)
            count = append_match(board, workspace, start, columns >> _BYTE, excluded, count)
            count = append_match(board, workspace, start + 1, columns >> _TWO_BYTES, excluded, count)
        return count

    return append_matches


@compiled
def level_at(workspace, code):
    """Return the level of a shape's strength; 0 = no shape."""
    return workspace.pattern_levels[code]


_append_matches = compose_matches(level_at)


@compiled
def propose_patterns(board, workspace):
    """Propose the moves around the last two moves whose 3x3 shape matches a pattern, no self-atari.

    Writes the learned strengths into `workspace.weights`; the layer `pattern` ignores them, `biased_pattern` samples
    by them.
    """
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return np.int64(0)
    far = np.int64(-4096)  # touches nothing
    num_matches = _append_matches(board, workspace, last, far, np.int64(0))
    second_last = np.int64(board.second_last_move)
    if second_last > 0:
        num_matches = _append_matches(board, workspace, second_last, last, num_matches)
    color = np.int64(board.to_play)
    count = np.int64(0)
    for index in range(num_matches):
        point = np.int64(workspace.moves[index])
        if not self_atari(board, point, color):
            workspace.moves[count] = point
            workspace.weights[count] = workspace.level_strengths[workspace.levels[index]]
            count += 1
    return count
