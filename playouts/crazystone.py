"""Crazy Stone's playout policy of 2006: moves sampled by urgency, useless moves replaced.

Coulom 2006, "Efficient selectivity and backup operators in Monte-Carlo tree search", slides "Urgencies" and
"Useless moves". How the slides are read where they leave it open:

* The capture of a block is excluded as "hopeless extension" if its owner could not save it by extending, as the
  block stays there to be taken. A capture that saves an own block in atari counts in any case.
* A block's urgencies add up with those of other blocks that share the liberty.
* The useless moves are looked for in the order of the slides; what replaces a move is not looked at again. A
  replacement that would fill an own eye is not made.
"""

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.legality import leaves_liberty
from miai.engine.go.points import BORDER, EMPTY, PASS
from miai.engine.go.tactics import (
    append_distinct,
    borders_atari,
    count_neighbors,
    empty_neighbor,
    next_liberty,
    self_atari,
)
from miai.engine.intrinsics import equal_mask, trailing_zeros
from miai.engine.jit import compiled
from miai.engine.random import random_unit

_ONE = np.uint64(1)
_SAVE = 1000.0
_CAPTURE = 10000.0
_CAPTURE_TO_SAVE = 100000.0


@compiled
def is_candidate(board, point, color):
    """Tell whether the urgency of an empty point is not 0.

    It is 0 for an illegal move, and where all neighbours are own stones or border and no such block is in atari.
    """
    if count_neighbors(board, point, EMPTY) > 0:
        return True
    if point == board.ko_point or not leaves_liberty(board, point, color):
        return False
    if count_neighbors(board, point, color) + count_neighbors(board, point, BORDER) < 4:
        return True
    return _touches(board, point, color, True)


@compiled
def _touches(board, point, color, atari):
    """Tell whether a point touches a block of `color` that is in atari, or one that is not."""
    width = board.width_marker.shape[0]
    found = False
    for neighbor in (point - width, point - 1, point + 1, point + width):
        is_in_atari = board.num_liberties[board.head[neighbor]] == 1
        found |= (board.color[neighbor] == color) & (is_in_atari == atari)
    return found


@compiled
def is_hopeless_extension(board, point, color):
    """Tell whether `color` gains nothing by extending to `point`, the only liberty of a block of its own.

    At most one empty neighbour, no block of the opponent in atari beside it, and no own block that is not.
    """
    if count_neighbors(board, point, EMPTY) > 1:
        return False
    return not _touches(board, point, 3 - color, True) and not _touches(board, point, color, False)


@compiled
def extra_urgency(board, point, color):
    """Return by how much the urgency of a candidate exceeds 1: for blocks in atari whose only liberty it is."""
    width = board.width_marker.shape[0]
    total = 0.0
    first, second, third = np.int64(0), np.int64(0), np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        head = np.int64(board.head[neighbor])
        if board.num_liberties[head] == 1 and head != first and head != second and head != third:
            first, second, third = head, first, second
            owner = np.int64(board.color[head])
            size = np.float64(board.block_size[head])
            is_hopeless = is_hopeless_extension(board, point, owner)
            if owner == color:
                if not is_hopeless:
                    total += _SAVE * size
            else:
                if not is_hopeless:
                    total += _CAPTURE * size
                if borders_atari(board, head):
                    total += _CAPTURE_TO_SAVE * size
    return total


@compiled
def propose_urgent(board, workspace):
    """Propose the moves whose urgency exceeds 1; `workspace.weights` holds by how much."""
    color = np.int64(board.to_play)
    num_liberties = np.int64(0)
    for word in range(board.liberties.shape[1]):
        heads = equal_mask(board.num_liberties, word, np.uint8(1))
        while heads != 0:
            liberty = first_liberty(board, np.uint64(word * 64 + trailing_zeros(heads)))
            num_liberties = append_distinct(workspace, num_liberties, liberty)
            heads &= heads - _ONE
    count = np.int64(0)
    for index in range(num_liberties):
        point = np.int64(workspace.moves[index])
        if is_candidate(board, point, color):
            extra = extra_urgency(board, point, color)
            if extra > 0.0:
                workspace.moves[count] = point
                workspace.weights[count] = extra
                count += 1
    return count


@compiled
def puts_block_in_atari(board, point, color):
    """Tell whether a move leaves an own block of more than one stone with fewer than two liberties."""
    return count_neighbors(board, point, color) > 0 and self_atari(board, point, color)


