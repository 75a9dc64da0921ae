"""Playouts beside another evaluator: the value of a leaf is a weighted mean of both."""

import functools

import numpy as np

from miai.engine.domains.go import result_from_score
from miai.engine.go.board import copy_board
from miai.engine.jit import Compiled, compiled
from miai.engine.search.batched_search import WAITING
from miai.playouts.playout import make_playout, playout_score, record_playout


@functools.cache
def _compose(play_out: Compiled) -> Compiled:
    @compiled
    def mix_one(workspace, playout_workspace, playout_weight, score_weight):
        board = workspace.child
        copy_board(board, workspace.board)
        count = play_out(board, playout_workspace)
        record_playout(workspace, board, playout_workspace, count)
        score = np.float64(workspace.score)
        result = result_from_score(workspace, np.float64(playout_score(board)))
        workspace.leaf_result += playout_weight * (result - workspace.leaf_result)
        workspace.score = score + score_weight * (workspace.score - score)

    @compiled
    def mix_in(workspaces, playout_workspace, playout_weight, score_weight):
        for index in range(workspaces.shape[0]):
            if workspaces[index].leaf_state == WAITING:
                mix_one(workspaces[index], playout_workspace, playout_weight, score_weight)

    return mix_in


def make_mixer(policy_name: str) -> Compiled:
    """Return compiled `mix_in(workspaces, playout_workspace, playout_weight, score_weight)`: `(1 −
    playout_weight)·value + playout_weight·playout` at each leaf.

    `value` is the `leaf_result` that is there already; the same for `score` with `score_weight`. One playout a leaf, on
    `workspace.child`; its moves go to the trace, its final owners to `workspace.ownership`. (Silver et al. 2016,
    Mastering the game of Go with deep neural networks and tree search: there both weigh the same.)

    Args of it:
        workspaces: workspaces of `miai.engine.domains.go`, of which those with a waiting leaf are meant.
        playout_workspace: the policy's workspace, see `miai.playouts.workspace`.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose(make_playout(policy_name))
