"""Features of a position from which its outcome is estimated without playing on: counts for each player.

Only whose turn it is tells the players apart, so nothing depends on colours or on how the board lies. For each player:

* `stones`, and `line_1 line_2 line_3`: those of them on the first three lines from the edge;
* `near_1 near_2 near_3`: empty points nearer to the player's stones than to the other's, by distance along empty
  points (3 = 3 or more);
* `area_0`: the player's stones and nearer points, without blocks that fall at once: the other's in atari, and
  own ones in atari that extending does not help;
* `area_1 area_2 area_3`: the same, each time without weak groups too. A group is what hangs together of a player's
  stones and nearer points. It is weak if it has fewer than two eyes – regions that the other does not reach – and
  less room, which is its points without stones, than `WEAK_LIMITS` says. The weakest go first: what holds them
  gains room.
* `room_…`: the points of all groups before the last step, by how much room each has; `alive`: of those with two eyes;
* `atari_largest atari_others`: stones of the largest block in atari and of the others; `atari_stuck`: of those that
  extending does not help;
* `two_liberties three_liberties`: stones of blocks with so many; `two_largest`: of the largest with two;

and for both together `ko`: the player to move may not retake one; `turn`: 1, being to move.

All are found with bit sets, one bit a point, that grow a step at a time.
"""

import functools

import numpy as np

from miai.engine.go.board import board_dtype, first_liberty
from miai.engine.go.points import BORDER, EMPTY, PASS
from miai.engine.go.tactics import liberties_after
from miai.engine.intrinsics import equal_mask, popcount, trailing_zeros
from miai.engine.jit import compiled

_NUM_LINES = 3
_ONE = np.uint64(1)
_ZERO = np.uint64(0)

WEAK_LIMITS = (2, 4, 7)
"""Room below which a group without two eyes is weak, in each of the steps."""
NUM_AREAS = len(WEAK_LIMITS) + 1
_ROOM_LIMITS = (2, 3, 4, 6, 9, 13)

_SIDE = (
    "stones",
    *(f"line_{line + 1}" for line in range(_NUM_LINES)),
    *("near_1", "near_2", "near_3"),
    *(f"area_{step}" for step in range(NUM_AREAS)),
    *(f"room_below_{limit}" for limit in _ROOM_LIMITS),
    *("room_more", "alive"),
    *("atari_largest", "atari_others", "atari_stuck"),
    *("two_liberties", "two_largest", "three_liberties"),
)
FEATURES = (*(f"own.{name}" for name in _SIDE), *(f"other.{name}" for name in _SIDE), "ko", "turn")
"""The names of all features: of the player to move, of the other, then what belongs to neither."""

OTHER = len(_SIDE)
"""How far behind a feature of the player to move the other's stands."""
AREA = _SIDE.index("area_0")
_LINE, _NEAR = _SIDE.index("line_1"), _SIDE.index("near_1")
_ROOM, _ALIVE = _SIDE.index("room_below_2"), _SIDE.index("alive")
_ATARI, _TWO, _THREE = _SIDE.index("atari_largest"), _SIDE.index("two_liberties"), _SIDE.index("three_liberties")
_KO, _TURN = FEATURES.index("ko"), FEATURES.index("turn")

# Rows of `masks`. Of the first three kinds, the next row is the other player's.
_STONES = 0
_GROWN = 2  # points that are nearer to a player
_REACHED = 4
_FREE = 6  # points that nobody has reached yet
_OFF = 7  # stones that count as taken off
_WEAK = 8  # stones to take off next
_OPEN = 9  # points that the other player reaches
_GROUP = 10
_LEFT = 11
_NUM_MASKS = 12


