"""The layer `random`: any legal move that fills no own eye, each with the same probability."""

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.legality import has_empty_neighbor, leaves_liberty
from miai.engine.go.points import PASS
from miai.engine.jit import compiled
from miai.engine.random import random_below


@compiled
def is_playable(board, point, color):
    """Tell whether a move on an empty point is legal (simple ko, no suicide) and fills no own eye.

    A point with an empty neighbour is always playable: it is no eye, leaves a liberty, and a ko point never
    has one.
    """
    if has_empty_neighbor(board, point):
        return True
    if point == board.ko_point or is_own_eye(board, point, color):
        return False
    return leaves_liberty(board, point, color)


@compiled
def sample_random(board, workspace):
    """Sample uniformly from all playable moves; PASS if there is none.

    Samples empty points until one is playable; a rejected one leaves the range that is sampled, so that
    each playable move keeps the same chance. Reorders `empty_points`.
    """
    color = np.uint8(board.to_play)
    left = np.int64(board.num_empty)
    while left > 0:
        index = random_below(workspace, left)
        point = np.uint64(board.empty_points[np.uint64(index)])
        if is_playable(board, point, color):
            return np.int64(point)
        left -= 1
        swapped = np.uint64(board.empty_points[np.uint64(left)])
        board.empty_points[np.uint64(left)] = point
        board.empty_points[np.uint64(index)] = swapped
        board.empty_index[point] = left
        board.empty_index[swapped] = index
    return np.int64(PASS)


@compiled
def propose_random(board, workspace):
    """Propose all playable moves: the set that `sample_random` samples."""
    color = np.uint8(board.to_play)
    count = np.int64(0)
    for index in range(np.int64(board.num_empty)):
        point = np.uint64(board.empty_points[index])
        if is_playable(board, point, color):
            workspace.moves[count] = point
            count += 1
    return count
