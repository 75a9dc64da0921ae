"""A position as planes of zeros and ones, from the view of the player to move, for a learner to look at."""

import numpy as np

from engine.go.batch import point_of_action
from engine.go.points import BLACK, EMPTY
from engine.jit import compiled

PLANES = (
    "own stones",
    "opponent's stones",
    "stones of blocks with one liberty",
    "stones of blocks with two liberties",
    "stones of blocks with three liberties or more",
    "last move",
    "the move before it",
    "legal points",
    "all ones if the last move was a pass",
    "all ones if Black is to play",
)
"""What each plane shows, in order."""


@compiled
def write_planes(game, planes):
    """Write the planes of a position, int8 [len(PLANES), size·size], row-major from the top left."""
    board = game.board
    num_points = np.uint64(game.owners.shape[0])
    own = np.uint8(board.to_play)
    passed = np.int8(board.num_passes > 0)
    black = np.int8(own == BLACK)
    for index in range(num_points):
        point = point_of_action(board, index)
        color = board.color[point]
        count = board.num_liberties[np.uint64(board.head[point])]
        planes[0, index] = color == own
        planes[1, index] = (color != own) & (color != EMPTY)
        planes[2, index] = count == 1
        planes[3, index] = count == 2
        planes[4, index] = count > 2
        planes[5, index] = point == np.uint64(board.last_move)
        planes[6, index] = point == np.uint64(board.second_last_move)
        planes[7, index] = (game.legal[point >> np.uint64(6)] >> (point & np.uint64(63))) & np.uint64(1)
        planes[8, index] = passed
        planes[9, index] = black
