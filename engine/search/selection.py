"""Selection rules: which child a simulation descends into.

A rule is `select(tree, node, params, work) -> child`. Children's values are from the view of the player who moves at
`node`, so no rule contains a minus for the other player. Ties fall to the first child.
"""

import math
from typing import NamedTuple

import numpy as np

from engine.jit import compiled
from engine.search.rules import Parameter, SelectionRule
from engine.search.tree import children_of, column, moves, priors, values, visits


class UctParameters(NamedTuple):
    """Parameters of `uct`."""

    exploration: float = 0.4
    first_play: float = 1.1


@compiled
def select_uct(tree, node, params, work):
    """Return the child with the greatest `v + c·sqrt(ln n_s / (n + 1))`; one never visited counts as `first_play`."""
    children = children_of(tree, node)
    log_visits = math.log(max(1.0, visits(tree)[node]))
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        n = visits(tree)[child]
        value = values(tree)[child] if n > 0 else params.first_play
        value += params.exploration * math.sqrt(log_visits / (n + 1.0))
        if value > best_value:
            best_value = value
            best = child
    return best


UCT = SelectionRule(
    "uct",
    select_uct,
    UctParameters(),
    (
        Parameter("exploration", 0.0, 100.0, "weight of the exploration term"),
        Parameter("first_play", -10.0, 10.0, "value of a move that was never visited (first-play urgency)"),
    ),
    "Kocsis & Szepesvári 2006; Li & Lim eq. 4; first-play urgency: Gelly et al. 2006",
)


class PuctParameters(NamedTuple):
    """Parameters of `puct`."""

    c0: float = 1.25
    c1: float = 19652.0
    fpu: int = 2
    fpu_reduction: float = 0.1


FPU_ZERO = 0
FPU_PARENT = 1
FPU_REDUCED = 2


@compiled
def _first_play_value(tree, node, params):
    if params.fpu == FPU_ZERO:
        return 0.0
    parent_value = 1.0 - values(tree)[node] if visits(tree)[node] > 1 else 0.5
    return parent_value - (params.fpu_reduction if params.fpu == FPU_REDUCED else 0.0)


@compiled
def select_puct(tree, node, params, work):
    """Return the child with the greatest `v + C·p·sqrt(n_s)/(1 + n)`, `C = c0 + ln((1 + n_s + c1)/c1)`.

    `n_s` is one more than the sum of the children's visits, which is the node's own visits while it is being visited.
    """
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    weight = (params.c0 + math.log((1.0 + total + params.c1) / params.c1)) * math.sqrt(total)
    first_play = _first_play_value(tree, node, params)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        n = visits(tree)[child]
        value = values(tree)[child] if n > 0 else first_play
        value += weight * priors(tree)[child] / (1.0 + n)
        if value > best_value:
            best_value = value
            best = child
    return best


PUCT = SelectionRule(
    "puct",
    select_puct,
    PuctParameters(),
    (
        Parameter("c0", 0.0, 100.0, "exploration"),
        Parameter("c1", 1.0, 1e9, "visits at which exploration begins to grow"),
        Parameter("fpu", 0, 2, "value of a move never visited: 0 = zero, 1 = parent's, 2 = parent's less a bit"),
        Parameter("fpu_reduction", 0.0, 1.0, "how much less"),
    ),
    "Silver et al. 2018 (AlphaZero); Jones 2021 eq. 1; c1 = 19652 as AlphaZero published it",
)


class RaveParameters(NamedTuple):
    """Parameters of `rave`."""

    equivalence: float = 300.0
    exploration: float = 0.03
    prior_weight: float = 1.0
    schedule: int = 0


SCHEDULE_MINIMUM_MSE = 0
SCHEDULE_HAND = 1

_AMAF_VISITS = 0
_AMAF_VALUE = 1
_PRIOR_WEIGHT = 2
_PRIOR_VALUE = 3


