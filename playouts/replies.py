"""A playout policy as the opponent in the games of a batch."""

import functools

import numpy as np

from miai.engine.go.batch_steps import awaits_reply
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import NO_MOVE, PASS
from miai.engine.intrinsics import trailing_zeros
from miai.engine.jit import Compiled, compiled
from miai.engine.random import random_below
from miai.playouts.policy import make_policy


@compiled
def _is_legal(game, move):
    point = np.uint64(move)
    return move == PASS or (game.legal[point >> np.uint64(6)] >> (point & np.uint64(63))) & np.uint64(1) != 0


@compiled
def _sample_sensible(game, workspace):
    """Sample uniformly from the legal points that are no own eye; PASS if there are none."""
    color = np.uint8(game.board.to_play)
    count = np.int64(0)
    for word in range(game.legal.shape[0]):
        bits = game.legal[word]
        while bits != 0:
            point = np.int64(word * 64 + trailing_zeros(bits))
            bits &= bits - np.uint64(1)
            if not is_own_eye(game.board, point, color):
                workspace.moves[count] = point
                count += 1
    return np.int64(workspace.moves[random_below(game, count)]) if count > 0 else np.int64(PASS)


@functools.cache
def _compose_replies(choose: Compiled) -> Compiled:
    @compiled
    def choose_replies(games, workspace, replies):
        for index in range(games.shape[0]):
            game = games[index]
            replies[index] = NO_MOVE
            if awaits_reply(game):
                workspace[0].stream[0], workspace[0].stream[1] = game.stream[0], game.stream[1]
                move = choose(game.board, workspace[0])
                game.stream[0], game.stream[1] = workspace[0].stream[0], workspace[0].stream[1]
                replies[index] = move if _is_legal(game, move) else _sample_sensible(game, workspace[0])

    return choose_replies


def make_replies(policy_name: str) -> Compiled:
    """Return compiled `choose_replies(games, workspace, replies)`: a policy's move wherever it is the opponent's turn.

    Policies know simple ko only. Where superko forbids the move, a random one is played that fills no own eye.
    `workspace` is an array of one record; random numbers are the games' own. `replies`, int64 [number], gets NO_MOVE
    elsewhere.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose_replies(make_policy(policy_name).choose)
