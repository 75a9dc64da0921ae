"""`wdl-effective` and `wdl-counts`: Holden's products, of as many moves as really are alternatives (ours)."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.wdl import init_wdl, note_end
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import (
    TERMINAL,
    children_of,
    column,
    column_numbers,
    first_children,
    priors,
    results,
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

_COLUMNS = ("wins", "losses")
_WINS, _LOSSES = column_numbers("backup", _COLUMNS)

_Alternatives = Annotated[float, Range(1.0, 1e9), "moves, at most, that count as independent chances of a node"]
_PriorWeight = Annotated[float, Range(1e-6, 1e6), "visits that the prior probabilities are worth as weights"]


class EffectiveParameters(NamedTuple):
    """Parameters of `wdl-effective`."""

    alternatives: _Alternatives = 2.0
    prior_weight: _PriorWeight = 4.0


class CountsParameters(NamedTuple):
    """Parameters of `wdl-counts`."""

    alternatives: _Alternatives = 1.0
    mean_weight: Annotated[
        float, Range(1e-6, 1e6), "visits that the node's own results are worth beside its children"
    ] = 16.0
    smoothing: Annotated[float, Range(1e-6, 1e6), "results that count half for a win and half for a loss"] = 2.0


@compiled
def weigh(logarithm, exponent):
    """Return the logarithm of a power; what is certain stays so."""
    return logarithm if logarithm <= MIN_LOG else exponent * logarithm


@compiled
def write_combined(tree, node, not_win, loss):
    """Write a node's outcome from `log(1 − W)` and `log L` for who moves there, which may be wrong by rounding."""
    set_outcome(tree, node, log_complement(min(loss, not_win)), log_complement(not_win))


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
        not_win += weigh(log_not_win(tree, child), exponent)
        loss += weigh(log_loss(tree, child), exponent)
    write_combined(tree, node, not_win, loss)


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
    """Begin the counts of new children, of which nothing is known yet: a loss, so that none is taken for a good one."""
    for child in range(first, first + count):
        column(tree, _WINS)[child] = 0.0
        column(tree, _LOSSES)[child] = 0.0
        set_outcome(tree, child, 0.0, 0.0)


@compiled
def count_result(tree, node, result, params):
    """Add a result, for who moves at the node's parent, to its counts; return `log(1 − W)` and `log L` by these.

    ½ is a draw; any other expected result counts as a win with that probability, else a loss. With `s` results
    of smoothing, `W = (wins + s/2)/(n + s)`.
    """
    if result != 0.5:
        column(tree, _WINS)[node] += result
        column(tree, _LOSSES)[node] += 1.0 - result
    number = results(tree)[node] + params.smoothing
    wins = (column(tree, _WINS)[node] + 0.5 * params.smoothing) / number
    losses = (column(tree, _LOSSES)[node] + 0.5 * params.smoothing) / number
    return clamped_log(1.0 - wins), clamped_log(losses)


@compiled
def combine_visited(tree, node, params, mean_not_win, mean_loss):
    """Write a node's outcome from those of its visited children and, as if another, from its own results.

    As `combine_alternatives` with `q_i = n_i/(Σ n_j + M)`, and `M/(Σ n_j + M)` for the results; their
    logarithms are those for who moves at the node's parent.
    """
    children = children_of(tree, node)
    total = np.float64(params.mean_weight)
    for child in range(children.first, children.end):
        total += visits(tree)[child]
    own_weight = params.mean_weight / total
    not_win, loss = own_weight * log_complement(mean_loss), own_weight * log_complement(mean_not_win)
    for child in range(children.first, children.end):
        if visits(tree)[child] > 0:
            exponent = min(1.0, params.alternatives * visits(tree)[child] / total)
            not_win += weigh(log_not_win(tree, child), exponent)
            loss += weigh(log_loss(tree, child), exponent)
    write_combined(tree, node, not_win, loss)


@backup_rule(
    CountsParameters(),
    name="wdl-counts",
    source="ours, after Holden's product; the weight of the mean after Coulom 2006, fig. 1",
    columns=_COLUMNS,
    init_children=init_counts,
    kinds=("wdl", "probability"),
    counts_results=True,
)
def wdl_counts(tree, node, workspace, params):
    """Return `W + D/2` by counted results, and of a product over the visited children, the surer the more it counts.

    Holden evaluates all children of a new node. Here one result a simulation is enough, as that of a playout: a
    position's chances are the smoothed frequencies of the results at or below it, and a product as that of
    `wdl-effective` takes their place as its children are visited. Nothing is known of children before that.
    """
    if first_children(tree)[node] == TERMINAL:
        note_end(tree, node, workspace.result)
        return expected_result(tree, node)
    not_win, loss = count_result(tree, node, np.float64(workspace.result), params)
    if children_of(tree, node).first > 0:
        combine_visited(tree, node, params, not_win, loss)
    else:
        set_outcome(tree, node, not_win, loss)
    return expected_result(tree, node)