@compiled
def prepare_rave(tree, first, count, work):
    """Give new children the candidates' expected values, and no all-moves-as-first statistics yet."""
    for index in range(count):
        child = first + index
        column(tree, _AMAF_VISITS)[child] = 0.0
        column(tree, _AMAF_VALUE)[child] = 0.0
        column(tree, _PRIOR_WEIGHT)[child] = work.candidate_weight[index]
        column(tree, _PRIOR_VALUE)[child] = work.candidate_value[index]


@compiled
def select_rave(tree, node, params, work):
    """Return the child with the greatest blend of its own value and its all-moves-as-first (AMAF) value.

    Prior knowledge counts as `prior_weight` times its visits, added to the child's own. With `n` visits and `m` AMAF
    visits the AMAF value has weight `m/(n + m + n·m/equivalence)` (minimum mean squared error, Gelly & Silver
    2011, `equivalence` = 1/(4·bias²) for values near one half) or `sqrt(k/(3n + k))` (their hand-selected schedule,
    `k` = `equivalence`).
    """
    children = children_of(tree, node)
    log_visits = math.log(max(1.0, visits(tree)[node]))
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        n = np.float64(visits(tree)[child])
        prior = params.prior_weight * column(tree, _PRIOR_WEIGHT)[child]
        weight = n + prior
        own = 0.5
        if weight > 0.0:
            own = (n * values(tree)[child] + prior * column(tree, _PRIOR_VALUE)[child]) / weight
        m = np.float64(column(tree, _AMAF_VISITS)[child])
        if m > 0.0:
            if params.schedule == SCHEDULE_HAND:
                share = math.sqrt(params.equivalence / (3.0 * weight + params.equivalence))
            else:
                share = m / (weight + m + weight * m / params.equivalence)
            own += share * (column(tree, _AMAF_VALUE)[child] - own)
        own += params.exploration * math.sqrt(log_visits / (n + 1.0))
        if own > best_value:
            best_value = own
            best = child
    return best


@compiled
def learn_rave(tree, work, depth, result):
    """Credit the result to every child along the path whose move its player made first, there or later.

    Move 0, the pass of games that have one, is never credited. `first_player[move]` is who makes the move first after
    the current ply: 1 the player with even plies, 2 the one with odd plies. The trace is walked backwards, so that the
    earliest occurrence is what stays.
    """
    first_player = work.first_player
    first_player[:] = 0
    for ply in range(work.trace_length - 1, depth - 1, -1):
        first_player[work.trace[ply]] = 1 + (ply & 1)
    # the result for the player with even plies
    even_result = result if depth & 1 == 0 else 1.0 - result
    amaf_visits = column(tree, _AMAF_VISITS)
    amaf_value = column(tree, _AMAF_VALUE)
    for ply in range(depth, -1, -1):
        player = 1 + (ply & 1)
        if ply < depth:
            first_player[work.trace[ply]] = player
        first_player[0] = 0
        outcome = even_result if player == 1 else 1.0 - even_result
        children = children_of(tree, work.path[ply])
        for child in range(children.first, children.end):
            if first_player[moves(tree)[child]] == player:
                n = amaf_visits[child] + np.float32(1.0)
                amaf_visits[child] = n
                amaf_value[child] += (np.float32(outcome) - amaf_value[child]) / n


RAVE = SelectionRule(
    "rave",
    select_rave,
    RaveParameters(),
    (
        Parameter("equivalence", 1.0, 1e9, "visits at which a move's own value begins to outweigh its AMAF value"),
        Parameter("exploration", 0.0, 100.0, "weight of the exploration term"),
        Parameter("prior_weight", 0.0, 1000.0, "factor on the visits that prior knowledge is worth"),
        Parameter("schedule", 0, 1, "weight of AMAF: 0 = minimum mean squared error, 1 = hand-selected"),
    ),
    "Gelly & Silver 2011, Monte-Carlo tree search and rapid action value estimation in computer Go",
    columns=("amaf_visits", "amaf_value", "prior_weight", "prior_value"),
    prepare=prepare_rave,
    learn=learn_rave,
)

SELECTION_RULES = {rule.name: rule for rule in (UCT, RAVE, PUCT)}
"""Every selection rule by its name."""
