"""`esprit` and `esprit-stochastic`: search by realization probabilities (Jones 2021)."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import normalize_policy, sample_child
from miai.engine.search.tree import children_of, priors, values, visits
from miai.engine.search.workspace import field, field_numbers

_FIELDS = ("falloff",)
(_FALLOFF,) = field_numbers("selection", _FIELDS)


class EspritParameters(NamedTuple):
    """Parameters of `esprit` and `esprit-stochastic`."""

    alpha: Annotated[float, Range(0.01, 2.0), "power of the visits that a value's weight grows with"] = 0.5
    prior_weight: Annotated[float, Range(1e-6, 1e6), "weight of the prior probability (lambda)"] = 1.0
    gamma: Annotated[
        float, Range(0.01, 100.0), "how fast the probability falls with the distance to the best value"
    ] = 3.0
    sigma: Annotated[float, Range(1e-6, 100.0), "distance to the best value that counts as one"] = 0.07


@compiled
def visit_power(n, params):
    """Return `n^α`."""
    return math.sqrt(n) if params.alpha == 0.5 else n**params.alpha


@compiled
def falloff_at(gap, scale, params):
    """Return `(1 + gap·scale)^(−γ)`; `scale` is `sqrt(Z)/σ`."""
    base = 1.0 / (1.0 + gap * scale)
    return base * base * base if params.gamma == 3.0 else base**params.gamma


@compiled
def sum_falloffs(tree, children, params, workspace):
    """Return `Σ q'` over all children, and leave `q'` of each visited one in the field `falloff`.

    A child never visited has value 0 here.
    """
    best_value = 0.0
    power_sum = 0.0
    num_visited = 0
    for child in range(children.first, children.end):
        n = visits(tree)[child]
        if n > 0:
            value = values(tree)[child]
            best_value = value if num_visited == 0 else max(best_value, value)
            num_visited += 1
            power_sum += visit_power(np.float64(n), params)
    count = children.end - children.first
    if num_visited < count:
        best_value = max(best_value, 0.0)
    scale = math.sqrt(power_sum / count) / params.sigma
    falloff_sum = (count - num_visited) * falloff_at(best_value, scale, params)
    falloffs = field(workspace, _FALLOFF, np.float64)
    for child in range(children.first, children.end):
        if visits(tree)[child] > 0:
            falloff = falloff_at(best_value - values(tree)[child], scale, params)
            falloffs[child - children.first] = falloff
            falloff_sum += falloff
    return falloff_sum


@compiled
def realization(tree, child, falloff, falloff_sum, params):
    """Return a child's realization probability `r'`, up to the factor that all siblings share (eqs. 3 to 7).

    With `z = n^α` it is `(λ·p + z·q)/(λ + z)`, which is `p` for a child never visited.
    """
    prior = np.float64(priors(tree)[child])
    n = visits(tree)[child]
    if n == 0:
        return prior
    power = visit_power(np.float64(n), params)
    quality = falloff / falloff_sum
    return (params.prior_weight * prior + power * quality) / (params.prior_weight + power)


@compiled
def write_esprit_policy(tree, node, params, workspace):
    """Write the realization probability `r` of each child; see `esprit`."""
    children = children_of(tree, node)
    falloff_sum = sum_falloffs(tree, children, params, workspace)
    falloffs = field(workspace, _FALLOFF, np.float64)
    for child in range(children.first, children.end):
        index = child - children.first
        workspace.policy[index] = realization(tree, child, falloffs[index], falloff_sum, params)
    normalize_policy(workspace, children.end - children.first)


@selection_rule(
    EspritParameters(),
    name="esprit",
    source="Jones 2021, eqs. 3 to 7",
    fields=_FIELDS,
    policy=write_esprit_policy,
)
def esprit(tree, node, params, workspace):
    """Return the child with the greatest `r/(n + 1)`.

    With `z = n^α`, `Z` their mean over all moves, `f(x) = (1 + x·sqrt(Z)/σ)^(−γ)`, `q ∝ f(v_best − v)` and
    `r ∝ (λ·p + z·q)/(λ + z)`; `r = p` while no child was visited. A child never visited has value 0.
    """
    children = children_of(tree, node)
    falloff_sum = sum_falloffs(tree, children, params, workspace)
    falloffs = field(workspace, _FALLOFF, np.float64)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        falloff = falloffs[child - children.first]
        value = realization(tree, child, falloff, falloff_sum, params) / (visits(tree)[child] + 1.0)
        if value > best_value:
            best_value = value
            best = child
    return best


@selection_rule(
    EspritParameters(),
    name="esprit-stochastic",
    source="Jones 2021 section 2.3; Igarashi et al. 2019",
    fields=_FIELDS,
    policy=write_esprit_policy,
)
def esprit_stochastic(tree, node, params, workspace):
    """Draw a child from `r`, as Igarashi et al. 2019 choose the next node; see `esprit`."""
    write_esprit_policy(tree, node, params, workspace)
    return sample_child(tree, node, workspace)
