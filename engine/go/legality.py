"""Which moves the rules allow: occupied points, suicide, ko and superko, without making the move."""

import numpy as np

from miai.engine.go.board import KEYS
from miai.engine.go.history import contains_key
from miai.engine.go.points import BORDER, EMPTY, PASS
from miai.engine.jit import compiled

_ONE = np.uint64(1)

LEGAL = 0
OCCUPIED = 1
SUICIDE = 2
KO = 3
SUPERKO = 4
REASONS: tuple[str | None, ...] = (None, "occupied", "suicide", "ko", "superko")
"""The name of each value that `illegality` returns."""


@compiled
def has_empty_neighbor(board, point):
    """Tell whether one of the four neighbours is empty."""
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    colors = board.color
    return (
        (np.int64(colors[point - width]) - 1)
        | (np.int64(colors[point - _ONE]) - 1)
        | (np.int64(colors[point + _ONE]) - 1)
        | (np.int64(colors[point + width]) - 1)
    ) < 0


@compiled
def _gives_liberty(board, neighbor, color):
    """Tell whether a stone beside a block breathes by it: an own one with another liberty, or one that it takes."""
    in_atari = board.num_liberties[np.uint64(board.head[neighbor])] == 1
    return np.int64(in_atari) ^ np.int64(board.color[neighbor] == color)


@compiled
def leaves_liberty(board, point, color):
    """Tell whether a stone of `color` on an empty point has a liberty or takes a block: it is no suicide."""
    if has_empty_neighbor(board, point):
        return True
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    return (
        _gives_liberty(board, point - width, color)
        | _gives_liberty(board, point - _ONE, color)
        | _gives_liberty(board, point + _ONE, color)
        | _gives_liberty(board, point + width, color)
    ) != 0


@compiled
def key_after(board, point, color):
    """Return the Zobrist key of the position after `color` plays on an empty point.

    Composed of the keys of the stone and of the blocks that disappear: the opponent's in atari at this point, or,
    where a suicide takes none of these, the own ones.
    """
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    other = 3 - color
    taken_key = np.uint64(0)
    own_key = np.uint64(0)
    survives = False
    seen_1, seen_2, seen_3 = np.uint64(0), np.uint64(0), np.uint64(0)
    for neighbor in (point - width, point - _ONE, point + _ONE, point + width):
        neighbor_color = board.color[neighbor]
        if neighbor_color == EMPTY:
            survives = True
        elif neighbor_color != BORDER:
            head = np.uint64(board.head[neighbor])
            if head != seen_1 and head != seen_2 and head != seen_3:
                seen_3, seen_2, seen_1 = seen_2, seen_1, head
                if board.num_liberties[head] > 1:
                    survives |= neighbor_color == color
                elif neighbor_color == other:
                    survives = True
                    taken_key ^= board.block_key[head]
                else:
                    own_key ^= board.block_key[head]
    if survives:
        return board.key ^ KEYS[color, point] ^ taken_key
    return board.key ^ own_key


@compiled
def retakes_ko(board, point, color):
    """Tell whether this move retakes the ko just taken: the ko point lies among the opponent's stones."""
    if point != board.ko_point:
        return False
    point = np.uint64(point)
    return board.color[point - _ONE] != color and board.color[point + _ONE] != color


@compiled
def illegality(board, history, point, color, positional_superko, suicide):
    """Return why `color` may not play `point`, one of OCCUPIED SUICIDE KO SUPERKO, or LEGAL. PASS is legal.

    `history` holds the keys of all positions up to now, the current and the set-up position included. It is read
    only if `positional_superko`.
    """
    if point == PASS:
        return LEGAL
    if board.color[np.uint64(point)] != EMPTY:
        return OCCUPIED
    if retakes_ko(board, point, color):
        return KO
    if not suicide and not leaves_liberty(board, point, color):
        return SUICIDE
    if positional_superko and contains_key(history, key_after(board, point, color)):
        return SUPERKO
    return LEGAL


@compiled
def is_legal(board, history, point, color, positional_superko, suicide):
    """Tell whether `color` may play `point`; see `illegality`."""
    return illegality(board, history, point, color, positional_superko, suicide) == LEGAL


@compiled
def legal_points(board, history, color, positional_superko, suicide, points):
    """Write the points that `color` may play to `points`, an integer array [size·size]; return their number."""
    count = 0
    for index in range(board.num_empty):
        point = np.int64(board.empty_points[index])
        if is_legal(board, history, point, color, positional_superko, suicide):
            points[count] = point
            count += 1
    return count
