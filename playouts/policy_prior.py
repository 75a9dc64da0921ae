"""Prior knowledge that comes from the playout policy itself, as Fuego begins the statistics of moves.

So MCTS(P) knows before a search what P knows, and no more. After Enzenberger et al. 2010, section IV, and Fuego's
revision 1585, which Fernando & Müller 2013 used. Expected results and the visits they are worth:

    a layer before `random` decides      its moves 1.0, else atari 0.8, a 3x3 pattern 0.6, any other 0.4; 9 visits
    `random` decides, some move is       atari 1.0, a pattern 0.9, any other 0.5; 3 visits
      an atari or a pattern
    neither                              nothing
    in each case                         a self-atari that takes nothing 0.1, a pass 0.1; 9 visits
    besides, by distance from the last   1.0, 0.6 and 0.6 at 1, 2 and 3, else 0.1; 4 visits
      move, a pass 0.1

The distance is that of the common fate graph, in which a block is one point. What revision 1585 does beside that is in
`miai.playouts.fuego1585.prior`.
"""

import functools

import numpy as np

from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import captures_at, puts_in_atari, self_atari
from miai.engine.jit import Compiled, compiled
from miai.playouts.pattern_moves import level_at
from miai.playouts.patterns import pattern_code
from miai.playouts.policy import LAYER_ORDER, make_policy

FULL_WEIGHT = 9.0
"""Visits that a judgement by the policy is worth."""
GLOBAL_WEIGHT = 3.0
"""Visits that one by atari and pattern alone is worth."""
NEAR_WEIGHT = 4.0
"""Visits that the distance from the last move is worth."""
NEAR_VALUES = (1.0, 0.6, 0.6)
"""At distances 1, 2 and 3."""
LOW_VALUE = 0.1
"""Of a pass, a self-atari, and far from the last move."""

_PROPOSED = np.uint8(128)
"""Bit of `workspace.layers_at` that marks a move of the deciding layer; the rest is one more than the distance."""
_DISTANCE = np.uint8(127)


@compiled
def _reach(board, workspace, distance):
    """Mark what touches the points at a distance, blocks as a whole, with the next distance."""
    width = board.width_marker.shape[0]
    mark = workspace.layers_at
    here = np.uint8(distance + 1)
    for point in range(width, mark.shape[0] - width):
        if mark[point] != here:
            continue
        for neighbor in (point - width, point - 1, point + 1, point + width):
            if mark[neighbor] != 0 or board.color[neighbor] > 2:
                continue
            if board.color[neighbor] == EMPTY:
                mark[neighbor] = here + np.uint8(1)
                continue
            stone = np.int64(neighbor)
            while mark[stone] == 0:
                mark[stone] = here + np.uint8(1)
                stone = np.int64(board.next_stone[stone])


@compiled
def mark_distances(board, workspace):
    """Write one more than each point's distance from the last move, up to 3, into `workspace.layers_at`; else 0.

    The distance is that of the common fate graph: the block of the last move is at 0 as a whole.
    """
    workspace.layers_at[:] = 0
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return
    stone = last
    while workspace.layers_at[stone] == 0:
        workspace.layers_at[stone] = 1
        stone = np.int64(board.next_stone[stone])
    for distance in range(3):
        _reach(board, workspace, distance)


BY_RANDOM = np.int64(-1)
"""What a `decide` returns where no layer before `random` proposes a move."""


@functools.cache
def _decide_or(propose: Compiled, rest: Compiled) -> Compiled:
    @compiled
    def decide(board, workspace):
        count = propose(board, workspace)
        if count > 0:
            return count
        return rest(board, workspace)

    return decide


@compiled
def by_random(board, workspace):
    """Propose nothing."""
    return BY_RANDOM


@compiled
def _takes_nothing(board, point, color):
    return self_atari(board, point, color) and not captures_at(board, point, color)


@compiled
def _no_ladders(board, extra):
    pass


