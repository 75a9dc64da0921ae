"""`esprit` and `esprit-stochastic`: search by realization probabilities (Jones 2021)."""

import math
from typing import NamedTuple

import numpy as np

from engine.jit import compiled
from engine.random import random_unit
from engine.search.rules import Parameter, SelectionRule
from engine.search.tree import children_of, priors, values, visits


class EspritParameters(NamedTuple):
    """Parameters of `esprit`."""

    alpha: float = 0.5
    prior_weight: float = 1.0
    gamma: float = 3.0
    sigma: float = 0.07


class Moments(NamedTuple):
    """What the shares of a node's children depend on in common."""

    best_value: float
    scale: float
    """`sqrt(Z)/σ`."""
    falloff_sum: float
    """`Σ q'`."""
    is_visited: bool


@compiled
def visit_power(n, params):
    """Return `n^α`."""
    return math.sqrt(n) if params.alpha == 0.5 else n**params.alpha


@compiled
def falloff(gap, scale, params):
    """Return `(1 + gap·scale)^(−γ)`."""
    base = 1.0 / (1.0 + gap * scale)
    return base * base * base if params.gamma == 3.0 else base**params.gamma


@compiled
def value_of(tree, child):
    """Return a child's value, 0 if it was never visited."""
    return values(tree)[child] if visits(tree)[child] > 0 else 0.0


@compiled
def find_moments(tree, children, params):
    """Return what all children's shares depend on."""
    best_value = -np.inf
    power_sum = 0.0
    for child in range(children.first, children.end):
        power_sum += visit_power(np.float64(visits(tree)[child]), params)
        best_value = max(best_value, value_of(tree, child))
    scale = math.sqrt(power_sum / (children.end - children.first)) / params.sigma
    falloff_sum = 0.0
    for child in range(children.first, children.end):
        falloff_sum += falloff(best_value - value_of(tree, child), scale, params)
    return Moments(best_value, scale, falloff_sum, power_sum > 0.0)


@compiled
def realization(tree, child, moments, params):
    """Return a child's realization probability `r'`, up to the factor that all siblings share (eqs. 3 to 7)."""
    prior = np.float64(priors(tree)[child])
    if not moments.is_visited:
        return prior
    power = visit_power(np.float64(visits(tree)[child]), params)
    share = falloff(moments.best_value - value_of(tree, child), moments.scale, params) / moments.falloff_sum
    return (params.prior_weight * prior + power * share) / (params.prior_weight + power)


@compiled
def select_esprit(tree, node, params, work):
    """Return the child with the greatest `r/(n + 1)`.

    With `z = n^α`, `Z` their mean over all moves, `f(x) = (1 + x·sqrt(Z)/σ)^(−γ)`, `q ∝ f(v_best − v)` and
    `r ∝ (λ·p + z·q)/(λ + z)`; `r = p` while no child was visited. A child never visited has value 0.
    """
    children = children_of(tree, node)
    moments = find_moments(tree, children, params)
    best = children.first
    best_value = -np.inf
    for child in range(children.first, children.end):
        value = realization(tree, child, moments, params) / (visits(tree)[child] + 1.0)
        if value > best_value:
            best_value = value
            best = child
    return best


@compiled
def select_esprit_stochastic(tree, node, params, work):
    """Draw a child from `r`, as Igarashi et al. 2019 choose the next node; see `select_esprit`."""
    children = children_of(tree, node)
    moments = find_moments(tree, children, params)
    total = 0.0
    for child in range(children.first, children.end):
        total += realization(tree, child, moments, params)
    target = random_unit(work) * total
    for child in range(children.first, children.end):
        target -= realization(tree, child, moments, params)
        if target < 0.0:
            return child
    return children.end - 1


_PARAMETERS = (
    Parameter("alpha", 0.01, 2.0, "power of the visits that a value's weight grows with"),
    Parameter("prior_weight", 0.0, 1e6, "weight of the prior probability (lambda)"),
    Parameter("gamma", 0.01, 100.0, "how fast the share falls with the distance to the best value"),
    Parameter("sigma", 1e-6, 100.0, "distance to the best value that counts as one"),
)

ESPRIT = SelectionRule("esprit", select_esprit, EspritParameters(), _PARAMETERS, "Jones 2021, eqs. 3 to 7")

ESPRIT_STOCHASTIC = SelectionRule(
    "esprit-stochastic",
    select_esprit_stochastic,
    EspritParameters(),
    _PARAMETERS,
    "Jones 2021 section 2.3; Igarashi et al. 2019",
)
