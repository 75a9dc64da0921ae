"""`max`, `robust-max` and `maxmcts`: backups by the best child."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.mean import mean_after
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import children_of, values, visits


@compiled
def best_visited(tree, node):
    """Return the child with the greatest value among those visited; 0 if there is none."""
    children = children_of(tree, node)
    best = np.int64(0)
    for child in range(children.first, children.end):
        if visits(tree)[child] > 0 and (best == 0 or values(tree)[child] > values(tree)[best]):
            best = np.int64(child)
    return best


@compiled
def most_visited(tree, node):
    """Return the child with most visits, the first of equal ones; 0 if none was visited."""
    children = children_of(tree, node)
    best = np.int64(0)
    most = 0
    for child in range(children.first, children.end):
        if visits(tree)[child] > most:
            most = visits(tree)[child]
            best = np.int64(child)
    return best


@backup_rule(name="max", source="Coulom 2006, section 3")
def max_child(tree, node, workspace, params):
    """Return the best child's value; the average while no child was visited."""
    best = best_visited(tree, node)
    return mean_after(tree, node, workspace.result) if best == 0 else 1.0 - values(tree)[best]


@backup_rule(name="robust-max", source="Coulom 2006, section 3")
def robust_max(tree, node, workspace, params):
    """Return the most visited child's value; the average while no child was visited."""
    best = most_visited(tree, node)
    return mean_after(tree, node, workspace.result) if best == 0 else 1.0 - values(tree)[best]


class MaxMctsParameters(NamedTuple):
    """Parameters of `maxmcts`."""

    eligibility: Annotated[float, Range(0.0, 1.0), "weight of the result itself: 1 = mean, 0 = the best child"] = 0.5


@backup_rule(
    MaxMctsParameters(),
    name="maxmcts",
    source=(
        "Khandelwal et al. 2016, On the analysis of complex backup strategies in Monte Carlo tree search, "
        "MaxMCTS(lambda)"
    ),
)
def maxmcts(tree, node, workspace, params):
    """Return the average of the results, after `R ← (1 − λ)·max Q + λ·R`, which goes further up as well.

    `λ` is `eligibility`: 1 is `mean`, 0 averages what the best child was worth at the time.
    """
    best = best_visited(tree, node)
    if best != 0:
        workspace.result = (1.0 - params.eligibility) * (
            1.0 - values(tree)[best]
        ) + params.eligibility * workspace.result
    return mean_after(tree, node, workspace.result)
