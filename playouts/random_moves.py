"""The layer `random`: any legal move that fills no own eye, each with the same probability."""

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
def compose_random_moves(is_allowed: Compiled) -> RandomMoves:
    """Return the functions of a layer whose moves are those that compiled `is_allowed(board, point, color)` allows."""

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


propose_random, sample_random = compose_random_moves(is_playable)
