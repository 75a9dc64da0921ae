"""Prior knowledge by the playout policy as Fuego's revision 1585 has it, which Fernando & Müller 2013 used.

As `miai.playouts.policy_prior`, but what the policy proposes comes from a move that it generates:

* Where biased patterns decide, nothing is proposed: that layer keeps its moves to itself. Still it was no random move.
* Where a corrector replaces the move, the replacement alone is proposed. So a corrected random move counts as proposed
  too, which befalls R most.
* A self-atari in a small eye space, as in nakade, is not bad.
* Ladders are read: the last move's block if it has two liberties, the own blocks beside it that have one or two. A
  move that catches is worth 3 wins, one out of atari 3, one that catches a neighbour of a block which would else be
  caught 8; moving out of a lost ladder 10 losses, unless the stones might be a nakade. What escapes is read for the
  block, not for each move out of atari.
"""

import functools

import numpy as np

from miai.engine.go.board import first_liberty
from miai.engine.go.ladder_reader import READER_DTYPE
from miai.engine.go.ladders import begin_reading, read_block
from miai.engine.go.points import EMPTY, PASS
from miai.engine.go.tactics import count_neighbors, liberties_after, next_liberty
from miai.engine.jit import Compiled, compiled
from miai.playouts.fuego1585.pattern_moves import level_at
from miai.playouts.fuego1585.rules import LARGEST_NAKADE, block_size_after, self_atari
from miai.playouts.layer_order import VARIANTS
from miai.playouts.policy import (
    LAYER_ORDER,
    correctors_of_layer,
    make_corrector,
    make_policy,
    sample_uniform,
    sample_weighted,
)
from miai.playouts.policy_prior import BY_RANDOM, by_random, compose_priors

_CATCHES, _ESCAPES, _CATCHES_ATTACKER, _LOST = 3.0, 3.0, 8.0, -10.0


@functools.cache
def _decide_as_played(propose: Compiled, is_weighted: bool, correct: Compiled, rest: Compiled) -> Compiled:
    """Return `decide`, see `compose_priors`, by a move drawn from a layer's, or else by `rest`."""
    sample = sample_weighted if is_weighted else sample_uniform

    @compiled
    def decide(board, workspace):
        count = propose(board, workspace)
        if count == 0:
            return rest(board, workspace)
        move = sample(workspace, count)
        corrected = correct(board, move)
        if corrected != move:
            workspace.moves[0] = corrected
            return np.int64(1)
        return np.int64(0) if is_weighted else count

    return decide


@functools.cache
def _decide_by_random(sample: Compiled, correct: Compiled) -> Compiled:
    @compiled
    def decide(board, workspace):
        move = sample(board, workspace)
        if move == PASS:
            return np.int64(0)
        corrected = correct(board, move)
        if corrected == move:
            return BY_RANDOM
        workspace.moves[0] = corrected
        return np.int64(1)

    return decide


@compiled
def is_in_small_eye_space(board, point, color):
    """Tell whether at most three points, empty or of `color`, are here: the point, those beside it, those beside them.

    Points reached twice count twice, as in Fuego.
    """
    size = 1 + count_neighbors(board, point, color) + count_neighbors(board, point, EMPTY)
    width = board.width_marker.shape[0]
    for neighbor in (point - width, point - 1, point + 1, point + width):
        if size <= 3 and (board.color[neighbor] == EMPTY or board.color[neighbor] == color):
            size += count_neighbors(board, neighbor, color) + count_neighbors(board, neighbor, EMPTY) - 1
    return size <= 3


@compiled
def is_bad_self_atari(board, point, color):
    """Tell whether a move is a self-atari (`rules.self_atari`) and no nakade."""
    if not self_atari(board, point, color):
        return False
    return block_size_after(board, point, color) > LARGEST_NAKADE or not is_in_small_eye_space(board, point, color)


@compiled
def _list_attackers(board, head, attackers):
    """Write the heads of the opponent's blocks that touch a block into `attackers`; return how many there are."""
    width = board.width_marker.shape[0]
    other = 3 - np.int64(board.color[head])
    count = np.int64(0)
    stone = np.int64(head)
    while True:
        for neighbor in (stone - width, stone - 1, stone + 1, stone + width):
            if board.color[neighbor] == other:
                attacker = np.int64(board.head[neighbor])
                index = np.int64(0)
                while index < count and attackers[index] != attacker:
                    index += 1
                if index == count:
                    attackers[count] = attacker
                    count += 1
        stone = np.int64(board.next_stone[stone])
        if stone == head:
            return count


