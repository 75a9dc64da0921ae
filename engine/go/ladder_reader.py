"""The position that a reader of ladders plays on, see `miai.engine.go.ladders`.

It keeps nothing but colours and counts liberties when it needs them, up to the few that matter: blocks in ladders are
short, and so are their readings.
"""

import numpy as np

from miai.engine.go.points import BLACK, EMPTY, MAX_SIZE, PASS, WHITE, num_indices
from miai.engine.jit import compiled

_INDICES = num_indices(MAX_SIZE)
_DEPTH = MAX_SIZE * MAX_SIZE * 3 // 2 + 2
MOST_MOVES = 8 * _DEPTH
"""Room for the moves of all levels together."""

READER_DTYPE = np.dtype(
    [
        ("color", "u1", (_INDICES,)),
        ("is_read", "u1", (_INDICES,)),  # belongs to a block that was looked at
        ("mark", "u4", (_INDICES,)),  # the number of the last walk that came here
        ("num_walks", "u4"),
        ("width", "u8"),
        ("ko_point", "i8"),
        ("stones", "u2", (_INDICES,)),  # those of the block walked last, as far as the walk went
        ("liberties", "u2", (_INDICES,)),  # likewise
        ("num_stones", "i8"),
        ("block", "u2", (_INDICES,)),  # the stones of a block while other walks go on
        # of each level of the line being read
        ("first", "i4", (_DEPTH + 2,)),  # where its moves begin in `moves`
        ("next", "i4", (_DEPTH + 2,)),
        ("last", "i4", (_DEPTH + 2,)),
        ("played", "u2", (_DEPTH + 2,)),
        ("ko_before", "u2", (_DEPTH + 2,)),
        ("taken_first", "i4", (_DEPTH + 3,)),  # where its captures begin in `taken`
        ("moves", "u2", (MOST_MOVES,)),
        ("taken", "u2", (_INDICES + _DEPTH,)),
    ],
    align=True,
)
"""A position, what was walked last, and the line of moves being read."""


@compiled
def walk(reader, point, most):
    """Walk through the block on a point; return how many liberties it has, and stop as soon as there are `most`."""
    width = reader.width
    reader.num_walks += np.uint32(1)
    number = reader.num_walks
    color = reader.color[np.uint64(point)]
    reader.stones[0] = point
    reader.mark[np.uint64(point)] = number
    found, done, count = 1, 0, 0
    while done < found:
        stone = np.uint64(reader.stones[np.uint64(done)])
        done += 1
        for neighbor in (stone - width, stone - np.uint64(1), stone + np.uint64(1), stone + width):
            held = reader.color[neighbor]
            if (held == EMPTY or held == color) and reader.mark[neighbor] != number:
                reader.mark[neighbor] = number
                if held == EMPTY:
                    reader.liberties[np.uint64(count)] = neighbor
                    count += 1
                    if count == most:
                        return count
                else:
                    reader.stones[np.uint64(found)] = neighbor
                    found += 1
    reader.num_stones = found
    return count


@compiled
def num_empty_around(reader, point):
    """Return how many points beside a point are empty."""
    point = np.uint64(point)
    return (
        np.int64(reader.color[point - reader.width] == EMPTY)
        + np.int64(reader.color[point - np.uint64(1)] == EMPTY)
        + np.int64(reader.color[point + np.uint64(1)] == EMPTY)
        + np.int64(reader.color[point + reader.width] == EMPTY)
    )


@compiled
def is_legal(reader, point, color):
    """Tell whether a stone on an empty point is neither suicide nor retakes a ko."""
    if point == reader.ko_point:
        return False
    if num_empty_around(reader, point) > 0:
        return True
    point = np.uint64(point)
    width = reader.width
    for neighbor in (point - width, point - np.uint64(1), point + np.uint64(1), point + width):
        held = reader.color[neighbor]
        if (held == BLACK or held == WHITE) and (walk(reader, neighbor, 2) > 1) == (held == color):
            return True
    return False


@compiled
def play(reader, level, point, color):
    """Make a legal move and remember how to take it back."""
    point = np.uint64(point)
    width = reader.width
    other = BLACK + WHITE - color
    level = np.uint64(level)
    first = np.int64(reader.taken_first[level])
    last = first
    reader.color[point] = color
    reader.played[level] = point
    reader.ko_before[level] = reader.ko_point
    is_alone = True
    for neighbor in (point - width, point - np.uint64(1), point + np.uint64(1), point + width):
        held = reader.color[neighbor]
        if held == other and walk(reader, neighbor, 1) == 0:
            for index in range(reader.num_stones):
                stone = reader.stones[np.uint64(index)]
                reader.color[np.uint64(stone)] = EMPTY
                reader.taken[np.uint64(last)] = stone
                last += 1
        elif held == color:
            is_alone = False
    reader.taken_first[level + np.uint64(1)] = last
    reader.ko_point = PASS
    if last == first + 1 and is_alone and num_empty_around(reader, point) == 1:
        reader.ko_point = reader.taken[np.uint64(first)]


@compiled
def take_back(reader, level):
    """Undo the move of a level."""
    level = np.uint64(level)
    point = np.uint64(reader.played[level])
    other = BLACK + WHITE - reader.color[point]
    for index in range(reader.taken_first[level], reader.taken_first[level + np.uint64(1)]):
        reader.color[np.uint64(reader.taken[np.uint64(index)])] = other
    reader.color[point] = EMPTY
    reader.ko_point = reader.ko_before[level]
