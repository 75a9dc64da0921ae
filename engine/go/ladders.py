"""Ladders: which blocks are caught by a series of ataris, and which moves begin one.

A ladder is read as KataGo reads it for its networks' inputs (D. J. Wu 2019, "Accelerating Self-Play Learning in Go",
appendix A; KataGo, `cpp/game/board.cpp`). The owner of a block in atari extends or takes a neighbouring block in atari;
the other side plays on either of two liberties. The owner has escaped with three liberties, with two when to move, or
where the opponent has just taken a ko: ladders that hang on a ko do not count. Before the first move no ko is in force
for the owner. A line too long for its stack counts as caught, a reading of 25,000 moves as escaped.
"""

import numpy as np

from miai.engine.go.ladder_reader import (
    MOST_MOVES,
    READER_DTYPE,
    is_legal,
    num_empty_around,
    play,
    take_back,
    walk,
)
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE
from miai.engine.jit import compiled

_MOST_NODES = 25_000
_ENOUGH = 5
"""Liberties beyond which a block's number does not matter to the order of moves."""
_UNDECIDED, _ESCAPED, _CAUGHT = -1, 0, 1


@compiled
def _append(reader, level, point):
    """Add a move to those of a level unless it is there or there is no room."""
    level = np.uint64(level)
    for index in range(reader.first[level], reader.last[level]):
        if reader.moves[np.uint64(index)] == point:
            return
    if reader.last[level] < MOST_MOVES:
        reader.moves[np.uint64(reader.last[level])] = point
        reader.last[level] += 1


@compiled
def _append_captures(reader, level, owner, num_stones):
    """Add the moves that take a block beside the first stones of `reader.stones`, which are used up."""
    width = reader.width
    other = BLACK + WHITE - owner
    for index in range(num_stones):
        reader.block[np.uint64(index)] = reader.stones[np.uint64(index)]
    for index in range(num_stones):
        stone = np.uint64(reader.block[np.uint64(index)])
        for neighbor in (stone - width, stone - np.uint64(1), stone + np.uint64(1), stone + width):
            if reader.color[neighbor] == other and walk(reader, neighbor, 2) == 1:
                _append(reader, level, np.int64(reader.liberties[0]))


@compiled
def _escapes_with(reader, liberty, owner, has_choice):
    """Judge the extension to a block's only liberty by what stands around it: escaped, caught or undecided."""
    point = np.uint64(liberty)
    width = reader.width
    captures, greatest, total = 0, 0, 0
    for neighbor in (point - width, point - np.uint64(1), point + np.uint64(1), point + width):
        held = reader.color[neighbor]
        if held == owner:
            liberties = walk(reader, neighbor, 4) - 1
            greatest = max(greatest, liberties)
            total += liberties
        elif held == BLACK + WHITE - owner and walk(reader, neighbor, 2) == 1:
            captures += 1
    empty = num_empty_around(reader, point)
    if captures + max(greatest, empty) >= 3:
        return _ESCAPED
    if not has_choice and captures == 0 and empty + total <= 1:
        return _CAUGHT
    return _UNDECIDED


@compiled
def _list_defenses(reader, level, target, owner):
    """List the moves of the owner of a block; or return what is clear at once."""
    count = walk(reader, target, 2)
    if count >= 2 or reader.ko_point != PASS:
        return _ESCAPED
    liberty = np.int64(reader.liberties[0])
    _append_captures(reader, level, owner, reader.num_stones)
    _append(reader, level, liberty)
    has_choice = reader.last[np.uint64(level)] > reader.first[np.uint64(level)] + 1
    return _escapes_with(reader, liberty, owner, has_choice)


@compiled
def _takes_ko(reader, point, color):
    """Tell whether a stone here would stand among stones of the opponent's only, and take just one, a single one."""
    point = np.uint64(point)
    width = reader.width
    other = BLACK + WHITE - color
    num_taken = 0
    is_single = False
    for neighbor in (point - width, point - np.uint64(1), point + np.uint64(1), point + width):
        held = reader.color[neighbor]
        if held == EMPTY or held == color:
            return False
        if held == other and walk(reader, neighbor, 2) == 1:
            num_taken += 1
            is_single = reader.num_stones == 1
    return num_taken == 1 and is_single


