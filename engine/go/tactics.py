"""Tactical questions about a position: liberties after a move, self-atari, captures.

All are compiled, read the board record and leave it as it is. Points are integers, colours BLACK or WHITE.
Counts are exact: they use the blocks' bit sets of liberties and walk stones only where a capture opens points.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.points import EMPTY, PASS
from miai.engine.intrinsics import popcount, trailing_zeros
from miai.engine.jit import compiled

_ONE = np.uint64(1)
_WORD_SHIFT = np.uint64(6)
_WORD_MASK = np.uint64(63)


@compiled
def in_atari(board, point):
    """Tell whether the block on a point has exactly one liberty."""
    return board.num_liberties[np.uint64(board.head[np.uint64(point)])] == 1


@compiled
def next_liberty(board, head, after):
    """Return the lowest liberty above the point `after` of the block with this head; PASS if there is none.

    Starting from `after` = PASS and repeating with the result enumerates the liberties.
    """
    start = np.int64(after + 1)
    for word in range(start >> 6, board.liberties.shape[1]):
        bits = board.liberties[head, word]
        if word == start >> 6:
            bits &= ~((_ONE << np.uint64(start & 63)) - _ONE)
        if bits != 0:
            return np.int64(word * 64 + trailing_zeros(bits))
    return np.int64(PASS)


@compiled
def count_neighbors(board, point, color):
    """Return how many of the four neighbours have this colour (EMPTY and BORDER are colours here too)."""
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    colors = board.color
    return (
        np.int64(colors[point - width] == color)
        + np.int64(colors[point - _ONE] == color)
        + np.int64(colors[point + _ONE] == color)
        + np.int64(colors[point + width] == color)
    )


@compiled
def empty_neighbor(board, point):
    """Return the highest empty neighbour of a point; 0 if there is none."""
    width = board.width_marker.shape[0]
    found = np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        if board.color[neighbor] == EMPTY:
            found = neighbor
    return found


@compiled
def borders_atari(board, head):
    """Tell whether the block with this head touches a block of the other colour that is in atari."""
    width = board.width_marker.shape[0]
    other = 3 - board.color[head]
    stone = np.int64(head)
    while True:
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            if board.color[neighbor] == other and board.num_liberties[board.head[neighbor]] == 1:
                return True
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            return False


@compiled
def count_surrounding(board, point, color):
    """Return how many of the eight surrounding points have this colour."""
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    colors = board.color
    return (
        count_neighbors(board, point, color)
        + np.int64(colors[point - width - _ONE] == color)
        + np.int64(colors[point - width + _ONE] == color)
        + np.int64(colors[point + width - _ONE] == color)
        + np.int64(colors[point + width + _ONE] == color)
    )


@compiled
def _is_taken_at(board, neighbor, other):
    """Tell whether a neighbouring point belongs to a block of colour `other` in atari."""
    return (board.color[neighbor] == other) & (board.num_liberties[np.uint64(board.head[neighbor])] == 1)


@compiled
def is_met_first(board, around, index):
    """Tell whether none of the points before `around[index]` belongs to the same block."""
    for earlier in range(index):
        if board.head[around[earlier]] == board.head[around[index]]:
            return False
    return True


@compiled
def captures_at(board, point, color):
    """Tell whether a stone of `color` on an empty point would take a block."""
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    other = 3 - color
    return (
        _is_taken_at(board, point - width, other)
        | _is_taken_at(board, point - _ONE, other)
        | _is_taken_at(board, point + _ONE, other)
        | _is_taken_at(board, point + width, other)
    )


@compiled
def puts_in_atari(board, point, color):
    """Tell whether a stone of `color` on an empty point would leave a block of the opponent with one liberty."""
    width = board.width_marker.shape[0]
    found = False
    for neighbor in (point - width, point - 1, point + 1, point + width):
        found |= (board.color[neighbor] == 3 - color) & (board.num_liberties[board.head[neighbor]] == 2)
    return found


@compiled
def _own_head(board, point, color):
    """Return the head of the block on a point if it is of this colour, else 0 (whose bit set is empty)."""
    return np.uint64(board.head[point]) if board.color[point] == color else np.uint64(0)


@compiled
def _liberty_bit(board, point, word):
    """Return the bit of an empty point if it belongs to this word of a bit set, else 0."""
    inside = (board.color[point] == EMPTY) & (point >> _WORD_SHIFT == word)
    return np.uint64(inside) << (point & _WORD_MASK)


@compiled
def _touches(board, point, target, north, west, east, south):
    """Tell whether a point is `target` or belongs to one of four blocks (heads, 0 = none)."""
    head = np.uint64(board.head[point])
    own = (head == north) | (head == west) | (head == east) | (head == south)
    return (point == target) | (own & (head != 0))


@compiled
def _count_opened(board, taken, point, north, west, east, south):
    """Count the stones of the block `taken` that touch `point` or one of the four blocks (heads, 0 = none)."""
    width = np.uint64(board.width_marker.shape[0])
    count = np.int64(0)
    stone = taken
    while True:
        touches = _touches(board, stone - width, point, north, west, east, south)
        touches |= _touches(board, stone - _ONE, point, north, west, east, south)
        touches |= _touches(board, stone + _ONE, point, north, west, east, south)
        touches |= _touches(board, stone + width, point, north, west, east, south)
        count += np.int64(touches)
        stone = np.uint64(board.next_stone[stone])
        if stone == taken:
            break
    return count


@compiled
def liberties_after(board, point, color):
    """Return how many liberties the block on `point` has once `color` has played there, captures included.

    The point must be empty. 0 means that the move is suicide. Does not look at ko.
    """
    point = np.uint64(point)
    width = np.uint64(board.width_marker.shape[0])
    above, left, right, below = point - width, point - _ONE, point + _ONE, point + width
    north, west = _own_head(board, above, color), _own_head(board, left, color)
    east, south = _own_head(board, right, color), _own_head(board, below, color)
    count = np.int64(0)
    for index in range(board.liberties.shape[1]):
        word = np.uint64(index)
        bits = board.liberties[north, word] | board.liberties[west, word]
        bits |= board.liberties[east, word] | board.liberties[south, word]
        bits |= _liberty_bit(board, above, word) | _liberty_bit(board, left, word)
        bits |= _liberty_bit(board, right, word) | _liberty_bit(board, below, word)
        here = np.uint64(point >> _WORD_SHIFT == word) << (point & _WORD_MASK)
        count += popcount(bits & ~here)
    if captures_at(board, point, color):
        other = 3 - color
        first, second, third = np.uint64(0), np.uint64(0), np.uint64(0)
        for neighbor in (above, left, right, below):
            head = _own_head(board, neighbor, other)
            if board.num_liberties[head] == 1 and head != first and head != second and head != third:
                count += _count_opened(board, head, point, north, west, east, south)
                first, second, third = head, first, second
    return count


@compiled
def self_atari(board, point, color):
    """Tell whether `color`, playing on an empty point, would leave its own block with fewer than two liberties."""
    if count_neighbors(board, point, EMPTY) >= 2:
        return False
    return liberties_after(board, point, color) < 2


@compiled
def gains_liberties(board, head, point):
    """Tell whether the block with this head would have more liberties if its owner played on its liberty `point`."""
    return liberties_after(board, point, np.int64(board.color[head])) > board.num_liberties[head]


@compiled
def append_distinct(holder, count, move):
    """Write `move` behind the first `count` in `holder.moves` unless it is among them; return the new count.

    `holder` is a record with a field `moves`: an array as an argument would cost reference counts.
    """
    for index in range(count):
        if holder.moves[index] == move:
            return count
    holder.moves[count] = move
    return count + 1


@compiled
def append_captures(board, head, holder, count):
    """Append the moves that take a block next to the block with this head, ko left out; return the new count."""
    width = board.width_marker.shape[0]
    other = 3 - board.color[head]
    stone = np.int64(head)
    while True:
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            if board.color[neighbor] == other:
                block = np.int64(board.head[neighbor])
                if board.num_liberties[block] == 1:
                    liberty = first_liberty(board, block)
                    if liberty != board.ko_point:
                        count = append_distinct(holder, count, liberty)
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            break
    return count
