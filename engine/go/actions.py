"""Moves numbered without the border, as networks, files of games and environments number them.

An *action* is a point counted row-major from the top left, 0 to size·size - 1, or size·size for a pass.
"""

import numpy as np

from miai.engine.go.points import PASS
from miai.engine.jit import compiled


@compiled
def point_of_action(action, size):
    """Return the point that an action below size·size means, uint64."""
    action, size = np.uint64(action), np.uint64(size)
    return action + action // size + size + np.uint64(2)


@compiled
def action_of_point(point, size):
    """Return the action that plays a point, int64."""
    point, width = np.uint64(point), np.uint64(size + 1)
    return np.int64(point - width - point // width)


@compiled
def move_of_action(action, size):
    """Return the move of an action, a point or PASS, int64."""
    return np.int64(PASS) if action == size * size else np.int64(point_of_action(action, size))


@compiled
def action_of_move(move, size):
    """Return the action of a move, a point or PASS, int64."""
    return np.int64(size * size) if move == PASS else action_of_point(move, size)