@compiled
def _liberties_with(reader, point, color):
    """Return how many liberties a stone on a point beside which nothing is taken would have, 3 for more."""
    reader.color[np.uint64(point)] = color
    count = walk(reader, point, 3)
    reader.color[np.uint64(point)] = EMPTY
    return count


@compiled
def _has_captures(reader, level, target, owner):
    """Tell whether the owner of a block can take one beside it."""
    walk(reader, target, 0)
    _append_captures(reader, level, owner, reader.num_stones)
    found = reader.last[np.uint64(level)] > reader.first[np.uint64(level)]
    reader.last[np.uint64(level)] = reader.first[np.uint64(level)]
    return found


@compiled
def _room_for(reader, point, owner, empty):
    """Return how good an extension here looks, to have the more dangerous one stopped first."""
    point = np.uint64(point)
    width = reader.width
    room = 2 * empty
    for neighbor in (point - width, point - np.uint64(1), point + np.uint64(1), point + width):
        if reader.color[neighbor] == owner:
            liberties = walk(reader, neighbor, _ENOUGH)
            if liberties > 1:
                room += 2 * liberties - 3
    return room


@compiled
def _list_attacks(reader, level, target, owner):
    """List the moves of the opponent of a block's owner; or return what is clear at once."""
    count = walk(reader, target, 3)
    if count <= 1:
        return _CAUGHT
    if count >= 3:
        return _ESCAPED
    attacker = BLACK + WHITE - owner
    one, two = np.int64(reader.liberties[0]), np.int64(reader.liberties[1])
    empty_one, empty_two = num_empty_around(reader, one), num_empty_around(reader, two)
    if empty_one == 0 and empty_two == 0 and _takes_ko(reader, one, attacker) and _takes_ko(reader, two, attacker):
        is_stuck = _liberties_with(reader, one, owner) <= 2 and _liberties_with(reader, two, owner) <= 2
        if is_stuck and not _has_captures(reader, level, target, owner):
            return _CAUGHT
    distance = abs(one - two)
    if distance != 1 and distance != np.int64(reader.width):
        if empty_one >= 3 and empty_two >= 3:
            return _ESCAPED
        if empty_one >= 3:
            _append(reader, level, one)
            return _UNDECIDED
        if empty_two >= 3:
            _append(reader, level, two)
            return _UNDECIDED
    if _room_for(reader, two, owner, empty_two) > _room_for(reader, one, owner, empty_one):
        one, two = two, one
    _append(reader, level, one)
    _append(reader, level, two)
    return _UNDECIDED


@compiled
def _is_caught(reader, target, base):
    """Tell whether a block in atari is lost though its owner moves; `base` is the first free level.

    The position is left as it was.
    """
    owner = np.int64(reader.color[np.uint64(target)])
    size = np.int64(reader.width) - 1
    deepest = base + size * size * 3 // 2
    ko_point = reader.ko_point
    reader.ko_point = PASS
    level = base
    reader.first[np.uint64(base)] = 0
    num_nodes = 0
    while True:
        here = np.uint64(level)
        reader.next[here] = reader.last[here] = reader.first[here]
        if level >= deepest:
            outcome = _CAUGHT
        elif (level - base) % 2 == 0:
            outcome = _list_defenses(reader, level, target, owner)
        else:
            outcome = _list_attacks(reader, level, target, owner)
        while True:
            if outcome != _UNDECIDED:
                if level == base:
                    reader.ko_point = ko_point
                    return outcome == _CAUGHT
                level -= 1
                take_back(reader, level)
            here = np.uint64(level)
            is_owner = (level - base) % 2 == 0
            if outcome == (_ESCAPED if is_owner else _CAUGHT):
                continue
            color = owner if is_owner else BLACK + WHITE - owner
            while reader.next[here] < reader.last[here]:
                if is_legal(reader, np.int64(reader.moves[np.uint64(reader.next[here])]), color):
                    break
                reader.next[here] += 1
            if reader.next[here] < reader.last[here]:
                play(reader, level, np.int64(reader.moves[np.uint64(reader.next[here])]), color)
                reader.next[here] += 1
                num_nodes += 1
                level += 1
                reader.first[np.uint64(level)] = reader.last[here]
                break
            outcome = _CAUGHT if is_owner else _ESCAPED
        if num_nodes >= _MOST_NODES:
            while level > base:
                level -= 1
                take_back(reader, level)
            reader.ko_point = ko_point
            return False


