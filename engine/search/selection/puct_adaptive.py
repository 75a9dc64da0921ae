"""`puct-adaptive`: PUCT that explores more where results differ, as KataGo does."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.tree import ROOT, children_of, column, column_numbers, priors, results, values, visits

_COLUMNS = ("square",)
(_SQUARE,) = column_numbers("selection", _COLUMNS)


class AdaptiveParameters(NamedTuple):
    """Parameters of `puct-adaptive`. KataGo's values go from -1 to 1, so its constants are twice these."""

    c0: Annotated[float, Range(0.0, 100.0), "exploration"] = 0.5
    growth: Annotated[float, Range(0.0, 100.0), "growth of the exploration with the logarithm of visits"] = 0.225
    growth_visits: Annotated[float, Range(1.0, 1e9), "visits at which it begins to grow"] = 500.0
    deviation_weight: Annotated[
        float, Range(0.0, 1.0), "how far exploration follows the standard deviation of results; 0 = not at all"
    ] = 0.85
    deviation: Annotated[float, Range(0.001, 1.0), "standard deviation expected before any result"] = 0.2
    deviation_visits: Annotated[float, Range(0.1, 1e9), "visits for which the expected deviation counts"] = 2.0
    fpu_reduction: Annotated[
        float, Range(0.0, 1.0), "how much less than its parent a move never visited is worth, once all priors are seen"
    ] = 0.1
    root_fpu_reduction: Annotated[float, Range(0.0, 1.0), "the same at the root"] = 0.05


@compiled
def init_squares(tree, first, count, workspace):
    """Begin the mean squares of new children."""
    for child in range(first, first + count):
        column(tree, _SQUARE)[child] = 0.0


@compiled
def update_squares(tree, workspace, depth, result):
    """Average the squares of the results at each node, from the view of the player to move there."""
    squares = column(tree, _SQUARE)
    for ply in range(depth, -1, -1):
        node = np.int64(workspace.path[ply])
        squares[node] += (result * result - squares[node]) / results(tree)[node]
        result = 1.0 - result


@compiled
def deviation_factor(tree, node, params):
    """Return `1 + weight·(σ/σ₀ − 1)`.

    `σ² = ((v² + σ₀²)·w + m·n)/(w + n − 1) − v²`, with `v` the node's value, `m` the mean of its `n` results' squares,
    and `w` further results of deviation `σ₀`.
    """
    n = np.float64(visits(tree)[node]) - 1.0
    if n <= 1.0:
        return 1.0
    value = 1.0 - values(tree)[node]
    square = max(column(tree, _SQUARE)[node], value * value)
    weight = params.deviation_visits
    expected = (value * value + params.deviation * params.deviation) * weight
    variance = (expected + square * n) / (weight + n - 1.0) - value * value
    ratio = math.sqrt(max(0.0, variance)) / params.deviation
    return 1.0 + params.deviation_weight * (ratio - 1.0)


@selection_rule(
    AdaptiveParameters(),
    name="puct-adaptive",
    source="Wu, KataGo's methods: dynamic variance-scaled cPUCT; Wu 2019, Accelerating self-play learning in Go, FPU",
    columns=_COLUMNS,
    init_children=init_squares,
    update_statistics=update_squares,
)
def puct_adaptive(tree, node, params, workspace):
    """Return the child with the greatest `v + C·p·sqrt(n_s)/(1 + n)`, where `C` follows visits and results.

    `C = (c0 + growth·ln((n_s + g)/g))·(1 + d·(σ/σ₀ − 1))`, see `deviation_factor`. A child never visited is worth its
    parent's value less `fpu_reduction·sqrt(Σ p)`, the sum over children that were visited.
    """
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    seen = 0.0
    for child in range(children.first, children.end):
        if visits(tree)[child] > 0:
            seen += priors(tree)[child]
    reduction = params.root_fpu_reduction if node == ROOT else params.fpu_reduction
    parent_value = 1.0 - values(tree)[node] if total > 1.0 else 0.5
    first_play = parent_value - reduction * math.sqrt(seen)
    weight = params.c0 + params.growth * math.log((total + params.growth_visits) / params.growth_visits)
    weight *= deviation_factor(tree, node, params) * math.sqrt(total)
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
