"""The playout evaluator: a position is worth the result of one playout."""

import functools

import numpy as np

from miai.engine.domains.go import result_from_score
from miai.engine.jit import Compiled, compiled
from miai.playouts.playout import make_playout, playout_score, record_playout


@functools.cache
def _compose(play_out: Compiled) -> Compiled:
    @compiled
    def evaluate(workspace):
        to_play = workspace.board.to_play
        playout_workspace = workspace.evaluator
        count = play_out(workspace.board, playout_workspace)
        record_playout(workspace, workspace.board, playout_workspace, count)
        workspace.board.to_play = to_play
        return result_from_score(workspace, np.float64(playout_score(workspace.board)))

    return evaluate


def make_evaluator(policy_name: str) -> Compiled:
    """Return compiled `evaluate(workspace) -> float`: the result of one playout for the player to move.

    Adds the playout's moves to the trace and its final owners to `workspace.ownership`.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose(make_playout(policy_name))
