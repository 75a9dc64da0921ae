"""The board as one NumPy record, and the compiled functions that change it.

A record passes through numba as a plain pointer to a struct: one `target[0] = source[0]` copies a whole
position, and an array of records is a batch. The lengths of its nested arrays are part of the record's type,
so `board.width_marker.shape[0]` is a constant for the compiler: each board size is a specialisation of its own.

Blocks are linked lists with a head; the head's row holds the block's liberties as a bit set, so that counting
and finding liberties is exact and takes a few instructions. Row 0 (a border point) takes the writes that go
to neighbours without a block, which saves a branch: its bits and count stay zero.
"""

import functools

import numpy as np

from engine.go.points import BLACK, BORDER, EMPTY, MAX_SIZE, MIN_SIZE, NO_MOVE, PASS, WHITE, all_points, num_indices
from engine.intrinsics import popcount, trailing_zeros
from engine.jit import compiled

_ONE = np.uint64(1)
_WORD_BITS = np.int64(63)

KEYS = np.random.default_rng(20260101).integers(1, 1 << 63, size=(3, num_indices(MAX_SIZE)), dtype=np.uint64)
"""Zobrist keys, `uint64 [colour, point]`; the position's key is the exclusive or of its stones' keys."""


@functools.cache
def board_dtype(size: int) -> np.dtype:
    """Return the record type of a board.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"unacceptable size {size}: allowed are {MIN_SIZE} to {MAX_SIZE}")
    indices = num_indices(size)
    words = (indices + 63) // 64
    return np.dtype(
        [
            ("key", "u8"),  # Zobrist key of the stones
            ("liberties", "u8", (indices, words)),  # at a head: bit set of the block's liberties
            ("block_key", "u8", (indices,)),  # at a head: key of the block's stones
            ("to_play", "i2"),
            ("ko_point", "i2"),  # forbidden by simple ko for the player to move; PASS = none
            ("last_move", "i2"),  # NO_MOVE before the first
            ("second_last_move", "i2"),
            ("num_passes", "i2"),  # passes in a row up to now
            ("num_empty", "i2"),
            ("num_captured", "i4", (3,)),  # stones of each colour taken off the board
            ("head", "i2", (indices,)),  # head of the block on a point; 0 where there is none
            ("next_stone", "i2", (indices,)),  # circular list through a block
            ("block_size", "i2", (indices,)),  # at a head
            ("empty_points", "i2", (size * size,)),  # the first num_empty, in any order
            ("empty_index", "i2", (indices,)),  # where a point stands in empty_points
            ("color", "u1", (indices,)),  # EMPTY, BLACK, WHITE or BORDER
            ("num_liberties", "u1", (indices,)),  # at a head; 0 elsewhere
            ("width_marker", "u1", (size + 1,)),  # only its length matters: the offset between rows
        ],
        align=True,
    )


def new_board(size: int) -> np.ndarray:
    """Return an array of one empty board, Black to play."""
    boards = np.zeros(1, dtype=board_dtype(size))
    board = boards[0]
    points = all_points(size)
    board["color"] = BORDER
    board["color"][points] = EMPTY
    board["empty_points"] = points
    board["empty_index"][points] = np.arange(len(points))
    board["num_empty"] = len(points)
    board["to_play"] = BLACK
    board["last_move"] = NO_MOVE
    board["second_last_move"] = NO_MOVE
    return boards


def board_size(board) -> int:
    """Return the size of a board record."""
    return board["width_marker"].shape[0] - 1


@compiled
def has_bit(words, row, point):
    """Tell whether bit `point` is set in row `row` of a bit-set array."""
    return (words[row, point >> 6] >> np.uint64(point & _WORD_BITS)) & _ONE


@compiled
def first_liberty(board, head):
    """Return the lowest liberty of the block with this head; PASS if it has none."""
    for word in range(board.liberties.shape[1]):
        bits = board.liberties[head, word]
        if bits != 0:
            return np.int64(word * 64 + trailing_zeros(bits))
    return np.int64(PASS)


@compiled
def _remove_liberty(board, head, point):
    word = point >> 6
    shift = np.uint64(point & _WORD_BITS)
    bits = board.liberties[head, word]
    board.num_liberties[head] -= np.uint8((bits >> shift) & _ONE)
    board.liberties[head, word] = bits & ~(_ONE << shift)


@compiled
def _add_liberty(board, head, point):
    word = point >> 6
    shift = np.uint64(point & _WORD_BITS)
    bits = board.liberties[head, word]
    board.num_liberties[head] += np.uint8(((bits >> shift) & _ONE) ^ _ONE)
    board.liberties[head, word] = bits | (_ONE << shift)


@compiled
def _offer_liberty(board, head, point):
    """Set bit `point` of the block's liberties if the point is empty; the count is left to the caller."""
    is_empty = np.uint64(board.color[point] == EMPTY)
    board.liberties[head, point >> 6] |= is_empty << np.uint64(point & _WORD_BITS)


@compiled
def _join(board, kept, absorbed):
    """Move the stones and liberties of one block into another; the count of liberties is left to the caller."""
    stone = np.int64(absorbed)
    while True:
        board.head[stone] = kept
        stone = np.int64(board.next_stone[stone])
        if stone == absorbed:
            break
    after = board.next_stone[kept]
    board.next_stone[kept] = board.next_stone[absorbed]
    board.next_stone[absorbed] = after
    for word in range(board.liberties.shape[1]):
        board.liberties[kept, word] |= board.liberties[absorbed, word]
    board.block_size[kept] += board.block_size[absorbed]
    board.block_key[kept] ^= board.block_key[absorbed]
    board.num_liberties[absorbed] = 0


