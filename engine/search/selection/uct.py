"""`uct`: upper confidence bounds."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.tree import children_of, values, visits


class UctParameters(NamedTuple):
    """Parameters of `uct`."""

    exploration: Annotated[float, Range(0.0, 100.0), "weight of the exploration term"] = 0.4
    first_play: Annotated[float, Range(-10.0, 10.0), "value of a move that was never visited (first-play urgency)"] = (
        1.1
    )


@selection_rule(
    UctParameters(),
    name="uct",
    source="Kocsis & Szepesvári 2006; Li & Lim eq. 4; first-play urgency: Gelly et al. 2006",
)
def uct(tree, node, params, workspace):
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
