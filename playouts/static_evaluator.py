"""The static evaluator: a position is worth what a regression on its features expects, without playing on."""

import numpy as np

from miai.engine.domains.go import ends_game, result_of_game
from miai.engine.go.board import copy_board, play
from miai.engine.jit import compiled
from miai.playouts.outcome import estimate_outcome, new_estimate
from miai.playouts.scratch import new_scratch


def new_static_scratch(size: int) -> np.ndarray:
    """Return an array of one working space: that of a policy, with room for an estimate in the field `estimate`."""
    scratch, estimate = new_scratch(size), new_estimate(size)
    fields = [(name, scratch.dtype[name]) for name in scratch.dtype.names or ()]
    # not behind the others: numba would take the record for a kind of the plain one
    both = np.zeros(1, dtype=np.dtype([("estimate", estimate.dtype), *fields], align=True))
    for name, _ in fields:
        both[0][name] = scratch[0][name]
    both[0]["estimate"] = estimate[0]
    return both


@compiled
def evaluate_statically(work):
    """Return the expected result of the position for the player to move; the score is not known and 0."""
    estimate = work.evaluator.estimate
    estimate_outcome(work.board, work.komi, estimate)
    work.score = 0.0
    return np.float64(estimate.win) + 0.5 * np.float64(estimate.draw)


@compiled
def list_outcomes_statically(work):
    """Write the chances of win and loss after each candidate move; see `DomainFunctions.list_outcomes`."""
    estimate = work.evaluator.estimate
    child = work.child
    for index in range(work.num_candidates):
        if ends_game(work, index):
            # a pass leaves the board as it is
            result = result_of_game(work)
            work.candidate_win[index] = 1.0 if result == 1.0 else 0.0
            work.candidate_loss[index] = 1.0 if result == 0.0 else 0.0
        else:
            copy_board(child, work.board)
            play(child, work.candidate_move[index])
            estimate_outcome(child, work.komi, estimate)
            work.candidate_win[index] = estimate.loss
            work.candidate_loss[index] = estimate.win