@compiled
def _count_liberties(board, head):
    count = np.int64(0)
    for word in range(board.liberties.shape[1]):
        count += popcount(board.liberties[head, word])
    board.num_liberties[head] = count


@compiled
def _join_neighbor(board, head, neighbor, color):
    """Unite the block `head` with the one on `neighbor` if it is of this colour; return the united head."""
    if board.color[neighbor] == color:
        other = np.int64(board.head[neighbor])
        if other != head:
            if board.block_size[other] >= board.block_size[head]:
                _join(board, other, head)
                return other
            _join(board, head, other)
    return head


@compiled
def _capture(board, head, captor):
    """Take a block off the board and give its points to the captor's blocks as liberties; return its size."""
    width = board.width_marker.shape[0]
    stone = np.int64(head)
    board.num_captured[3 - captor] += board.block_size[head]
    board.key ^= board.block_key[head]
    board.num_liberties[head] = 0
    while True:
        board.color[stone] = EMPTY
        board.head[stone] = 0
        board.empty_index[stone] = board.num_empty
        board.empty_points[board.num_empty] = stone
        board.num_empty += 1
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            if board.color[neighbor] == captor:
                _add_liberty(board, np.int64(board.head[neighbor]), stone)
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            break
    return np.int64(board.block_size[head])


@compiled
def place_stone(board, point, color):
    """Put a stone of `color` on an empty point, unite blocks and take what has no liberty left, own stones last.

    Sets `ko_point` for the opponent. Does not look at whether the move is legal, whose turn it is, or at
    `last_move`: `play` does.
    """
    width = board.width_marker.shape[0]
    other = np.uint8(3 - color)
    index = np.int64(board.empty_index[point])
    board.num_empty -= 1
    moved = np.int64(board.empty_points[board.num_empty])
    board.empty_points[index] = moved
    board.empty_index[moved] = index

    head = np.int64(point)
    key = KEYS[color, point]
    board.key ^= key
    board.block_key[head] = key
    board.color[point] = color
    board.head[point] = point
    board.next_stone[point] = point
    board.block_size[point] = 1
    for word in range(board.liberties.shape[1]):
        board.liberties[point, word] = 0

    north, west, east, south = point - width, point - 1, point + 1, point + width
    for neighbor in (north, west, east, south):
        _remove_liberty(board, np.int64(board.head[neighbor]), point)
        _offer_liberty(board, point, neighbor)

    num_taken = np.int64(0)
    taken = np.int64(PASS)
    for neighbor in (north, west, east, south):
        if board.color[neighbor] == other and board.num_liberties[board.head[neighbor]] == 0:
            num_taken += _capture(board, np.int64(board.head[neighbor]), color)
            taken = neighbor

    for neighbor in (north, west, east, south):
        head = _join_neighbor(board, head, neighbor, color)
    _count_liberties(board, head)
    board.ko_point = PASS
    if num_taken == 1:
        if board.block_size[head] == 1 and board.num_liberties[head] == 1:
            board.ko_point = taken
    if board.num_liberties[head] == 0:
        _capture(board, head, other)


@compiled
def play(board, move):
    """Make a move, a point or PASS, for the player to move. Does not look at whether it is legal."""
    if move == PASS:
        board.ko_point = PASS
        board.num_passes += 1
    else:
        place_stone(board, move, np.uint8(board.to_play))
        board.num_passes = 0
    board.second_last_move = board.last_move
    board.last_move = move
    board.to_play = 3 - board.to_play


@compiled
def is_own_eye(board, point, color):
    """Tell whether an empty point is a one-point eye of `color` that is not false.

    All four neighbours are own stones or border, and of the four diagonal points at most one is the
    opponent's, none at the border (the usual playout rule, Gelly et al. 2006).
    """
    width = board.width_marker.shape[0]
    colors = board.color
    if (
        colors[point - width] & colors[point - 1] & colors[point + 1] & colors[point + width] & color
    ) == 0:
        return False
    other = 3 - color
    at_edge = np.int64(0)
    hostile = np.int64(0)
    for diagonal in (point - width - 1, point - width + 1, point + width - 1, point + width + 1):
        hostile += np.int64(colors[diagonal] == other)
        at_edge |= np.int64(colors[diagonal] == BORDER)
    return hostile + at_edge < 2


@compiled
def has_empty_neighbor(board, point):
    """Tell whether one of the four neighbours is empty."""
    width = board.width_marker.shape[0]
    colors = board.color
    return (
        (colors[point - width] == EMPTY)
        | (colors[point - 1] == EMPTY)
        | (colors[point + 1] == EMPTY)
        | (colors[point + width] == EMPTY)
    )


@compiled
def leaves_liberty(board, point, color):
    """Tell whether a stone of `color` on an empty point has a liberty or takes a block: it is no suicide."""
    if has_empty_neighbor(board, point):
        return True
    width = board.width_marker.shape[0]
    found = False
    for neighbor in (point - width, point - 1, point + 1, point + width):
        count = board.num_liberties[board.head[neighbor]]
        own = board.color[neighbor] == color
        found |= (own & (count > 1)) | ((not own) & (count == 1))
    return found


assert (EMPTY, BLACK, WHITE, BORDER) == (0, 1, 2, 3), "is_own_eye reads colours as bits"
