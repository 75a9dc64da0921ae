"""What Fuego's revision 1585 plays in no playout, whatever proposes it (`GoUctUtil::GeneratePoint`).

That is what fills a point which it takes for an eye, and a self-atari of more than two stones, no nakade, where the
opponent's move would be one as well: in a seki neither begins.
"""

import numpy as np

from miai.engine.go.legality import leaves_liberty
from miai.engine.go.points import EMPTY
from miai.engine.go.tactics import captures_at, count_neighbors, is_met_first, liberties_after
from miai.engine.jit import compiled

LARGEST_NAKADE = 6
"""Stones up to which a self-atari may be a nakade."""
_MOST_GIVEN = 2
"""Stones up to which a self-atari is played in a seki."""

_ONE = np.uint64(1)


@compiled
def _joins_free_block(board, point, color):
    """Tell whether a block of `color` beside a point has more than two liberties."""
    width = board.width_marker.shape[0]
    for neighbor in (point - width, point - 1, point + 1, point + width):
        if board.color[neighbor] == color and board.num_liberties[board.head[neighbor]] > 2:
            return True
    return False


@compiled
def self_atari(board, point, color):
    """Tell whether `color`, playing on an empty point, would leave its own block with one liberty.

    A lone stone that takes something would not, and suicide is none (`GoBoardUtil::SelfAtariForColor`).
    """
    if count_neighbors(board, point, EMPTY) >= 2 or _joins_free_block(board, point, color):
        return False
    if liberties_after(board, point, color) != 1:
        return False
    return count_neighbors(board, point, color) > 0 or not captures_at(board, point, color)


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
def block_size_after(board, point, color):
    """Return the stones of the block that a stone here becomes part of; a block that touches twice counts once."""
    width = board.width_marker.shape[0]
    around = (point - width, point - 1, point + 1, point + width)
    size = np.int64(1)
    for index in range(4):
        if board.color[around[index]] == color and is_met_first(board, around, index):
            size += np.int64(board.block_size[board.head[around[index]]])
    return size


@compiled
def _degrees_of_block(board, head, point, color):
    """Return the sum of 10 ** n over a block's stones, n the neighbours of `color` once it has a stone on `point`."""
    width = board.width_marker.shape[0]
    total = np.int64(0)
    stone = np.int64(head)
    while True:
        away = abs(stone - point)
        total += 10 ** (count_neighbors(board, stone, color) + np.int64(away == 1 or away == width))
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            return total


@compiled
def makes_nakade(board, point, color):
    """Tell whether a stone here makes a block of a shape that leaves whoever takes it one eye.

    Up to three stones always; a square, a T; a bulky five, a cross; a rabbity six.
    """
    size = block_size_after(board, point, color)
    if size <= 3:
        return True
    if size > LARGEST_NAKADE:
        return False
    width = board.width_marker.shape[0]
    around = (point - width, point - 1, point + 1, point + width)
    degrees = np.int64(10 ** count_neighbors(board, point, color))
    for index in range(4):
        if board.color[around[index]] == color and is_met_first(board, around, index):
            degrees += _degrees_of_block(board, np.int64(board.head[around[index]]), point, color)
    if size == 4:
        return degrees == 400 or degrees == 1030
    if size == 5:
        return degrees == 1310 or degrees == 10040
    return degrees == 10320


@compiled
def is_mutual_atari(board, point, color):
    """Tell whether a move gives up more than two stones, no nakade, where the opponent's would be self-atari as well.

    (`GoUctUtil::IsMutualAtari`.)
    """
    other = 3 - color
    if count_neighbors(board, point, other) == 0 or count_neighbors(board, point, color) == 0:
        return False
    if _joins_free_block(board, point, color) or block_size_after(board, point, color) <= _MOST_GIVEN:
        return False
    if not self_atari(board, point, color) or makes_nakade(board, point, color):
        return False
    return self_atari(board, point, other)


@compiled
def is_playable(board, point, color):
    """Tell whether revision 1585 would play on an empty point in a playout: simple ko, no suicide."""
    num_empty = count_neighbors(board, point, EMPTY)
    if num_empty >= 2:
        return True
    color = np.uint8(color)
    if num_empty == 0:
        if point == board.ko_point or is_surrounded(board, point, color):
            return False
        if not leaves_liberty(board, np.uint64(point), color):
            return False
    return not is_mutual_atari(board, np.int64(point), np.int64(color))
