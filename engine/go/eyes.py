"""Eyes: the empty points that playouts leave alone."""

import numpy as np

from engine.go.points import BLACK, BORDER, EMPTY, WHITE
from engine.jit import compiled

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
    if (colors[point - width] & colors[point - _ONE] & colors[point + _ONE] & colors[point + width] & color) == 0:
        return False
    other = np.uint8(3 - color)
    north_west, north_east = colors[point - width - _ONE], colors[point - width + _ONE]
    south_west, south_east = colors[point + width - _ONE], colors[point + width + _ONE]
    hostile = (
        np.int64(north_west == other)
        + np.int64(north_east == other)
        + np.int64(south_west == other)
        + np.int64(south_east == other)
    )
    at_edge = (north_west == BORDER) | (north_east == BORDER) | (south_west == BORDER) | (south_east == BORDER)
    return hostile + np.int64(at_edge) < 2


assert (EMPTY, BLACK, WHITE, BORDER) == (0, 1, 2, 3), "is_own_eye reads colours as bits"
