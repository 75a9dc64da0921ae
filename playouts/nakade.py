"""The layer `nakade`: the vital point of a three-point eye space beside the last move.

Chaslot et al. 2010, "Adding expert knowledge and exploration in Monte-Carlo tree search", section 3.2; as in
Fuego only spaces of three points in a row or an angle. Random moves almost never find this point, and both
sides need it.
"""

import numpy as np

from miai.engine.go.points import EMPTY
from miai.engine.go.tactics import append_distinct, count_neighbors
from miai.engine.jit import compiled


@compiled
def _other_empty_neighbor(board, point, known):
    """Return the highest empty neighbour of a point that is not `known`; 0 if there is none."""
    width = board.width_marker.shape[0]
    found = np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        if board.color[neighbor] == EMPTY and neighbor != known:
            found = neighbor
    return found


@compiled
def _is_end(board, point, color):
    """Tell whether an empty point touches one empty point and no stone of `color`."""
    return count_neighbors(board, point, EMPTY) == 1 and count_neighbors(board, point, color) == 0


@compiled
def _center_of_three(board, point, num_empty, color):
    """Return the middle of the space of exactly three empty points around `point`, none touching `color`; else 0.

    The point must be empty, not touch `color` and have one or two empty neighbours: `num_empty`.
    """
    center = np.int64(point)
    if num_empty == 1:
        center = _other_empty_neighbor(board, point, np.int64(0))
        if count_neighbors(board, center, EMPTY) != 2 or count_neighbors(board, center, color) != 0:
            return np.int64(0)
    first = _other_empty_neighbor(board, center, np.int64(0))
    second = _other_empty_neighbor(board, center, first)
    if _is_end(board, first, color) and _is_end(board, second, color):
        return center
    return np.int64(0)


@compiled
def propose_nakade(board, workspace):
    """Propose the middle of each three-point space of the opponent's that touches the last move."""
    last = np.int64(board.last_move)
    if last <= 0:
        return np.int64(0)
    width = board.width_marker.shape[0]
    color = np.int64(board.to_play)
    count = np.int64(0)
    for point in (last - width, last - 1, last + 1, last + width):
        if board.color[point] == EMPTY and count_neighbors(board, point, color) == 0:
            num_empty = count_neighbors(board, point, EMPTY)
            if num_empty == 1 or num_empty == 2:
                center = _center_of_three(board, point, num_empty, color)
                if center != 0:
                    count = append_distinct(workspace, count, center)
    return count
