"""`gumbel`: planning by sequential halving at the root, towards an improved policy below (Danihelka et al. 2022)."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import random_unit
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import normalize_policy
from miai.engine.search.tree import ROOT, children_of, column, column_numbers, priors, results, values, visits

_COLUMNS = ("noise", "visits_before", "first_value")
_NOISE, _BEFORE, _FIRST = column_numbers("selection", _COLUMNS)
_MIN_PRIOR = 1e-12


class GumbelParameters(NamedTuple):
    """Parameters of `gumbel`."""

    considered: Annotated[int, Range(1, 400), "moves that sequential halving begins with"] = 16
    noise: Annotated[float, Range(0.0, 10.0), "weight of the Gumbel variables: 0 to play, 1 to learn"] = 0.0
    c_visit: Annotated[float, Range(0.0, 1e6), "visits that every value counts for, beside its own"] = 50.0
    c_scale: Annotated[float, Range(0.0, 1e3), "weight of a value against the logarithm of the prior"] = 1.0


@compiled
def _sample_noise(tree, first, count, workspace):
    for child in range(first, first + count):
        column(tree, _NOISE)[child] = -math.log(-math.log(1.0 - random_unit(workspace)) + 1e-300)
        column(tree, _BEFORE)[child] = visits(tree)[child]


@compiled
def init_gumbel(tree, first, count, workspace):
    """Begin new children; those of the root, which come first in any tree, draw their Gumbel variables."""
    for child in range(first, first + count):
        column(tree, _NOISE)[child] = 0.0
        column(tree, _BEFORE)[child] = 0.0
        column(tree, _FIRST)[child] = 0.0
    if first == ROOT + 1:
        _sample_noise(tree, first, count, workspace)


@compiled
def begin_gumbel_search(tree, workspace, params):
    """Draw new Gumbel variables for the root's children, and count their visits from here on."""
    children = children_of(tree, np.int64(ROOT))
    _sample_noise(tree, children.first, children.end - children.first, workspace)


@compiled
def update_first_values(tree, workspace, depth, result):
    """Remember the first evaluation of each node of the path, from the view of the player who moves there.

    A search by playouts ends at a child of the node that it expands: the result is the first of both.
    """
    for ply in range(depth, -1, -1):
        node = np.int64(workspace.path[ply])
        if results(tree)[node] <= 1:
            column(tree, _FIRST)[node] = result
        result = 1.0 - result


@compiled
def considered_visits(simulation, considered, planned):
    """Return how many visits the action has that sequential halving visits next.

    Args:
        simulation: number of the simulation, from 0.
        considered: actions to begin with; every `planned/log2(considered)` simulations half of them are left.
        planned: simulations in all; beyond them the last two take turns.
    """
    num_phases = math.ceil(math.log2(max(2, considered)))
    num_left = max(1, considered)
    num_visits = 0
    while True:
        rounds = max(1, planned // (num_phases * num_left))
        is_last = num_left <= 2
        if is_last or simulation < rounds * num_left:
            return num_visits + simulation // num_left
        simulation -= rounds * num_left
        num_visits += rounds
        num_left = max(2, num_left // 2)


@compiled
def completed_scores(tree, node, params, workspace):
    """Write to `workspace.policy` `ln p + σ(q)` of each child, `q` its value or, if never visited, the mixed value (eq.
    33).

    `σ(q) = (c_visit + max n)·c_scale·q`. At the root the children's Gumbel variables are added, times `noise`.
    """
    children = children_of(tree, node)
    most, total, prior_sum, weighted = 0, 0.0, 0.0, 0.0
    for child in range(children.first, children.end):
        n = visits(tree)[child]
        if n > 0:
            most = max(most, n)
            total += n
            prior = max(_MIN_PRIOR, np.float64(priors(tree)[child]))
            prior_sum += prior
            weighted += prior * values(tree)[child]
    mixed = np.float64(column(tree, _FIRST)[node]) if visits(tree)[node] > 1 or node != ROOT else 0.5
    if prior_sum > 0.0:
        mixed = (mixed + total * weighted / prior_sum) / (1.0 + total)
    scale = (params.c_visit + most) * params.c_scale
    for child in range(children.first, children.end):
        value = values(tree)[child] if visits(tree)[child] > 0 else mixed
        score = math.log(max(_MIN_PRIOR, np.float64(priors(tree)[child]))) + scale * value
        if node == ROOT:
            score += params.noise * column(tree, _NOISE)[child]
        workspace.policy[child - children.first] = score


@compiled
def write_gumbel_policy(tree, node, params, workspace):
    """Write the improved policy, `softmax(ln p + σ(completed q))` (eq. 11); without noise that is a target to learn."""
    completed_scores(tree, node, params, workspace)
    children = children_of(tree, node)
    count = children.end - children.first
    greatest = -np.inf
    for index in range(count):
        greatest = max(greatest, workspace.policy[index])
    for index in range(count):
        workspace.policy[index] = math.exp(workspace.policy[index] - greatest)
    normalize_policy(workspace, count)


@compiled
def _halving(tree, params, workspace):
    """Return the root's child that is next in sequential halving: the best of those with the visits that are due."""
    children = children_of(tree, np.int64(ROOT))
    before = column(tree, _BEFORE)
    simulation = np.int64(0)
    for child in range(children.first, children.end):
        simulation += np.int64(visits(tree)[child]) - np.int64(before[child])
    considered = min(np.int64(params.considered), children.end - children.first)
    due = considered_visits(simulation, considered, np.int64(workspace.planned))
    completed_scores(tree, np.int64(ROOT), params, workspace)
    best = children.first
    best_score = -np.inf
    best_lag = np.int64(-1)
    for child in range(children.first, children.end):
        lag = abs(np.int64(visits(tree)[child]) - np.int64(before[child]) - due)
        score = workspace.policy[child - children.first]
        if best_lag < 0 or lag < best_lag or (lag == best_lag and score > best_score):
            best, best_score, best_lag = child, score, lag
    return best


@selection_rule(
    GumbelParameters(),
    name="gumbel",
    source="Danihelka et al. 2022, Policy improvement by planning with Gumbel, sections 3 to 5",
    columns=_COLUMNS,
    init_children=init_gumbel,
    update_statistics=update_first_values,
    begin_search=begin_gumbel_search,
    policy=write_gumbel_policy,
    ties_by_policy=True,
)
def gumbel(tree, node, params, workspace):
    """Return the child that lags most behind the improved policy, `π'(a) − n(a)/(1 + Σn)` (eq. 14).

    At the root sequential halving chooses (section 3.4), if it is known how many simulations the search will do: the
    best `considered` moves by `g + ln p` are visited equally often, then the better half of them by `g + ln p + σ(q)`,
    and so on. Visits kept from an earlier search do not count there, what they found does.
    """
    if node == ROOT and workspace.planned > 0:
        return _halving(tree, params, workspace)
    write_gumbel_policy(tree, node, params, workspace)
    children = children_of(tree, node)
    total = 1.0
    for child in range(children.first, children.end):
        total += visits(tree)[child]
    best = children.first
    best_lag = -np.inf
    for child in range(children.first, children.end):
        lag = workspace.policy[child - children.first] - visits(tree)[child] / total
        if lag > best_lag:
            best_lag = lag
            best = child
    return best
