"""Random moves in a playout as Fuego's revision 1585 makes them: in the order of a list that is shuffled once.

(`GoUctPureRandomGenerator`, which Fernando & Müller 2013 call purely random.) A point that may not be played when its
turn comes stays at the end of the list, and is played as soon as it may: a capture that was suicide before, for one. So
moves are not drawn uniformly. Points that taken stones leave go to random places.
"""

import numpy as np

from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE
from miai.engine.jit import compiled
from miai.engine.random import random_below
from miai.playouts.fuego1585.rules import is_playable
from miai.playouts.random_moves import compose_random_moves

propose_playable, sample_playable = compose_random_moves(is_playable)
"""Outside a playout: all playable moves, each with the same probability."""


@compiled
def begin_list(workspace):
    """Forget the list, at the beginning of a playout."""
    workspace.list_length = 0
    workspace.list_captures = -1
    workspace.is_listed[:] = 0


@compiled
def _list_new_points(board, workspace, length):
    """Insert empty points that are not listed, each at a random place, whose point goes to the end; return the length.

    So the point that is listed last does not come next, as in Fuego. A point that was listed, played and taken before
    its turn came stays where it is; Fuego lists it twice.
    """
    for index in range(np.int64(board.num_empty)):
        point = np.int64(board.empty_points[index])
        if workspace.is_listed[point] == 0:
            workspace.is_listed[point] = 1
            if length == 0:
                workspace.listed_points[0] = point
            else:
                place = random_below(workspace, length)
                workspace.listed_points[length] = workspace.listed_points[place]
                workspace.listed_points[place] = point
            length += 1
    return length


@compiled
def sample_listed(board, workspace):
    """Return the last playable point of the list; PASS if there is none."""
    color = np.int64(board.to_play)
    length = np.int64(workspace.list_length)
    captures = np.int64(board.num_captured[BLACK] + board.num_captured[WHITE])
    if captures != workspace.list_captures:
        workspace.list_captures = captures
        length = _list_new_points(board, workspace, length)
    move = np.int64(PASS)
    index = length
    while index > 0:
        index -= 1
        point = np.int64(workspace.listed_points[index])
        if board.color[point] != EMPTY:
            workspace.is_listed[point] = 0
            length -= 1
            workspace.listed_points[index] = workspace.listed_points[length]
        elif is_playable(board, point, color):
            move = point
            break
    workspace.list_length = length
    return move