@compiled
def _add_wins(extra, point, visits):
    """Make a move worth so many wins more; what a lost ladder would cost is forgotten."""
    extra[point] = max(extra[point], np.float32(0.0)) + np.float32(visits)


@compiled
def _reward_catching(reader, board, head, working, visits, extra):
    """Make the moves worth wins that catch a block with two liberties."""
    read_block(reader, head, working)
    one = first_liberty(board, head)
    for liberty in (one, next_liberty(board, head, one)):
        if working[liberty] & board.color[head] != 0:
            _add_wins(extra, liberty, visits)


@compiled
def _judge_defence(board, head, attackers, is_caught, extra):
    """Say what moving a block out of atari is worth."""
    liberty = first_liberty(board, head)
    count = _list_attackers(board, head, attackers)
    if is_caught:
        if board.block_size[head] >= LARGEST_NAKADE or count >= 3:
            extra[liberty] = np.float32(_LOST)
        return
    if liberties_after(board, liberty, np.int64(board.color[head])) >= 2:
        _add_wins(extra, liberty, _ESCAPES)
    for index in range(count):
        if board.num_liberties[attackers[index]] == 1:
            taking = first_liberty(board, attackers[index])
            if taking != liberty:
                _add_wins(extra, taking, _ESCAPES)


@compiled
def judge_ladders(board, extra):
    """Write what ladders around the last move are worth, see `compose_priors`."""
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return
    target = np.int64(board.head[last])
    beside = np.empty(board.head.shape[0], dtype=np.int64)
    count = np.int64(0)
    for index in range(_list_attackers(board, target, beside)):
        if board.num_liberties[beside[index]] <= 2:
            beside[count] = beside[index]
            count += 1
    if count > 0 or board.num_liberties[target] == 2:
        readers = np.empty(1, dtype=READER_DTYPE)
        _judge_with(readers, board, target, beside[:count], extra)


@compiled
def _judge_with(readers, board, target, beside, extra):
    """Do what `judge_ladders` does, with a reader that the caller holds: a record does not keep its array in memory."""
    reader = readers[0]
    begin_reading(reader, board, board.color, np.int64(board.ko_point))
    working = np.zeros(board.head.shape[0], dtype=np.uint8)
    attackers = np.empty(board.head.shape[0], dtype=np.int64)
    for head in beside:
        is_caught = read_block(reader, head, working)
        if board.num_liberties[head] == 1:
            _judge_defence(board, head, attackers, is_caught, extra)
        elif is_caught:
            for attacker in range(_list_attackers(board, head, attackers)):
                if board.num_liberties[attackers[attacker]] == 2:
                    _reward_catching(reader, board, attackers[attacker], working, _CATCHES_ATTACKER, extra)
    if board.num_liberties[target] == 2:
        _reward_catching(reader, board, target, working, _CATCHES, extra)


def make_fuego_prior(policy_name: str) -> Compiled:
    """Return compiled `set_priors(workspace)` as `make_policy_prior`, as Fuego's revision 1585 has it.

    Raises:
        ValueError: if there is no such policy.
    """
    policy = make_policy(policy_name)
    if policy_name not in VARIANTS:  # no layers, so nothing is proposed
        return compose_priors(by_random, is_bad_self_atari, judge_ladders, level_at, looks_everywhere=True)
    by_name = {layer.name: layer for layer in LAYER_ORDER}
    last = by_name[policy.layers[-1]].sample
    assert last is not None, "the last layer finds a move whenever there is one"
    correct = make_corrector(correctors_of_layer(policy.layers[-1], policy.correctors))
    decide = _decide_by_random(last, correct)
    for name in reversed(policy.layers[:-1]):
        correct = make_corrector(correctors_of_layer(name, policy.correctors))
        decide = _decide_as_played(by_name[name].propose, by_name[name].is_weighted, correct, decide)
    return compose_priors(decide, is_bad_self_atari, judge_ladders, level_at, looks_everywhere=True)
