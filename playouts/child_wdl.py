"""Win, draw and loss probabilities after each candidate move, by the frequencies of playouts (for Holden's rule)."""

import functools
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.domains.go import ends_game
from miai.engine.go.board import copy_board, play
from miai.engine.go.points import BLACK
from miai.engine.go.scoring import area_score
from miai.engine.jit import Compiled, compiled
from miai.engine.search.parameters import Range
from miai.playouts.playout import make_playout, playout_score


class OutcomeParameters(NamedTuple):
    """How a search whose backup needs the outcomes of every move lists them by playouts."""

    playouts: Annotated[int, Range(1, 10_000), "playouts after each move of a position"] = 2
    sibling_weight: Annotated[
        float, Range(0.0, 10_000.0), "how many playouts of a move the average over all moves counts for"
    ] = 4.0


@functools.cache
def _compose(play_out: Compiled) -> Compiled:
    @compiled
    def list_outcomes(workspace):
        playout_workspace = workspace.evaluator
        child = workspace.child
        sign = 1.0 if workspace.board.to_play == BLACK else -1.0
        number = np.int64(workspace.playouts_a_child)
        all_wins, all_losses, all_playouts = 0.0, 0.0, 0.0
        for index in range(workspace.num_candidates):
            wins, losses = 0, 0
            for _ in range(number):
                copy_board(child, workspace.board)
                play(child, workspace.candidate_move[index])
                if ends_game(workspace, index):
                    score = np.float64(area_score(child))
                else:
                    play_out(child, playout_workspace)
                    score = np.float64(playout_score(child))
                margin = sign * (score - workspace.komi)
                wins += margin > 0.0
                losses += margin < 0.0
            workspace.candidate_win[index] = wins
            workspace.candidate_loss[index] = losses
            all_wins += wins
            all_losses += losses
            all_playouts += number
        for index in range(workspace.num_candidates):
            sibling_weight = 0.0 if ends_game(workspace, index) else np.float64(workspace.sibling_weight)
            wins = np.float64(workspace.candidate_win[index]) + sibling_weight * all_wins / all_playouts
            losses = np.float64(workspace.candidate_loss[index]) + sibling_weight * all_losses / all_playouts
            workspace.candidate_win[index] = wins / (number + sibling_weight)
            workspace.candidate_loss[index] = losses / (number + sibling_weight)

    return list_outcomes


def outcomes_by_playouts(policy_name: str) -> Compiled:
    """Return compiled `list_outcomes(workspace)`: `workspace.playouts_a_child` playouts after each candidate move.

    To a child's frequencies are added `workspace.sibling_weight` playouts of the average over all candidates, as a few
    playouts say little of one move and much of the position.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose(make_playout(policy_name))
