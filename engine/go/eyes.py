"""Eyes: the empty points that playouts leave alone."""

import numpy as np

from miai.engine.go.points import BLACK, BORDER, EMPTY, WHITE
from miai.engine.jit import compiled

_ONE = np.uint64(1)


@compiled
def is_own_eye(board, point, color):
    """Tell whether an empty point is a one-point eye of `color` that is not false.

    All four neighbours are own stones or border, and of the four diagonal points at most one is the
    opponent's, none at the border (the usual playout rule, Gelly et al. 2006).
    """
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    colors = board.color
    north, west, east, south = colors[point - width], colors[point - _ONE], colors[point + _ONE], colors[point + width]
    if (north & west & east & south & color) == 0:
        return False
    # the border has the bits of both colours: beside it one diagonal point more than direct ones is border
    other = np.uint8(3 - color)
    diagonal = (
        np.int64(colors[point - width - _ONE] & other)
        + np.int64(colors[point - width + _ONE] & other)
        + np.int64(colors[point + width - _ONE] & other)
        + np.int64(colors[point + width + _ONE] & other)
    )
    direct = np.int64(north & other) + np.int64(west & other) + np.int64(east & other) + np.int64(south & other)
    return diagonal - direct < 2 * np.int64(other)


assert (EMPTY, BLACK, WHITE, BORDER) == (0, 1, 2, 3), "is_own_eye reads colours as bits"
