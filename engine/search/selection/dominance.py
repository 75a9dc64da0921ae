"""`dominance` and `dominance-prior`: sample by the probability of weakly dominating the siblings (Holden)."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import normalize_policy, sample_child
from miai.engine.search.tree import children_of, priors, visits
from miai.engine.search.wdl import log_loss, log_not_win


@compiled
def write_dominance(tree, node, workspace):
    """Write to `workspace.policy` the probability that each child weakly dominates its siblings.

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


@compiled
def write_dominance_policy(tree, node, params, workspace):
    """Write the probability that each child weakly dominates its siblings, normalized: `write_dominance`."""
    write_dominance(tree, node, workspace)
    children = children_of(tree, node)
    normalize_policy(workspace, children.end - children.first)


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


class DominancePriorParameters(NamedTuple):
    """Parameters of `dominance-prior`."""

    prior_weight: Annotated[float, Range(1e-6, 1e6), "weight of the prior probability"] = 1.0
    sharpness: Annotated[float, Range(0.0, 1000.0), "power of the dominance, as compared with the greatest"] = 10.0


@compiled
def write_dominance_prior_policy(tree, node, params, workspace):
    """Write the probability of each child: its prior, and the more it was visited the more its dominance.

    With the dominance `d` of those visited, `q ∝ (d/max d)^sharpness` and `z = sqrt(n)`, it is
    `∝ (λ·p + z·q)/(λ + z)`, as Jones 2021 blends (eqs. 6 and 7).
    """
    children = children_of(tree, node)
    count = children.end - children.first
    write_dominance(tree, node, workspace)
    greatest = 0.0
    for index in range(count):
        if visits(tree)[children.first + index] > 0:
            greatest = max(greatest, workspace.policy[index])
    total = 0.0
    for index in range(count):
        quality = 0.0
        if visits(tree)[children.first + index] > 0 and greatest > 0.0:
            quality = (workspace.policy[index] / greatest) ** params.sharpness
        workspace.policy[index] = quality
        total += quality
    for index in range(count):
        child = children.first + index
        weight = math.sqrt(np.float64(visits(tree)[child]))
        quality = workspace.policy[index] / total if total > 0.0 else 0.0
        prior = params.prior_weight * np.float64(priors(tree)[child])
        workspace.policy[index] = (prior + weight * quality) / (params.prior_weight + weight)
    normalize_policy(workspace, count)


@selection_rule(
    DominancePriorParameters(),
    name="dominance-prior",
    source="ours, after Holden; the blend with the prior is that of Jones 2021, eqs. 6 and 7",
    kind="wdl",
    policy=write_dominance_prior_policy,
)
def dominance_prior(tree, node, params, workspace):
    """Return a child sampled by its prior probability, and by its sharpened dominance once it was visited.

    Among eighty moves of much the same chances each weakly dominates the others about as often: `dominance` then visits
    them all alike. A power of the dominance tells them apart, and the prior says where to look first.
    """
    write_dominance_prior_policy(tree, node, params, workspace)
    return sample_child(tree, node, workspace)
