"""`wdl-effective` and `wdl-counts`: Holden's products, of as many moves as really are alternatives (ours)."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.wdl import init_wdl
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import (
    TERMINAL,
    children_of,
    column,
    column_numbers,
    first_children,
    priors,
    visits,
)
from miai.engine.search.wdl import (
    MIN_LOG,
    clamped_log,
    expected_result,
    log_complement,
    log_loss,
    log_not_win,
    set_outcome,
)

_COLUMNS = ("wins", "losses", "results")
_WINS, _LOSSES, _RESULTS = column_numbers("backup", _COLUMNS)

_Alternatives = Annotated[float, Range(1.0, 1e9), "moves, at most, that count as independent chances of a node"]
_PriorWeight = Annotated[float, Range(1e-6, 1e6), "visits that the prior probabilities are worth as weights"]


class EffectiveParameters(NamedTuple):
    """Parameters of `wdl-effective`."""

    alternatives: _Alternatives = 2.0
    prior_weight: _PriorWeight = 4.0


class CountsParameters(NamedTuple):
    """Parameters of `wdl-counts`."""

    alternatives: _Alternatives = 1.0
    prior_weight: _PriorWeight = 4.0


@compiled
def combine_alternatives(tree, node, params):
    """Write a node's outcome from those of its children, each to the power of how much it is an alternative.

    For who moves at the node, `W = 1 − Π(1 − W_i)^e_i` and `L = Π L_i^e_i`, `e_i = min(1, η·q_i)` with `η`
    alternatives and `q_i = (n_i + λ·p_i)/(Σ n_j + λ)`. A sure win makes the node one, whatever it weighs.
    """
    children = children_of(tree, node)
    total = 0.0
    for child in range(children.first, children.end):
        total += visits(tree)[child] + params.prior_weight * priors(tree)[child]
    not_win, loss = 0.0, 0.0
    for child in range(children.first, children.end):
        weight = visits(tree)[child] + params.prior_weight * priors(tree)[child]
        exponent = min(1.0, params.alternatives * weight / total)
        own_not_win, own_loss = log_not_win(tree, child), log_loss(tree, child)
        not_win += own_not_win if own_not_win <= MIN_LOG else exponent * own_not_win
        loss += own_loss if own_loss <= MIN_LOG else exponent * own_loss
    set_outcome(tree, node, log_complement(loss), log_complement(not_win))


@compiled
def note_end(tree, node, result):
    """Write the outcome of a game that is over, by its result for the player who moves at the node's parent."""
    set_outcome(tree, node, MIN_LOG if result == 1.0 else 0.0, 0.0 if result == 0.0 else MIN_LOG)


@backup_rule(
    EffectiveParameters(),
    name="wdl-effective",
    source="ours, after Holden's product; footnote 4 for its aim",
    init_children=init_wdl,
    kinds=("wdl", "probability"),
)
def wdl_effective(tree, node, workspace, params):
    """Return `W + D/2` of a product over the children in which all together count as a few independent chances.

    Holden's product takes eighty replies for eighty chances, so that whoever is to move seems to win. Here a child
    counts by its share of the visits and of the prior probability: all together at most as `alternatives`, one at
    most as itself. With one alternative it is a geometric mean, with ever more Holden's product.
    """
    if children_of(tree, node).first > 0:
        combine_alternatives(tree, node, params)
    elif first_children(tree)[node] == TERMINAL:
        note_end(tree, node, workspace.result)
    return expected_result(tree, node)


@compiled
def init_counts(tree, first, count, workspace):
    """Begin the counts of new children with what is known of their moves: pseudo-visits, a win or a loss each."""
    for index in range(count):
        weight = np.float64(workspace.candidate_weight[index])
        value = np.float64(workspace.candidate_value[index])
        child = first + index
        column(tree, _WINS)[child] = weight * value
        column(tree, _LOSSES)[child] = weight * (1.0 - value)
        column(tree, _RESULTS)[child] = weight
        set_outcome(tree, child, clamped_log(1.0 - value), clamped_log(1.0 - value))


@compiled
def count_result(tree, node, result):
    """Add a result, for who moves at the node's parent, to its counts and write the outcome that these say.

    ½ is a draw; any other expected result counts as a win with that probability, else a loss.
    """
    if result != 0.5:
        column(tree, _WINS)[node] += result
        column(tree, _LOSSES)[node] += 1.0 - result
    column(tree, _RESULTS)[node] += 1.0
    number = np.float64(column(tree, _RESULTS)[node])
    not_win = clamped_log(1.0 - column(tree, _WINS)[node] / number)
    set_outcome(tree, node, not_win, min(not_win, clamped_log(column(tree, _LOSSES)[node] / number)))


@backup_rule(
    CountsParameters(),
    name="wdl-counts",
    source="ours, after Holden; prior knowledge as Gelly & Silver 2011",
    columns=_COLUMNS,
    init_children=init_counts,
    kinds=("wdl", "probability"),
    counts_results=True,
)
def wdl_counts(tree, node, workspace, params):
    """Return `W + D/2` as `wdl-effective`, where outcomes of positions are counted: results, and prior knowledge.

    Holden evaluates all children of a new node. Here one result a simulation is enough: a child begins with what is
    known of its move, and the counts of playouts that end there smooth it.
    """
    if children_of(tree, node).first > 0:
        combine_alternatives(tree, node, params)
    elif first_children(tree)[node] == TERMINAL:
        note_end(tree, node, workspace.result)
    else:
        count_result(tree, node, np.float64(workspace.result))
    return expected_result(tree, node)