@functools.cache
def features_dtype(size: int) -> np.dtype:
    """Return the record type of the features, `values`, and of the workspace to find them.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    words = board_dtype(size)["color"].shape[0] // 64
    return np.dtype([("masks", "u8", (_NUM_MASKS, words)), ("values", "f4", (len(FEATURES),))], align=True)


@compiled
def _neighbors(board, found, row, word):
    """Return, for one word, the points beside those of a set."""
    words = found.masks.shape[1]
    width = np.uint64(board.width_marker.shape[0])
    rest = np.uint64(64) - width
    here = found.masks[row, word]
    result = (here << _ONE) | (here >> _ONE) | (here << width) | (here >> width)
    if word > 0:
        before = found.masks[row, word - 1]
        result |= (before >> np.uint64(63)) | (before >> rest)
    if word + 1 < words:
        after = found.masks[row, word + 1]
        result |= (after << np.uint64(63)) | (after << rest)
    return result


@compiled
def _flood(board, found, row, allowed):
    """Extend a set by all points of another set that hang together with it."""
    grows = True
    while grows:
        grows = False
        for word in range(found.masks.shape[1]):
            before = found.masks[row, word]
            after = before | (_neighbors(board, found, row, word) & found.masks[allowed, word])
            found.masks[row, word] = after
            grows |= after != before


@compiled
def _take_connected(board, found, row):
    """Move what hangs together with the first point of a set from it to `_GROUP`; tell whether there was one."""
    started = False
    for word in range(found.masks.shape[1]):
        bits = found.masks[row, word]
        found.masks[_GROUP, word] = _ZERO if started else bits & (_ZERO - bits)
        started |= bits != 0
    if started:
        _flood(board, found, _GROUP, row)
        for word in range(found.masks.shape[1]):
            found.masks[row, word] &= ~found.masks[_GROUP, word]
    return started


@compiled
def _mark_block(board, found, head):
    """Take a block off."""
    stone = head
    while True:
        found.masks[_OFF, stone >> np.uint64(6)] |= _ONE << (stone & np.uint64(63))
        stone = np.uint64(board.next_stone[stone])
        if stone == head:
            return


@compiled
def _count_block(board, found, head, side):
    """Count a block with this head by its liberties, take it off if it falls at once; `side` is 1 for the other's."""
    values = found.values
    start = side * OTHER
    size = np.float32(board.block_size[head])
    num_liberties = board.num_liberties[head]
    if num_liberties == 3:
        values[start + _THREE] += size
    elif num_liberties == 2:
        values[start + _TWO] += size
        values[start + _TWO + 1] = max(values[start + _TWO + 1], size)
    elif num_liberties == 1:
        largest = values[start + _ATARI]
        values[start + _ATARI] = max(largest, size)
        values[start + _ATARI + 1] += min(largest, size)
        is_stuck = liberties_after(board, first_liberty(board, head), np.int64(board.color[head])) < 2
        if is_stuck:
            values[start + _ATARI + 2] += size
        if is_stuck or side == 1:
            _mark_block(board, found, head)


@compiled
def _begin_growth(board, found):
    """Let each player have the stones that are not taken off, and all else be free."""
    for word in range(found.masks.shape[1]):
        off = found.masks[_OFF, word]
        found.masks[_FREE, word] = equal_mask(board.color, word, np.uint8(EMPTY)) | off
        found.masks[_GROWN, word] = found.masks[_STONES, word] & ~off
        found.masks[_GROWN + 1, word] = found.masks[_STONES + 1, word] & ~off


@compiled
def _grow(board, found):
    """Let each player have the free points beside the own ones; those beside both are nobody's, and free no more.

    Returns how many the player to move got, how many the other, and how many were reached.
    """
    words = found.masks.shape[1]
    for word in range(words):
        free = found.masks[_FREE, word]
        found.masks[_REACHED, word] = _neighbors(board, found, _GROWN, word) & free
        found.masks[_REACHED + 1, word] = _neighbors(board, found, _GROWN + 1, word) & free
    num_own, num_other, num_reached = np.int64(0), np.int64(0), np.int64(0)
    for word in range(words):
        own, other = found.masks[_REACHED, word], found.masks[_REACHED + 1, word]
        found.masks[_FREE, word] &= ~(own | other)
        found.masks[_GROWN, word] |= own & ~other
        found.masks[_GROWN + 1, word] |= other & ~own
        num_own += popcount(own & ~other)
        num_other += popcount(other & ~own)
        num_reached += popcount(own | other)
    return num_own, num_other, num_reached


@compiled
def _count_lines(board, found):
    """Count the stones on each of the first lines, which are found by growing the border."""
    words = found.masks.shape[1]
    for word in range(words):
        found.masks[_LEFT, word] = equal_mask(board.color, word, np.uint8(BORDER))
    for line in range(_NUM_LINES):
        for word in range(words):
            found.masks[_REACHED, word] = _neighbors(board, found, _LEFT, word) & ~found.masks[_LEFT, word]
        for word in range(words):
            reached = found.masks[_REACHED, word]
            found.masks[_LEFT, word] |= reached
            found.values[_LINE + line] += popcount(reached & found.masks[_STONES, word])
            found.values[OTHER + _LINE + line] += popcount(reached & found.masks[_STONES + 1, word])


