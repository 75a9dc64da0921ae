"""`uct`: upper confidence bounds."""

import math
from typing import NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.rule_declaration import Parameter, SelectionRule
from miai.engine.search.tree import children_of, values, visits


class UctParameters(NamedTuple):
    """Parameters of `uct`."""

    exploration: float = 0.4
    first_play: float = 1.1


@compiled
def select_uct(tree, node, params, workspace):
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