@functools.cache
def compose_priors(
    decide: Compiled,
    is_bad: Compiled = _takes_nothing,
    judge_ladders: Compiled = _no_ladders,
    pattern_level: Compiled = level_at,
    looks_everywhere: bool = False,
) -> Compiled:
    """Return compiled `set_priors(workspace)`, for `miai.engine.domains.go`, by the table above.

    Args:
        decide: compiled `decide(board, workspace) -> number of moves proposed`, left in `workspace.moves`, or
            `BY_RANDOM`.
        is_bad: compiled `is_bad(board, point, color)`: whether a move counts as a bad self-atari.
        judge_ladders: compiled `judge_ladders(board, extra)`: writes into `extra`, float32 [indices] of zeros, by point
            the visits that a win by a ladder is worth, or minus those that a loss by one is; the latter stand alone.
        pattern_level: compiled `pattern_level(workspace, code)`: 0 where no 3x3 pattern matches.
        looks_everywhere: whether an atari or a pattern counts where it may not be played, too, to give others 3 visits.
    """

    @compiled
    def set_priors(workspace):
        board = workspace.board
        playout_workspace = workspace.evaluator
        color = np.int64(board.to_play)
        mark_distances(board, playout_workspace)
        mark = playout_workspace.layers_at
        count = decide(board, playout_workspace)
        for index in range(count):
            mark[playout_workspace.moves[index]] |= _PROPOSED
        is_global = False
        if count < 0:
            for index in range(np.int64(board.num_empty) if looks_everywhere else workspace.num_candidates):
                point = np.int64(board.empty_points[index] if looks_everywhere else workspace.candidate_move[index])
                if point != PASS:
                    is_global |= puts_in_atari(board, point, color)
                    is_global |= pattern_level(playout_workspace, pattern_code(board, point)) != 0
        extra = np.zeros(board.head.shape[0], dtype=np.float32)
        judge_ladders(board, extra)
        has_last = np.int64(board.last_move) > 0
        total = 0.0
        for index in range(workspace.num_candidates):
            point = np.int64(workspace.candidate_move[index])
            value, weight = LOW_VALUE, FULL_WEIGHT
            near = LOW_VALUE
            if point != PASS:
                is_atari = puts_in_atari(board, point, color)
                is_pattern = pattern_level(playout_workspace, pattern_code(board, point)) != 0
                distance = np.int64(mark[point] & _DISTANCE) - 1
                if distance >= 1:
                    near = NEAR_VALUES[distance - 1]
                if mark[point] & _PROPOSED != 0:
                    value = 1.0
                elif is_bad(board, point, color):
                    value = LOW_VALUE
                elif count >= 0:
                    value = 0.8 if is_atari else 0.6 if is_pattern else 0.4
                elif is_global:
                    value = 1.0 if is_atari else 0.9 if is_pattern else 0.5
                    weight = GLOBAL_WEIGHT
                else:
                    weight = 0.0
            if has_last:
                value = (value * weight + near * NEAR_WEIGHT) / (weight + NEAR_WEIGHT)
                weight += NEAR_WEIGHT
            ladder = np.float64(extra[point])
            if ladder > 0.0:
                value = (value * weight + ladder) / (weight + ladder)
                weight += ladder
            elif ladder < 0.0:
                value, weight = 0.0, -ladder
            workspace.candidate_value[index] = value if weight > 0.0 else 0.5
            workspace.candidate_weight[index] = weight
            workspace.candidate_prior[index] = workspace.candidate_value[index]
            total += workspace.candidate_value[index]
        for index in range(workspace.num_candidates):
            workspace.candidate_prior[index] /= total

    return set_priors


def make_policy_prior(policy_name: str) -> Compiled:
    """Return compiled `set_priors(workspace)` by what a policy's layers propose, for `miai.engine.domains.go`.

    Prior probabilities are in proportion to the expected results. `crazystone`, which has no layers, proposes nothing.

    Raises:
        ValueError: if there is no such policy.
    """
    by_name = {layer.name: layer.propose for layer in LAYER_ORDER}
    decide = by_random
    for name in reversed(make_policy(policy_name).layers[:-1]):
        decide = _decide_or(by_name[name], decide)
    return compose_priors(decide)