@compiled
def _count_near(board, found):
    """Count the empty points nearer to a player, by distance."""
    _begin_growth(board, found)
    distance = np.int64(0)
    while True:
        num_own, num_other, num_reached = _grow(board, found)
        if num_reached == 0:
            return
        found.values[_NEAR + distance] += num_own
        found.values[OTHER + _NEAR + distance] += num_other
        distance = min(distance + 1, 2)


@compiled
def _count_area(board, found, step):
    """Count what each player has after growing; leaves it in the grown sets."""
    _begin_growth(board, found)
    own, other = np.int64(0), np.int64(0)
    for word in range(found.masks.shape[1]):
        own += popcount(found.masks[_GROWN, word])
        other += popcount(found.masks[_GROWN + 1, word])
    while True:
        num_own, num_other, num_reached = _grow(board, found)
        if num_reached == 0:
            break
        own += num_own
        other += num_other
    found.values[AREA + step] = own
    found.values[OTHER + AREA + step] = other


@compiled
def _find_open(board, found, side):
    """Find the points without stones from which a way without stones leads to those of a player's opponent."""
    words = found.masks.shape[1]
    for word in range(words):
        found.masks[_OPEN, word] = found.masks[_STONES + 1 - side, word] & ~found.masks[_OFF, word]
        found.masks[_LEFT, word] = equal_mask(board.color, word, np.uint8(EMPTY)) | found.masks[_OFF, word]
    _flood(board, found, _OPEN, _LEFT)


@compiled
def _find_weak(board, found, side, step):
    """Take a player's groups out of the grown set one by one and mark the weak ones; in the last step, count them."""
    words = found.masks.shape[1]
    start = side * OTHER
    _find_open(board, found, side)
    while _take_connected(board, found, _GROWN + side):
        num_points, room = np.int64(0), np.int64(0)
        for word in range(words):
            group = found.masks[_GROUP, word]
            stones = group & found.masks[_STONES + side, word] & ~found.masks[_OFF, word]
            num_points += popcount(group)
            room += popcount(group & ~stones)
            found.masks[_REACHED, word] = stones
            found.masks[_LEFT, word] = group & ~stones & ~found.masks[_OPEN, word]
        num_eyes = np.int64(0)
        while num_eyes < 2 and _take_connected(board, found, _LEFT):
            num_eyes += 1
        if num_eyes < 2 and room < WEAK_LIMITS[step]:
            for word in range(words):
                found.masks[_WEAK, word] |= found.masks[_REACHED, word]
        if step == len(WEAK_LIMITS) - 1:
            place = np.int64(0)
            for limit in _ROOM_LIMITS:
                place += np.int64(room >= limit)
            found.values[start + _ROOM + place] += num_points
            found.values[start + _ALIVE] += num_points * np.int64(num_eyes == 2)


@compiled
def find_outcome_features(board, found):
    """Write the features of a position to `found.values`, float32 in the order of `FEATURES`; see `features_dtype`."""
    words = found.masks.shape[1]
    own = np.uint8(board.to_play)
    values = found.values
    values[:] = 0.0
    values[_KO] = board.ko_point != PASS
    values[_TURN] = 1.0
    num_own, num_other = np.int64(0), np.int64(0)
    for word in range(words):
        found.masks[_STONES, word] = equal_mask(board.color, word, own)
        found.masks[_STONES + 1, word] = equal_mask(board.color, word, np.uint8(3) - own)
        found.masks[_OFF, word] = _ZERO
        num_own += popcount(found.masks[_STONES, word])
        num_other += popcount(found.masks[_STONES + 1, word])
    values[0] = num_own
    values[OTHER] = num_other
    _count_lines(board, found)
    _count_near(board, found)
    for word in range(words):
        heads = ~equal_mask(board.num_liberties, word, np.uint8(0))
        while heads != 0:
            head = np.uint64(word * 64 + trailing_zeros(heads))
            heads &= heads - _ONE
            _count_block(board, found, head, np.int64(board.color[head] != own))
    for step in range(len(WEAK_LIMITS)):
        _count_area(board, found, step)
        for word in range(words):
            found.masks[_WEAK, word] = _ZERO
        _find_weak(board, found, np.int64(0), step)
        _find_weak(board, found, np.int64(1), step)
        for word in range(words):
            found.masks[_OFF, word] |= found.masks[_WEAK, word]
    _count_area(board, found, NUM_AREAS - 1)
