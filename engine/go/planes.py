"""A position as planes of zeros and ones, from the view of the player to move, for a learner to look at."""

import numpy as np

from miai.engine.go.actions import action_of_point
from miai.engine.go.points import BLACK, EMPTY, PASS
from miai.engine.jit import compiled

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


_ONE = np.uint64(1)
_NUM_STONE_PLANES = 5
_LAST_MOVE, _LEGAL, _PASSED, _BLACK = 5, 7, 8, 9


@compiled
def _find_features(game):
    """Write the first planes as bits of `game.features`: one pass over the points, what follows runs in vectors."""
    board = game.board
    own = np.uint8(board.to_play)
    width = np.uint64(board.width_marker.shape[0])
    size = width - _ONE
    for row in range(size):
        first_point = np.uint64(row + 1) * width + _ONE
        first = np.uint64(row) * size
        for column in range(size):
            point = first_point + np.uint64(column)
            color = board.color[point]
            count = board.num_liberties[np.uint64(board.head[point])]
            game.features[first + np.uint64(column)] = (
                np.uint8(color == own)
                | (np.uint8((color != own) & (color != EMPTY)) << 1)
                | (np.uint8(count == 1) << 2)
                | (np.uint8(count == 2) << 3)
                | (np.uint8(count > 2) << 4)
            )


@compiled
def _fill(plane, value):
    for index in range(plane.shape[0]):
        plane[index] = value


@compiled
def write_planes(game, mask, planes):
    """Write the planes of a position, int8 [len(PLANES), size·size], row-major from the top left.

    One loop for each plane, which the compiler turns into vector instructions: half the time of one loop for all.
    `mask` is what `miai.engine.go.batch.write_mask` wrote for the same position.
    """
    board = game.board
    size = np.int64(board.width_marker.shape[0]) - 1
    num_points = size * size
    _find_features(game)
    for plane in range(_NUM_STONE_PLANES):
        for index in range(num_points):
            planes[plane, index] = (game.features[index] >> plane) & 1
    for index in range(num_points):
        planes[_LEGAL, index] = mask[index]
    _fill(planes[_LAST_MOVE], np.int8(0))
    _fill(planes[_LAST_MOVE + 1], np.int8(0))
    _fill(planes[_PASSED], np.int8(board.num_passes > 0))
    _fill(planes[_BLACK], np.int8(board.to_play == BLACK))
    if board.last_move > PASS:
        planes[_LAST_MOVE, action_of_point(board.last_move, size)] = 1
    if board.second_last_move > PASS:
        planes[_LAST_MOVE + 1, action_of_point(board.second_last_move, size)] = 1
