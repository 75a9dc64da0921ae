"""`rave`: UCT with AMAF values and prior knowledge."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.tree import TERMINAL, children_of, column, column_numbers, first_children, moves, values, visits
from miai.engine.search.workspace import field, field_numbers


class RaveParameters(NamedTuple):
    """Parameters of `rave`."""

    equivalence: Annotated[
        float, Range(1.0, 1e9), "visits at which a move's own value begins to outweigh its AMAF value"
    ] = 300.0
    exploration: Annotated[float, Range(0.0, 100.0), "weight of the exploration term"] = 0.03
    prior_weight: Annotated[float, Range(0.0, 1000.0), "factor on the visits that prior knowledge is worth"] = 1.0
    schedule: Annotated[
        int, Range(0, 2), "weight of AMAF: 0 = minimum mean squared error, 1 = hand-selected, 2 = none"
    ] = 0


SCHEDULE_MINIMUM_MSE = 0
SCHEDULE_HAND = 1
SCHEDULE_NONE = 2

COLUMNS = ("amaf_visits", "amaf_value", "prior_weight", "prior_value")
AMAF_VISITS, AMAF_VALUE, PRIOR_WEIGHT, PRIOR_VALUE = column_numbers("selection", COLUMNS)
_FIELDS = ("first_player",)
(_FIRST_PLAYER,) = field_numbers("selection", _FIELDS)


@compiled
def init_rave(tree, first, count, workspace):
    """Give new children the candidates' expected values, and no all-moves-as-first statistics yet."""
    for index in range(count):
        child = first + index
        column(tree, AMAF_VISITS)[child] = 0.0
        column(tree, AMAF_VALUE)[child] = 0.0
        column(tree, PRIOR_WEIGHT)[child] = workspace.candidate_weight[index]
        column(tree, PRIOR_VALUE)[child] = workspace.candidate_value[index]


@compiled
def greatest_blend(tree, node, params, schedule, is_prior_amaf, excluded):
    """Return the child with the greatest blend by a schedule that is not `excluded`; see `rave`.

    Prior knowledge counts as AMAF visits too if `is_prior_amaf`.
    """
    children = children_of(tree, node)
    log_visits = math.log(max(1.0, visits(tree)[node]))
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        n = np.float64(visits(tree)[child])
        prior = params.prior_weight * column(tree, PRIOR_WEIGHT)[child]
        weight = n + prior
        own = 0.5
        if weight > 0.0:
            own = (n * values(tree)[child] + prior * column(tree, PRIOR_VALUE)[child]) / weight
        m = np.float64(column(tree, AMAF_VISITS)[child])
        amaf = np.float64(column(tree, AMAF_VALUE)[child])
        if is_prior_amaf and prior > 0.0:
            amaf = (m * amaf + prior * column(tree, PRIOR_VALUE)[child]) / (m + prior)
            m += prior
        if m > 0.0 and schedule != SCHEDULE_NONE:
            if schedule == SCHEDULE_HAND:
                amaf_weight = math.sqrt(params.equivalence / (3.0 * weight + params.equivalence))
            else:
                amaf_weight = m / (weight + m + weight * m / params.equivalence)
            own += amaf_weight * (amaf - own)
        own += params.exploration * math.sqrt(log_visits / (n + 1.0))
        if own > best_value and child != excluded:
            best_value = own
            best = child
    return best


@compiled
def update_amaf(tree, workspace, depth, result):
    """Credit the result to every child along the path whose move its player made first, there or later.

    Move 0, the pass of games that have one, is never credited. `first_player[move]` is who makes the move first after
    the current ply: 1 the player with even plies, 2 the one with odd plies. The trace is walked backwards, so that the
    earliest occurrence is what stays.
    """
    first_player = field(workspace, _FIRST_PLAYER, np.int8)
    first_player[:] = 0
    for ply in range(workspace.trace_length - 1, depth - 1, -1):
        first_player[workspace.trace[ply]] = 1 + (ply & 1)
    # the result for the player with even plies
    even_result = result if depth & 1 == 0 else 1.0 - result
    amaf_visits = column(tree, AMAF_VISITS)
    amaf_value = column(tree, AMAF_VALUE)
    for ply in range(depth, -1, -1):
        player = 1 + (ply & 1)
        if ply < depth:
            first_player[workspace.trace[ply]] = player
        first_player[0] = 0
        outcome = even_result if player == 1 else 1.0 - even_result
        children = children_of(tree, workspace.path[ply])
        for child in range(children.first, children.end):
            if first_player[moves(tree)[child]] == player:
                n = amaf_visits[child] + np.float32(1.0)
                amaf_visits[child] = n
                amaf_value[child] += (np.float32(outcome) - amaf_value[child]) / n


@selection_rule(
    RaveParameters(),
    name="rave",
    source="Gelly & Silver 2011, Monte-Carlo tree search and rapid action value estimation in computer Go",
    columns=COLUMNS,
    fields=_FIELDS,
    init_children=init_rave,
    update_statistics=update_amaf,
    needs_lasting_moves=True,
)
def rave(tree, node, params, workspace):
    """Return the child with the greatest blend of its own value and its all-moves-as-first (AMAF) value.

    Prior knowledge counts as `prior_weight` times its visits, added to the child's own. With `n` visits and `m` AMAF
    visits the AMAF value has weight `m/(n + m + n·m/equivalence)` (minimum mean squared error, Gelly & Silver
    2011, `equivalence` = 1/(4·bias²) for values near one half) or `sqrt(k/(3n + k))` (their hand-selected schedule,
    `k` = `equivalence`), or none.

    Where the game ends there are no playouts that could raise the other children's AMAF values, and a move of
    low prior value might never be tried. So every eighth visit that would go to a child where the game is over goes to
    the best other child.
    """
    best = greatest_blend(tree, node, params, params.schedule, False, -1)
    if first_children(tree)[best] == TERMINAL and visits(tree)[node] & 7 == 0:
        return greatest_blend(tree, node, params, params.schedule, False, best)
    return best
