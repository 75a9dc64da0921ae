"""The layers `pattern` and `biased_pattern`: 3x3 shapes around the last two moves."""

import numpy as np

from engine.go.points import EMPTY
from engine.go.tactics import self_atari
from engine.jit import compiled
from playouts.patterns import pattern_strength


@compiled
def _append_matches(board, scratch, center, excluded, count):
    """Append the matching moves around `center` that do not touch `excluded`, with strengths; return the new count."""
    width = board.width_marker.shape[0]
    color = np.int64(board.to_play)
    # bit `offset + width + 1` is set if a point at this offset from `excluded` is one of the nine around it
    around = np.int64(7) | (np.int64(7) << width) | (np.int64(7) << (2 * width))
    for offset in (-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1):
        point = center + offset
        if board.color[point] == EMPTY:
            strength = pattern_strength(board, scratch, point)
            if strength > 0.0:
                shift = point - excluded + width + 1
                is_near = shift >= 0 and shift <= 2 * width + 2 and ((around >> shift) & 1) == 1
                if not is_near and not self_atari(board, point, color):
                    scratch.moves[count] = point
                    scratch.weights[count] = strength
                    count += 1
    return count


@compiled
def propose_patterns(board, scratch):
    """Propose the moves around the last two moves whose 3x3 shape matches a pattern, no self-atari.

    Writes the learned strengths into `scratch.weights`; the layer `pattern` ignores them, `biased_pattern` draws
    by them.
    """
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return np.int64(0)
    far = np.int64(-4096)  # a point that touches nothing
    count = _append_matches(board, scratch, last, far, np.int64(0))
    second_last = np.int64(board.second_last_move)
    if second_last > 0:
        count = _append_matches(board, scratch, second_last, last, count)
    return count
