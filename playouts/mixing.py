"""Playouts beside another evaluator: each leaf of a batch is worth a bit of both."""

import functools

import numpy as np

from miai.engine.domains.go import result_from_score
from miai.engine.go.board import copy_board
from miai.engine.jit import compiled
from miai.engine.search.batches import WAITING
from miai.playouts.playout import add_ownership, make_playout, playout_score
from miai.playouts.policy import Compiled


@functools.cache
def _compose(play_out: Compiled) -> Compiled:
    @compiled
    def mix_one(work, scratch, share, score_share):
        board = work.child
        copy_board(board, work.board)
        count = play_out(board, scratch)
        length = work.trace_length
        for index in range(min(count, work.trace.shape[0] - length)):
            work.trace[length + index] = scratch.playout_moves[index]
        work.trace_length = length + min(count, work.trace.shape[0] - length)
        add_ownership(board, work.ownership)
        work.num_evaluations += 1
        score = np.float64(work.score)
        result = result_from_score(work, np.float64(playout_score(board)))
        work.leaf_result += share * (result - work.leaf_result)
        work.score = score + score_share * (work.score - score)

    @compiled
    def mix_in(works, scratch, share, score_share):
        for index in range(works.shape[0]):
            if works[index].leaf_state == WAITING:
                mix_one(works[index], scratch, share, score_share)

    return mix_in


def make_mixer(policy_name: str) -> Compiled:
    """Return compiled `mix_in(works, scratch, share, score_share)`: `(1 − share)·value + share·playout` at each leaf.

    `value` is the `leaf_result` that is there already; the same for `score` with `score_share`. One playout a leaf, on
    `work.child`; its moves go to the trace, its final owners to `work.ownership`. (Silver et al. 2016, Mastering the
    game of Go with deep neural networks and tree search: there both weigh the same.)

    Args of it:
        works: working spaces of `miai.engine.domains.go`, of which those with a waiting leaf are meant.
        scratch: the policy's working space, see `miai.playouts.scratch`.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose(make_playout(policy_name))
