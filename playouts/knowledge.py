"""What is known of a move before any search, by a few general rules.

Each observation is worth some visits with an expected result, added up from an even start: near the last move, no
self-atari, captures, extensions that escape, 3x3 patterns, the opening's lines. Fuego (Enzenberger et al. 2010) and
Pachi (Baudiš & Gailly 2011) do it in this manner. What matches said of the weights: docs/strength.md.
"""

import numpy as np

from engine.go.points import BORDER, EMPTY, PASS
from engine.go.tactics import captures_at, liberties_after
from engine.jit import compiled
from playouts.patterns import matches_pattern

EVEN_WEIGHT = 8.0
PASS_WEIGHT = 20.0
PASS_VALUE = 0.2
SELF_ATARI_WEIGHT = 10.0
CAPTURE_WEIGHT = 12.0
LARGE_CAPTURE_WEIGHT = 24.0
ESCAPE_WEIGHT = 10.0
PATTERN_WEIGHT = 8.0
NEAR_WEIGHTS = np.array([0.0, 18.0, 14.0, 6.0, 2.0], dtype=np.float32)
"""Visits with result 1 by distance to the last move; nothing further away."""
FIRST_LINE_WEIGHT = 10.0
THIRD_LINE_WEIGHT = 6.0


@compiled
def distance_between(first, second, width):
    """Return the playout distance of two points: |dx| + |dy| + max(|dx|, |dy|), halved and rounded up."""
    across = abs(first % width - second % width)
    along = abs(first // width - second // width)
    return (across + along + max(across, along) + 1) >> 1


@compiled
def _captured_size(board, point, color):
    """Return the size of the largest block that a stone of `color` on an empty point would take."""
    width = board.width_marker.shape[0]
    largest = np.int64(0)
    for neighbor in (point - width, point - 1, point + 1, point + width):
        if board.color[neighbor] == 3 - color:
            head = np.int64(board.head[neighbor])
            if board.num_liberties[head] == 1:
                largest = max(largest, np.int64(board.block_size[head]))
    return largest


@compiled
def _rescues(board, point, color):
    """Tell whether an own block in atari has its last liberty on this point."""
    width = board.width_marker.shape[0]
    found = False
    for neighbor in (point - width, point - 1, point + 1, point + width):
        found |= (board.color[neighbor] == color) & (board.num_liberties[board.head[neighbor]] == 1)
    return found


@compiled
def _line_of(board, point):
    """Return the line of a point, 1 at the edge."""
    width = board.width_marker.shape[0]
    row = point // width
    column = point % width
    return min(min(row, width - row), min(column, width - column))


@compiled
def _is_empty_around(board, point, reach):
    """Tell whether there is no stone within `reach` lines and columns."""
    width = board.width_marker.shape[0]
    row, column = point // width, point % width
    for near_row in range(max(1, row - reach), min(width - 1, row + reach) + 1):
        for near_column in range(max(1, column - reach), min(width - 1, column + reach) + 1):
            color = board.color[near_row * width + near_column]
            if color != EMPTY and color != BORDER:
                return False
    return True


@compiled
def judge_move(board, scratch, point, color):
    """Return what is known of a legal move: expected result for its player, 0 to 1, and its weight in visits."""
    wins = EVEN_WEIGHT / 2.0
    weight = EVEN_WEIGHT
    liberties = liberties_after(board, point, color)
    takes = captures_at(board, point, color)
    if liberties < 2:
        weight += SELF_ATARI_WEIGHT
    elif _rescues(board, point, color):
        weight += ESCAPE_WEIGHT
        wins += ESCAPE_WEIGHT if liberties > 2 or takes else 0.5 * ESCAPE_WEIGHT
    if takes:
        extra = LARGE_CAPTURE_WEIGHT if _captured_size(board, point, color) > 1 else CAPTURE_WEIGHT
        weight += extra
        wins += extra
    if matches_pattern(board, scratch, point) and liberties >= 2:
        weight += PATTERN_WEIGHT
        wins += PATTERN_WEIGHT
    width = board.width_marker.shape[0]
    if board.last_move > 0:
        distance = distance_between(point, np.int64(board.last_move), width)
        if distance < NEAR_WEIGHTS.shape[0]:
            weight += NEAR_WEIGHTS[distance]
            wins += NEAR_WEIGHTS[distance]
    line = _line_of(board, point)
    if line <= 3 and _is_empty_around(board, point, 2):
        if line == 3:
            weight += THIRD_LINE_WEIGHT
            wins += THIRD_LINE_WEIGHT
        else:
            weight += FIRST_LINE_WEIGHT
    return wins / weight, weight


@compiled
def judge(work):
    """Write what is known of each candidate of a position; see `engine.domains.go.go_functions`.

    The prior probability is proportional to the odds `v/(1 − v)` of the expected result.
    """
    board = work.board
    color = np.int64(board.to_play)
    total = 0.0
    for index in range(work.num_candidates):
        point = np.int64(work.candidate_move[index])
        if point == PASS:
            value, weight = PASS_VALUE, PASS_WEIGHT
        else:
            value, weight = judge_move(board, work.evaluator, point, color)
        work.candidate_value[index] = value
        work.candidate_weight[index] = weight
        odds = value / (1.02 - value)
        work.candidate_prior[index] = odds
        total += odds
    for index in range(work.num_candidates):
        work.candidate_prior[index] /= total
