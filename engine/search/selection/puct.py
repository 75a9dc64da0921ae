"""`puct`, the same choice as a policy, and the policy that it approximates."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import most_lagging, normalize_policy, sample_child
from miai.engine.search.tree import children_of, priors, values, visits

_C0 = Annotated[float, Range(0.0, 100.0), "exploration"]
_C1 = Annotated[float, Range(0.0, 1e9), "visits at which exploration begins to grow; 0 = it does not"]
_Fpu = Annotated[
    int, Range(0, 3), "value of a move never visited: 0 = zero, 1 = parent's, 2 = parent's less a bit, 3 = one half"
]
_FpuReduction = Annotated[float, Range(0.0, 1.0), "how much less"]


class PuctParameters(NamedTuple):
    """Parameters of `puct` and `puct-policy`."""

    c0: _C0 = 1.25
    c1: _C1 = 19652.0
    fpu: _Fpu = 2
    fpu_reduction: _FpuReduction = 0.1


class RegularizedParameters(NamedTuple):
    """Parameters of `regularized-policy`."""

    c0: _C0 = 1.25
    c1: _C1 = 19652.0
    fpu: _Fpu = 2
    fpu_reduction: _FpuReduction = 0.1
    stochastic: Annotated[int, Range(0, 1), "0 = the child that lags most behind the policy, 1 = sample from it"] = 0


FPU_ZERO = 0
FPU_PARENT = 1
FPU_REDUCED = 2
FPU_HALF = 3
_MIN_EXPLORATION = 1e-9


@compiled
def first_play_value(tree, node, params):
    """Return the value of a child never visited, by `params.fpu`."""
    if params.fpu == FPU_ZERO:
        return 0.0
    if params.fpu == FPU_HALF:
        return 0.5
    parent_value = 1.0 - values(tree)[node] if visits(tree)[node] > 1 else 0.5
    return parent_value - (params.fpu_reduction if params.fpu == FPU_REDUCED else 0.0)


@compiled
def value_or(tree, child, first_play):
    """Return a child's value, `first_play` for one never visited."""
    return values(tree)[child] if visits(tree)[child] > 0 else first_play


@compiled
def exploration_weight(total, params):
    """Return `C = c0 + ln((1 + n_s + c1)/c1)`, or `c0`, but not 0, if `c1` is 0."""
    if params.c1 == 0.0:
        return max(params.c0, _MIN_EXPLORATION)
    return params.c0 + math.log((1.0 + total + params.c1) / params.c1)


@selection_rule(
    PuctParameters(),
    name="puct",
    source=(
        "Silver et al. 2018 (AlphaZero); Jones 2021 eq. 1; c1 = 19652 as AlphaZero published it, 0: Li & Lim eq. 5"
    ),
)
def puct(tree, node, params, workspace):
    """Return the child with the greatest `v + C·p·sqrt(n_s)/(1 + n)`, `C = c0 + ln((1 + n_s + c1)/c1)`.

    `n_s` is the node's own visits, the one under way included: at a new root one more than the sum of its children's,
    elsewhere as many more as `search.expand_at` says.
    """
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    weight = exploration_weight(total, params) * math.sqrt(total)
    first_play = first_play_value(tree, node, params)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        n = visits(tree)[child]
        value = value_or(tree, child, first_play)
        value += weight * priors(tree)[child] / (1.0 + n)
        if value > best_value:
            best_value = value
            best = child
    return best


@compiled
def write_puct_policy(tree, node, params, workspace):
    """Write the realization probabilities that PUCT stands for, none below 0; see `puct_policy`."""
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    scale = math.sqrt(total) / (exploration_weight(total, params) * total)
    first_play = first_play_value(tree, node, params)
    for child in range(children.first, children.end):
        value = value_or(tree, child, first_play)
        probability = priors(tree)[child] + scale * value * (1.0 + visits(tree)[child])
        workspace.policy[child - children.first] = max(0.0, probability)
    normalize_policy(workspace, children.end - children.first)


@selection_rule(
    PuctParameters(),
    name="puct-policy",
    source="Jones 2021 section 2.4, eqs. 8 and 9",
    policy=write_puct_policy,
)
def puct_policy(tree, node, params, workspace):
    """Return the child with the greatest `x/(1 + n)`, `x = p + (sqrt(n_s)/C)·v·(1 + n)/n_s`.

    The realization probabilities that PUCT stands for; they choose the same children as `puct`.
    """
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    scale = math.sqrt(total) / (exploration_weight(total, params) * total)
    first_play = first_play_value(tree, node, params)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        value = priors(tree)[child] / (1.0 + visits(tree)[child]) + scale * value_or(tree, child, first_play)
        if value > best_value:
            best_value = value
            best = child
    return best


_MIN_GAP = 1e-12


@compiled
def _policy_sum(tree, children, first_play, weight, level):
    """Return `Σ λ·p/(level − v)`."""
    total = 0.0
    for child in range(children.first, children.end):
        value = value_or(tree, child, first_play)
        total += weight * priors(tree)[child] / max(level - value, _MIN_GAP)
    return total


@compiled
def write_regularized_policy(tree, node, params, workspace):
    """Write the policy `y` with the greatest `Σ v·y − λ·KL(p‖y)`.

    `y = λ·p/(level − v)`, `level` such that they sum to 1, found by bisection; `λ = C·sqrt(n_s)/(M + n_s − 1)` with `M`
    children.
    """
    children = children_of(tree, node)
    total = np.float64(visits(tree)[node])
    count = children.end - children.first
    weight = exploration_weight(total, params) * math.sqrt(total) / (count + total - 1.0)
    first_play = first_play_value(tree, node, params)
    low, high = -np.inf, -np.inf
    for child in range(children.first, children.end):
        value = value_or(tree, child, first_play)
        low = max(low, value + weight * priors(tree)[child])
        high = max(high, value + weight)
    for _ in range(60):
        level = 0.5 * (low + high)
        if _policy_sum(tree, children, first_play, weight, level) > 1.0:
            low = level
        else:
            high = level
    for child in range(children.first, children.end):
        gap = max(high - value_or(tree, child, first_play), _MIN_GAP)
        workspace.policy[child - children.first] = weight * priors(tree)[child] / gap
    normalize_policy(workspace, count)


@selection_rule(
    RegularizedParameters(),
    name="regularized-policy",
    source=(
        "Grill et al. 2020, Monte-Carlo tree search as regularized policy optimization, eqs. 7 and 12; "
        "Jones 2021 eq. 10"
    ),
    policy=write_regularized_policy,
)
def regularized_policy(tree, node, params, workspace):
    """Return the child with the greatest `y/(1 + n)`, or one sampled from `y` if `stochastic`.

    `y` is the policy with the greatest `Σ v·y − λ·KL(p‖y)`; see `write_regularized_policy`.
    """
    write_regularized_policy(tree, node, params, workspace)
    if params.stochastic:
        return sample_child(tree, node, workspace)
    return most_lagging(tree, node, workspace)
