"""Search policies, which rules write to `workspace.policy`: one probability a child."""

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import random_unit
from miai.engine.search.tree import children_of, visits


@compiled
def normalize_policy(workspace, count):
    """Make the first `count` probabilities sum to 1: all equal if they are all 0."""
    total = 0.0
    for index in range(count):
        total += workspace.policy[index]
    for index in range(count):
        workspace.policy[index] = workspace.policy[index] / total if total > 0.0 else 1.0 / count


@compiled
def sample_child(tree, node, workspace):
    """Return a child sampled from `workspace.policy`."""
    children = children_of(tree, node)
    target = random_unit(workspace)
    for index in range(children.end - children.first):
        target -= workspace.policy[index]
        if target < 0.0:
            return np.int64(children.first + index)
    return np.int64(children.end - 1)


@compiled
def most_lagging(tree, node, workspace):
    """Return the child with the greatest `policy/(1 + n)`."""
    children = children_of(tree, node)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        value = workspace.policy[child - children.first] / (1.0 + visits(tree)[child])
        if value > best_value:
            best_value = value
            best = child
    return best
