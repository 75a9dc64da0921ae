"""The static evaluator: a position is worth what a regression on its features expects, without playing on."""

import numpy as np

from miai.engine.domains.go import ends_game, set_outcome_of_end
from miai.engine.go.board import copy_board, play
from miai.engine.jit import compiled
from miai.playouts.outcome import estimate_outcome, new_estimate
from miai.playouts.workspace import new_playout_workspace


def new_static_workspace(size: int) -> np.ndarray:
    """Return an array of one workspace: that of a policy, with room for an estimate in the field `estimate`."""
    playout_workspace, estimate = new_playout_workspace(size), new_estimate(size)
    fields = [(name, playout_workspace.dtype[name]) for name in playout_workspace.dtype.names or ()]
    # not behind the others: numba would take the record for a kind of the plain one
    both = np.zeros(1, dtype=np.dtype([("estimate", estimate.dtype), *fields], align=True))
    for name, _ in fields:
        both[0][name] = playout_workspace[0][name]
    both[0]["estimate"] = estimate[0]
    return both


@compiled
def evaluate_statically(workspace):
    """Return the expected result of the position for the player to move; the score is not known and 0."""
    estimate = workspace.evaluator.estimate
    estimate_outcome(workspace.board, workspace.komi, estimate)
    workspace.score = 0.0
    return np.float64(estimate.win) + 0.5 * np.float64(estimate.draw)


@compiled
def list_outcomes_statically(workspace):
    """Write the chances of win and loss after each candidate move; see `DomainFunctions.list_outcomes`."""
    estimate = workspace.evaluator.estimate
    child = workspace.child
    for index in range(workspace.num_candidates):
        if ends_game(workspace, index):
            set_outcome_of_end(workspace, index)
        else:
            copy_board(child, workspace.board)
            play(child, workspace.candidate_move[index])
            estimate_outcome(child, workspace.komi, estimate)
            workspace.candidate_win[index] = estimate.loss
            workspace.candidate_loss[index] = estimate.win
