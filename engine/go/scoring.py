"""The area score of a position as it stands (Tromp-Taylor rules 6 to 8): no stone is taken for dead."""

import numpy as np

from engine.go.points import BLACK, BORDER, EMPTY, WHITE
from engine.jit import compiled

_OWNERS = np.array([0, 1, -1, 0], dtype=np.int8)
"""Owner of an empty region by the stones it touches, as bits BLACK and WHITE: both or none own nothing."""


@compiled
def area(board, out):
    """Write the owner of every point to `out`, int8 [size·size], row-major from the top left; return the score.

    1 is Black's, -1 White's, 0 neither's: a player owns the stones of the colour and the empty regions that touch no
    other colour. The score is Black's points minus White's, without komi.
    """
    width = board.width_marker.shape[0]
    size = width - 1
    colors = board.color
    seen = np.zeros(colors.shape[0], dtype=np.uint8)
    stack = np.empty(size * size, dtype=np.int16)
    score = 0
    for row in range(size):
        for column in range(size):
            start = (row + 1) * width + column + 1
            color = colors[start]
            if color == BLACK or color == WHITE:
                owner = _OWNERS[color]
                out[row * size + column] = owner
                score += owner
            elif seen[start] == 0:
                num_found = 1
                num_done = 0
                touched = 0
                stack[0] = start
                seen[start] = 1
                while num_done < num_found:
                    point = np.int64(stack[num_done])
                    num_done += 1
                    for neighbor in (point - width, point - 1, point + 1, point + width):
                        neighbor_color = colors[neighbor]
                        if neighbor_color == EMPTY:
                            if seen[neighbor] == 0:
                                seen[neighbor] = 1
                                stack[num_found] = neighbor
                                num_found += 1
                        elif neighbor_color != BORDER:
                            touched |= neighbor_color
                owner = _OWNERS[touched]
                score += owner * num_found
                for index in range(num_found):
                    point = np.int64(stack[index])
                    out[point - width - point // width] = owner
    return score


@compiled
def area_score(board):
    """Return Black's area minus White's, in points, without komi; see `area`."""
    size = board.width_marker.shape[0] - 1
    return area(board, np.empty(size * size, dtype=np.int8))
