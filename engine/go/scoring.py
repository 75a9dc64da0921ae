"""The area score of a position as it stands (Tromp-Taylor rules 6 to 8): no stone is taken for dead."""

import numpy as np

from miai.engine.go.points import BLACK, BORDER, EMPTY, WHITE
from miai.engine.jit import compiled

_ONE = np.uint64(1)
_OWNERS = np.array([0, 1, -1, 0], dtype=np.int8)
"""Owner of an empty region by the stones it touches, as bits BLACK and WHITE: both or none own nothing."""


@compiled
def area(board, out):
    """Write the owner of every point to `out`, int8 [size·size], row-major from the top left; return the score.

    1 is Black's, -1 White's, 0 neither's: a player owns the stones of the colour and the empty regions that touch no
    other colour. The score is Black's points minus White's, without komi.
    """
    width = np.uint64(board.width_marker.shape[0])
    size = width - _ONE
    colors = board.color
    seen = np.zeros(colors.shape[0], dtype=np.uint8)
    stack = np.empty(size * size, dtype=np.uint16)
    score = 0
    for row in range(size):
        for column in range(size):
            start = np.uint64(row + 1) * width + np.uint64(column + 1)
            color = colors[start]
            if color == BLACK or color == WHITE:
                owner = _OWNERS[color]
                out[np.uint64(row) * size + np.uint64(column)] = owner
                score += owner
            elif seen[start] == 0:
                num_found = np.uint64(1)
                num_done = np.uint64(0)
                touched = np.uint8(0)
                stack[num_done] = start
                seen[start] = 1
                while num_done < num_found:
                    point = np.uint64(stack[num_done])
                    num_done += _ONE
                    for neighbor in (point - width, point - _ONE, point + _ONE, point + width):
                        neighbor_color = colors[neighbor]
                        if neighbor_color == EMPTY:
                            if seen[neighbor] == 0:
                                seen[neighbor] = 1
                                stack[num_found] = neighbor
                                num_found += _ONE
                        elif neighbor_color != BORDER:
                            touched |= neighbor_color
                owner = _OWNERS[touched]
                score += np.int64(owner) * np.int64(num_found)
                for index in range(num_found):
                    point = np.uint64(stack[index])
                    out[point - width - point // width] = owner
    return score


@compiled
def area_score(board):
    """Return Black's area minus White's, in points, without komi; see `area`."""
    size = board.width_marker.shape[0] - 1
    return area(board, np.empty(size * size, dtype=np.int8))