@compiled
def _works(reader, target, move):
    """Tell whether an attack on a block with two liberties catches it."""
    attacker = BLACK + WHITE - np.int64(reader.color[np.uint64(target)])
    if not is_legal(reader, move, attacker):
        return False
    play(reader, 0, move, attacker)
    caught = _is_caught(reader, target, 1)
    take_back(reader, 0)
    return caught


@compiled
def _mark_block(reader, target, caught):
    walk(reader, target, 0)
    for index in range(reader.num_stones):
        caught[np.uint64(reader.stones[np.uint64(index)])] = 1


@compiled
def mark_ladders(board, colors, ko_point, caught, working):
    """Mark the stones of all blocks that are lost in a ladder and the moves that begin one.

    A block in atari is lost if its owner cannot escape by moving, one with two liberties if its opponent has a move
    that leaves it so.

    Args:
        board: any board of the size, which is not read otherwise.
        colors: the colours of the position, uint8 [indices or more], as in a board.
        ko_point: where a ko may not be retaken in it; PASS = nowhere.
        caught: uint8 [indices], overwritten: 1 at stones of lost blocks.
        working: uint8 [indices], overwritten: the colours, as bits BLACK and WHITE, of the blocks with two liberties
            that a move here catches.
    """
    readers = np.empty(1, dtype=READER_DTYPE)
    _mark_with(readers, board, colors, ko_point, caught, working)


@compiled
def begin_reading(reader, board, colors, ko_point):
    """Set a reader, a record of `READER_DTYPE`, on a position; arguments as those of `mark_ladders`."""
    reader.width = board.width_marker.shape[0]
    reader.ko_point = ko_point
    reader.num_walks = 0
    reader.taken_first[0] = 0
    for index in range(board.head.shape[0]):
        index = np.uint64(index)
        reader.color[index] = colors[index]
        reader.is_read[index] = 0
        reader.mark[index] = 0


@compiled
def read_block(reader, target, working):
    """Tell whether the block on `target` is lost in a ladder; add the moves that begin one to `working`.

    Afterwards `is_read` is 1 at its stones.
    """
    color = reader.color[np.uint64(target)]
    count = walk(reader, target, 0)
    for index in range(reader.num_stones):
        reader.is_read[np.uint64(reader.stones[np.uint64(index)])] = 1
    if count == 1:
        return _is_caught(reader, target, 0)
    if count != 2:
        return False
    one, two = np.int64(reader.liberties[0]), np.int64(reader.liberties[1])
    one_works, two_works = _works(reader, target, one), _works(reader, target, two)
    if one_works:
        working[np.uint64(one)] |= color
    if two_works:
        working[np.uint64(two)] |= color
    return one_works or two_works


@compiled
def _mark_with(readers, board, colors, ko_point, caught, working):
    """Do what `mark_ladders` does, with a reader that the caller holds: a record does not keep its array in memory."""
    reader = readers[0]
    num_indices = board.head.shape[0]
    begin_reading(reader, board, colors, ko_point)
    for index in range(num_indices):
        caught[np.uint64(index)] = 0
        working[np.uint64(index)] = 0
    for target in range(num_indices):
        color = reader.color[np.uint64(target)]
        if (color != BLACK and color != WHITE) or reader.is_read[np.uint64(target)] != 0:
            continue
        if read_block(reader, target, working):
            _mark_block(reader, target, caught)
