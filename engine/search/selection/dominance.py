"""`dominance`: children are sampled by the probability that they weakly dominate their siblings (Holden)."""

import math

from miai.engine.jit import compiled
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import normalize_policy, sample_child
from miai.engine.search.tree import children_of
from miai.engine.search.wdl import log_loss, log_not_win


@compiled
def write_dominance_policy(tree, node, params, workspace):
    """Write the probability that each child weakly dominates its siblings, normalized.

    `W_i + D_i·Π_{j≠i}(1 − W_j) + L_i·Π_{j≠i} L_j`, for who moves at the node. The products without one child are those
    of all less its own logarithm.
    """
    children = children_of(tree, node)
    count = children.end - children.first
    sum_not_win, sum_loss = 0.0, 0.0
    for child in range(children.first, children.end):
        sum_not_win += log_not_win(tree, child)
        sum_loss += log_loss(tree, child)
    for index in range(count):
        own_not_win = log_not_win(tree, children.first + index)
        own_loss = log_loss(tree, children.first + index)
        not_win, loss = math.exp(own_not_win), math.exp(own_loss)
        draw = max(0.0, not_win - loss)
        workspace.policy[index] = (
            1.0 - not_win + draw * math.exp(sum_not_win - own_not_win) + loss * math.exp(sum_loss - own_loss)
        )
    normalize_policy(workspace, count)


@selection_rule(
    name="dominance",
    source="Holden, Notes on an alternative approach to move choice, The algorithm",
    kind="wdl",
    policy=write_dominance_policy,
)
def dominance(tree, node, params, workspace):
    """Return a child sampled by the probability that it weakly dominates its siblings.

    Values are win, draw and loss probabilities (Holden, "The algorithm"). Visits follow dominance, so when memory is
    full and the least visited subtrees are freed, those are the dominated ones.
    """
    write_dominance_policy(tree, node, params, workspace)
    return sample_child(tree, node, workspace)
