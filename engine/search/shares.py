"""What rules that divide visits among children have in common: `work.share`, one number a child."""

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import random_unit
from miai.engine.search.tree import children_of, visits


@compiled
def normalize_shares(work, count):
    """Make the first `count` shares sum to 1: all equal if they are all 0."""
    total = 0.0
    for index in range(count):
        total += work.share[index]
    for index in range(count):
        work.share[index] = work.share[index] / total if total > 0.0 else 1.0 / count


@compiled
def draw_child(tree, node, work):
    """Return a child drawn with the probabilities in `work.share`."""
    children = children_of(tree, node)
    target = random_unit(work)
    for index in range(children.end - children.first):
        target -= work.share[index]
        if target < 0.0:
            return np.int64(children.first + index)
    return np.int64(children.end - 1)


@compiled
def most_lagging(tree, node, work):
    """Return the child with the greatest `share/(1 + n)`."""
    children = children_of(tree, node)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        value = work.share[child - children.first] / (1.0 + visits(tree)[child])
        if value > best_value:
            best_value = value
            best = child
    return best
