"""The layers `random` and `listed_random`: any legal move that fills no own eye, each with the same probability.

What is an eye differs. For `random` a false one is none; for `listed_random`, as in Fuego's revision 1585, it is one
while no block around it is in atari.
"""

import functools
from typing import NamedTuple

import numpy as np

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.legality import has_empty_neighbor, leaves_liberty
from miai.engine.go.points import PASS
from miai.engine.jit import Compiled, compiled
from miai.engine.random import random_below

_ONE = np.uint64(1)


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
def is_surrounded(board, point, color):
    """Tell whether all four neighbours of a point are stones of `color` or border, none of them in atari."""
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    north, west, east, south = point - width, point - _ONE, point + _ONE, point + width
    colors = board.color
    if (colors[north] & colors[west] & colors[east] & colors[south] & color) == 0:
        return False  # the border has the bits of both colours
    for neighbor in (north, west, east, south):
        if board.num_liberties[np.uint64(board.head[neighbor])] == 1:
            return False
    return True


@compiled
def is_playable_unless_surrounded(board, point, color):
    """Tell whether a move on an empty point is legal (simple ko, no suicide) and the point not `is_surrounded`."""
    if has_empty_neighbor(board, point):
        return True
    if point == board.ko_point or is_surrounded(board, point, color):
        return False
    return leaves_liberty(board, point, color)


class RandomMoves(NamedTuple):
    """The compiled functions of a layer of random moves."""

    propose: Compiled
    """`propose(board, workspace) -> count`: all playable moves."""
    sample: Compiled
    """`sample(board, workspace) -> move`: one of them, each with the same probability; PASS if there is none.

    Samples empty points until one is playable; a rejected one leaves the range that is sampled, so that
    each playable move keeps the same chance. Reorders `empty_points`.
    """


@functools.cache
def _compose(is_allowed: Compiled) -> RandomMoves:
    @compiled
    def sample(board, workspace):
        color = np.uint8(board.to_play)
        left = np.int64(board.num_empty)
        while left > 0:
            index = random_below(workspace, left)
            point = np.uint64(board.empty_points[np.uint64(index)])
            if is_allowed(board, point, color):
                return np.int64(point)
            left -= 1
            swapped = np.uint64(board.empty_points[np.uint64(left)])
            board.empty_points[np.uint64(left)] = point
            board.empty_points[np.uint64(index)] = swapped
            board.empty_index[point] = left
            board.empty_index[swapped] = index
        return np.int64(PASS)

    @compiled
    def propose(board, workspace):
        color = np.uint8(board.to_play)
        count = np.int64(0)
        for index in range(np.int64(board.num_empty)):
            point = np.uint64(board.empty_points[index])
            if is_allowed(board, point, color):
                workspace.moves[count] = point
                count += 1
        return count

    return RandomMoves(propose, sample)


propose_random, sample_random = _compose(is_playable)
propose_unless_surrounded, sample_unless_surrounded = _compose(is_playable_unless_surrounded)