@compiled
def _eye_instead(board, move, color):
    """Return where to play to make an eye on `move`: inside one own block and one more liberty of it; 0 if nowhere."""
    if count_neighbors(board, move, EMPTY) != 1 or count_neighbors(board, move, 3 - color) != 0:
        return np.int64(0)
    width = board.width_marker.shape[0]
    head = np.int64(0)
    for neighbor in (move - width, move - 1, move + 1, move + width):
        if board.color[neighbor] == color:
            if head != 0 and board.head[neighbor] != head:
                return np.int64(0)
            head = np.int64(board.head[neighbor])
    if head == 0:
        return np.int64(0)
    liberty = empty_neighbor(board, move)
    for neighbor in (liberty - width, liberty - 1, liberty + 1, liberty + width):
        if board.head[neighbor] == head:
            return liberty
    return np.int64(0)


@compiled
def _way_out_instead(board, move, color):
    """Return the only empty neighbour of a move inside the opponent's stones that threatens none; 0 if not so."""
    if count_neighbors(board, move, EMPTY) != 1 or count_neighbors(board, move, color) != 0:
        return np.int64(0)
    width = board.width_marker.shape[0]
    for neighbor in (move - width, move - 1, move + 1, move + width):
        if board.color[neighbor] == 3 - color and board.num_liberties[board.head[neighbor]] <= 2:
            return np.int64(0)
    return empty_neighbor(board, move)


@compiled
def _capture_beside(board, head):
    """Return the move that takes a block in atari beside the block with this head; 0 if there is none."""
    width = board.width_marker.shape[0]
    other = 3 - board.color[head]
    stone = np.int64(head)
    while True:
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            block = np.int64(board.head[neighbor])
            if board.color[neighbor] == other and board.num_liberties[block] == 1:
                liberty = first_liberty(board, block)
                if liberty != board.ko_point:
                    return liberty
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            return np.int64(0)


@compiled
def _atari_instead(board, move, color):
    """Return what to play instead of putting an own block in atari: a capture, or its other liberty; else 0."""
    width = board.width_marker.shape[0]
    for neighbor in (move - width, move - 1, move + 1, move + width):
        if board.color[neighbor] == color:
            capture = _capture_beside(board, np.int64(board.head[neighbor]))
            if capture != 0:
                return capture
    for neighbor in (move - width, move - 1, move + 1, move + width):
        if board.color[neighbor] == color:
            head = np.int64(board.head[neighbor])
            if board.num_liberties[head] == 2:
                first = next_liberty(board, head, np.int64(PASS))
                return next_liberty(board, head, first) if first == move else first
    return np.int64(0)


@compiled
def replace_useless(board, move):
    """Return the move that is played when this one was sampled."""
    color = np.int64(board.to_play)
    instead = _eye_instead(board, move, color)
    if instead == 0:
        instead = _way_out_instead(board, move, color)
    if instead == 0 and puts_block_in_atari(board, move, color):
        instead = _atari_instead(board, move, color)
    if instead == 0 or is_own_eye(board, instead, np.uint8(color)):
        return move
    return instead


@compiled
def choose_crazystone(board, workspace):
    """Sample a move by its urgency.

    If that is 1000 or more and the move puts an own block in atari, the urgency drops to 1 and a move is sampled again.
    Every empty point stands for an urgency of 1 and leaves the range when it turns out to have 0; what
    urgent moves have beyond 1 is sampled from a list. Reorders `empty_points`.
    """
    color = np.int64(board.to_play)
    count = propose_urgent(board, workspace)
    total = 0.0
    for index in range(count):
        total += workspace.weights[index]
    left = np.int64(board.num_empty)
    while left > 0:
        target = random_unit(workspace) * (left + total)
        index = min(np.int64(target), left)
        urgent = np.int64(0)
        if index < left:
            point = np.int64(board.empty_points[index])
            while urgent < count and workspace.moves[urgent] != point:
                urgent += 1
        else:
            target -= left
            while urgent < count - 1 and target >= workspace.weights[urgent]:
                target -= workspace.weights[urgent]
                urgent += 1
            point = np.int64(workspace.moves[urgent])
        if urgent < count and workspace.weights[urgent] > 0.0:
            if puts_block_in_atari(board, point, color):
                total -= workspace.weights[urgent]
                workspace.weights[urgent] = 0.0
                continue
        if is_candidate(board, point, color):
            return replace_useless(board, point)
        left -= 1
        swapped = np.int64(board.empty_points[left])
        board.empty_points[left] = point
        board.empty_points[index] = swapped
        board.empty_index[point] = left
        board.empty_index[swapped] = index
    return np.int64(PASS)


@compiled
def propose_candidates(board, workspace):
    """Propose every move whose urgency is not 0, with its urgency in `workspace.weights`."""
    color = np.int64(board.to_play)
    count = np.int64(0)
    for index in range(np.int64(board.num_empty)):
        point = np.int64(board.empty_points[index])
        if is_candidate(board, point, color):
            workspace.moves[count] = point
            workspace.weights[count] = 1.0 + extra_urgency(board, point, color)
            count += 1
    return count
