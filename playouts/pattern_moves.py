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
def compose_patterns(level_at: Compiled, strength_of: Compiled, is_allowed: Compiled) -> Compiled:
    """Return compiled `propose(board, workspace) -> count`: the moves around the last two moves that match a pattern.

    It writes the learned strengths into `workspace.weights`, which a layer may ignore or sample by.

    Args:
        level_at: compiled `level_at(workspace, code)`: the level of a pattern's strength; 0 = no pattern.
        strength_of: compiled `strength_of(workspace, level)`.
        is_allowed: compiled `is_allowed(board, point, color)`: whether a move that matches is proposed.
    """

    @compiled
    def append_match(board, workspace, point, columns, excluded, count):
        """Append a point if its neighbourhood matches and `excluded` is not one of the nine; return the new count.

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
        """Append the matching points around `center` that are not around `excluded`; return the new count."""
        width = board.width_marker.shape[0]
        for start in (center - width, center, center + width):
            columns = pattern_columns(board, start - 2)
            count = append_match(board, workspace, start - 1, columns, excluded, count)
            count = append_match(board, workspace, start, columns >> _BYTE, excluded, count)
            count = append_match(board, workspace, start + 1, columns >> _TWO_BYTES, excluded, count)
        return count

    @compiled
    def propose(board, workspace):
        last = np.int64(board.last_move)
        if last <= 0 or board.color[last] == EMPTY:
            return np.int64(0)
        far = np.int64(-4096)  # touches nothing
        num_matches = append_matches(board, workspace, last, far, np.int64(0))
        second_last = np.int64(board.second_last_move)
        if second_last > 0:
            num_matches = append_matches(board, workspace, second_last, last, num_matches)
        color = np.int64(board.to_play)
        count = np.int64(0)
        for index in range(num_matches):
            point = np.int64(workspace.moves[index])
            if is_allowed(board, point, color):
                workspace.moves[count] = point
                workspace.weights[count] = strength_of(workspace, workspace.levels[index])
                count += 1
        return count

    return propose


@compiled
def level_at(workspace, code):
    """Return the level of a shape's strength; 0 = no shape."""
    return workspace.pattern_levels[code]


@compiled
def _strength_of(workspace, level):
    return workspace.level_strengths[level]


@compiled
def _is_no_self_atari(board, point, color):
    return not self_atari(board, point, color)


propose_patterns = compose_patterns(level_at, _strength_of, _is_no_self_atari)
"""The layer `pattern` ignores the strengths, `biased_pattern` samples by them."""
