"""`mix`: between the mean and the best child, as Crazy Stone backs up."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.best_child import best_visited, most_visited
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import children_of, column, column_numbers, results, values, visits

_COLUMNS = ("mean_value",)
(_MEAN_VALUE,) = column_numbers("backup", _COLUMNS)


class MixParameters(NamedTuple):
    """Parameters of `mix`."""

    weight: Annotated[float, Range(0.0, 1e6), "visits that the mean is worth, a point of the board"] = 2.0
    growth: Annotated[float, Range(1e-6, 1e6), "visits a point at which that begins to grow"] = 16.0
    points: Annotated[float, Range(0.0, 361.0), "points of the board; 0 = those of this one"] = 0.0
    internal_at: Annotated[
        int, Range(0, 1e9), "visits below which a node's value is its mean; 0 = points of the board"
    ] = 1


@compiled
def init_mix(tree, first, count, workspace):
    """Begin the means."""
    for child in range(first, first + count):
        column(tree, _MEAN_VALUE)[child] = 0.0


@compiled
def _second_child(tree, node, best):
    """Return the most visited child if it is not among the two best, else the second best; 0 if there is none."""
    children = children_of(tree, node)
    second = np.int64(0)
    for child in range(children.first, children.end):
        if child != best and visits(tree)[child] > 0:
            if second == 0 or values(tree)[child] > values(tree)[second]:
                second = np.int64(child)
    robust = most_visited(tree, node)
    return second if robust == best else robust


@compiled
def _toward_mean(tree, child, mean_weight, mean):
    n = np.float64(visits(tree)[child])
    return (n * values(tree)[child] + mean_weight * mean) / (n + mean_weight)


@compiled
def mixed_value(tree, node, mean, points, params):
    """Return the node's value for the player who moves there; `mean` is the mean result from that player's view."""
    best = best_visited(tree, node)
    if best == 0:
        return mean
    second = _second_child(tree, node, best)
    if second == 0:
        return values(tree)[best]
    mean_weight = params.weight * points
    simulations = np.float64(visits(tree)[node])
    if simulations > params.growth * points:
        mean_weight *= simulations / (params.growth * points)
    if visits(tree)[best] >= visits(tree)[second]:
        return _toward_mean(tree, best, mean_weight, mean)
    if values(tree)[second] > mean:
        return _toward_mean(tree, second, mean_weight, mean)
    if values(tree)[best] < mean:
        return _toward_mean(tree, best, mean_weight, mean)
    return mean


@backup_rule(
    MixParameters(),
    name="mix",
    source="Coulom 2006, fig. 1; Li & Lim, table 1: (weight, growth) = (2, 16), (4, 32), (8, 64)",
    columns=_COLUMNS,
    init_children=init_mix,
)
def mix(tree, node, workspace, params):
    """Return the value by Coulom's program (Fig. 1): the best or most visited child's, shrunk towards the mean.

    The mean weighs `weight·points` visits, and more once the node has more than `growth·points`. A node with fewer than
    `internal_at` visits, or than the board has points if that is 0, has its mean.
    """
    points = params.points if params.points > 0.0 else np.float64(workspace.num_points)
    means = column(tree, _MEAN_VALUE)
    mean = np.float64(means[node]) + (workspace.result - means[node]) / results(tree)[node]
    means[node] = mean
    if visits(tree)[node] < (params.internal_at if params.internal_at > 0 else points):
        return mean
    return 1.0 - mixed_value(tree, node, 1.0 - mean, points, params)
