"""What is known of a move before any search: an expected result worth some visits, and a probability.

Fuego (Enzenberger et al. 2010, section IV) begins each move's statistics with pseudo-visits by a few rules, and asks
its playout policy for good moves; here both come out of strengths learned from games, see
`miai.playouts.move_features`.
"""

import numpy as np

from miai.engine.go.points import PASS
from miai.engine.jit import Compiled, compiled
from miai.engine.search.pseudo_visits import set_pseudo_visits
from miai.playouts.crazystone import extra_urgency, is_candidate
from miai.playouts.fuego1585.prior import make_fuego_prior
from miai.playouts.move_features import find_features, mark_layers, move_strength
from miai.playouts.policy_prior import make_policy_prior

EXPONENT = 0.5
"""Of a strength relative to the strongest move's, for pseudo-visits."""


@compiled
def set_priors(workspace):
    """Write what is known of each candidate of a position; see `miai.engine.domains.go.go_functions`.

    The prior probability is the learned model's: a move's strength divided by the sum over all moves.
    """
    board = workspace.board
    playout_workspace = workspace.evaluator
    color = np.int64(board.to_play)
    mark_layers(board, playout_workspace)
    greatest = 0.0
    total = 0.0
    for index in range(workspace.num_candidates):
        point = np.int64(workspace.candidate_move[index])
        find_features(board, playout_workspace, point, color)
        strength = move_strength(board, playout_workspace, point)
        workspace.candidate_prior[index] = strength
        total += strength
        greatest = max(greatest, strength)
    for index in range(workspace.num_candidates):
        relative = (workspace.candidate_prior[index] / greatest) ** EXPONENT
        set_pseudo_visits(workspace, index, relative)
        workspace.candidate_prior[index] /= total


@compiled
def set_priors_by_urgency(workspace):
    """Do as `set_priors`, but for the prior probabilities: those of Crazy Stone's playouts, by urgency.

    A pass and other moves of urgency 0 have those of a thousandth of a quiet move.
    """
    set_priors(workspace)
    board = workspace.board
    color = np.int64(board.to_play)
    total = 0.0
    for index in range(workspace.num_candidates):
        point = np.int64(workspace.candidate_move[index])
        urgency = 1e-3
        if point != PASS and is_candidate(board, point, color):
            urgency = 1.0 + extra_urgency(board, point, color)
        workspace.candidate_prior[index] = urgency
        total += urgency
    for index in range(workspace.num_candidates):
        workspace.candidate_prior[index] /= total


def make_set_priors(policy_name: str, prior: str = "learned") -> Compiled:
    """Return compiled `set_priors(workspace)` for searches with these playouts; see
    `miai.engine.domains.go.go_functions`.

    Args:
        policy_name: of the playouts.
        prior: `learned` from games, by what the `policy` itself proposes, see `miai.playouts.policy_prior`, or as
            Fuego's revision 1585 has that (`fuego1585`), see `miai.playouts.fuego1585.prior`.
    """
    if prior == "policy":
        return make_policy_prior(policy_name)
    if prior == "fuego1585":
        return make_fuego_prior(policy_name)
    return set_priors_by_urgency if policy_name == "crazystone" else set_priors
