"""`wdl-product`: win, draw and loss probabilities as if the children's outcomes were independent (Holden)."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import TERMINAL, children_of, first_children
from miai.engine.search.wdl import (
    MIN_LOG,
    clamped_log,
    expected_result,
    log_complement,
    log_loss,
    log_not_win,
    set_outcome,
)


class WdlParameters(NamedTuple):
    """Parameters of `wdl-product`."""

    kappa: Annotated[float, Range(0.0, 1.0), "weight of the product; the rest is the mean over the children"] = 1.0


@compiled
def init_wdl(tree, first, count, workspace):
    """Give new children the outcomes that the evaluator expects."""
    for index in range(count):
        not_win = clamped_log(1.0 - np.float64(workspace.candidate_win[index]))
        set_outcome(tree, first + index, not_win, clamped_log(np.float64(workspace.candidate_loss[index])))


@compiled
def combine_children(tree, node, params):
    """Write a node's outcome from those of its children.

    For who moves at the node, `W = 1 − Π(1 − W_i)` and `L = Π L_i`, of which `kappa` is taken and the rest of the
    children's mean chances (footnote 4).
    """
    children = children_of(tree, node)
    not_win, loss = 0.0, 0.0
    for child in range(children.first, children.end):
        not_win += log_not_win(tree, child)
        loss += log_loss(tree, child)
    if params.kappa < 1.0:
        mean_not_win, mean_loss = 0.0, 0.0
        for child in range(children.first, children.end):
            mean_not_win += math.exp(log_not_win(tree, child))
            mean_loss += math.exp(log_loss(tree, child))
        rest = (1.0 - params.kappa) / (children.end - children.first)
        not_win = clamped_log(params.kappa * math.exp(not_win) + rest * mean_not_win)
        loss = clamped_log(params.kappa * math.exp(loss) + rest * mean_loss)
    # a win for who moves here is a loss for who moves at the parent
    set_outcome(tree, node, log_complement(loss), log_complement(not_win))


@compiled
def note_end(tree, node, result):
    """Write the outcome of a game that is over, by its result for the player who moves at the node's parent."""
    set_outcome(tree, node, MIN_LOG if result == 1.0 else 0.0, 0.0 if result == 0.0 else MIN_LOG)


@backup_rule(
    WdlParameters(),
    name="wdl-product",
    source="Holden, Notes on an alternative approach to move choice, The algorithm and footnote 4",
    init_children=init_wdl,
    kinds=("wdl", "probability"),
)
def wdl_product(tree, node, workspace, params):
    """Return `W + D/2` of the outcome that follows from the children's; of the evaluator's where there are none."""
    if children_of(tree, node).first > 0:
        combine_children(tree, node, params)
    elif first_children(tree)[node] == TERMINAL:
        note_end(tree, node, workspace.result)
    return expected_result(tree, node)
