"""The playout evaluator: a position is worth the result of one playout."""

import functools

import numpy as np

from miai.engine.domains.go import result_from_score
from miai.engine.jit import compiled
from miai.playouts.playout import add_ownership, make_playout, playout_score
from miai.playouts.policy import Compiled


@functools.cache
def _compose(play_out: Compiled) -> Compiled:
    @compiled
    def evaluate(work):
        to_play = work.board.to_play
        scratch = work.evaluator
        count = play_out(work.board, scratch)
        length = work.trace_length
        for index in range(min(count, work.trace.shape[0] - length)):
            work.trace[length + index] = scratch.playout_moves[index]
        work.trace_length = length + min(count, work.trace.shape[0] - length)
        add_ownership(work.board, work.ownership)
        work.num_evaluations += 1
        work.board.to_play = to_play
        return result_from_score(work, np.float64(playout_score(work.board)))

    return evaluate


def make_evaluator(policy_name: str) -> Compiled:
    """Return compiled `evaluate(work) -> float`: the result of one playout for the player to move.

    Adds the playout's moves to the trace and its final owners to `work.ownership`.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose(make_playout(policy_name))
