"""`monotone`, `erwa`, `gax`, `gay`, `gbx` and `gby`: later results weigh more; `softmax`: better children weigh more.

The weight function of Li & Lim (section 3) is `w(t) = w(0) + ∫ e^p`, `p` linear between six knots `p(0), p(Δ), …,
p(N)`, `Δ = N/5`; beyond `N`, `p` goes on with its last slope. What is kept of a node is `ρ(n) = Σ w(t)/w(n)`, t = 0 to
n: `ρ(n) = 1 + ρ(n − 1)·w(n − 1)/w(n)` and `Q ← Q + (r − Q)/ρ(n)`, which no weight is too large for.
"""

import math
from typing import NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.best_child import best_visited
from miai.engine.search.backup.mean import mean_after
from miai.engine.search.rule_declaration import BackupRule, Parameter
from miai.engine.search.tree import children_of, column, column_number, values, visits

_WEIGHT_SUM = column_number("weight_sum")
_OWN_VISITS = column_number("leaf_visits")
_OWN_VALUE = column_number("leaf_value")


class KnotParameters(NamedTuple):
    """Knots of a weight function."""

    p0: float
    p1: float
    p2: float
    p3: float
    p4: float
    p5: float
    simulations: float = 5000.0


@compiled
def _piece(start, end, length):
    """Return `∫ e^p` over a piece of this length where `p` goes from `start` to `end`."""
    rise = end - start
    if abs(rise) < 1e-9:
        return length * math.exp(start)
    return length * math.exp(start) * math.expm1(rise) / rise


@compiled
def weight_at(t, params):
    """Return `w(t) − w(0)`."""
    knots = (params.p0, params.p1, params.p2, params.p3, params.p4, params.p5)
    width = params.simulations / 5.0
    total = 0.0
    for index in range(5):
        start, end = knots[index], knots[index + 1]
        if t <= (index + 1) * width or index == 4:
            length = t - index * width
            return total + _piece(start, start + (end - start) * length / width, length)
        total += _piece(start, end, width)
    return total


@compiled
def _average(tree, node, result, ratio):
    """Return the average after one more result that weighs `1/ratio` times the one before."""
    sums = column(tree, _WEIGHT_SUM)
    weight_sum = 1.0 + sums[node] * ratio
    sums[node] = weight_sum
    return values(tree)[node] + (result - values(tree)[node]) / weight_sum


@compiled
def init_weights(tree, first, count, workspace):
    """Begin the sums of weights."""
    for child in range(first, first + count):
        column(tree, _WEIGHT_SUM)[child] = 0.0


@compiled
def back_up_monotone(tree, node, workspace, params):
    """Return `Σ w(t)·r(t)/Σ w(t)` (eq. 9), `w(0) = 1`."""
    t = np.float64(visits(tree)[node]) - 1.0
    ratio = (1.0 + weight_at(t - 1.0, params)) / (1.0 + weight_at(t, params)) if t > 0.0 else 1.0
    return _average(tree, node, workspace.result, ratio)


class ErwaParameters(NamedTuple):
    """Parameters of `erwa`."""

    rate: float = 0.001


@compiled
def back_up_erwa(tree, node, workspace, params):
    """Return `Q + α·(r − Q)`, the exponential recency-weighted average (Li & Lim, eq. 3), `Q = r` at first.

    Li & Lim's proposition 3.2 makes it a case of `monotone`, but for the first result, to which it gives `α` times the
    weight that it has here.
    """
    value = values(tree)[node]
    return workspace.result if visits(tree)[node] <= 1 else value + params.rate * (workspace.result - value)


class FeedbackParameters(NamedTuple):
    """Parameters of `gax`, `gay`, `gbx` and `gby`."""

    width: float
    growth: float
    is_widening: int
    is_exponential: int


@compiled
def feedback_weight(t, params):
    """Return the weight of result number `t`: that of the segment it lies in.

    Segment `k` is `width` results long, or `width·2^k` if `is_widening`; its weight is `1 + growth·k`, or
    `(1 + growth)^k` if `is_exponential`.
    """
    segment = math.floor(t / params.width)
    if params.is_widening:
        segment = math.floor(math.log2(t / params.width + 1.0))
    return (1.0 + params.growth) ** segment if params.is_exponential else 1.0 + params.growth * segment


@compiled
def back_up_feedback(tree, node, workspace, params):
    """Return `Σ w(t)·r(t)/Σ w(t)` with weights that grow from segment to segment."""
    t = np.float64(visits(tree)[node]) - 1.0
    ratio = feedback_weight(t - 1.0, params) / feedback_weight(t, params) if t > 0.0 else 1.0
    return _average(tree, node, workspace.result, ratio)


@compiled
def init_softmax(tree, first, count, workspace):
    """Begin the averages of what ends at a node itself."""
    for child in range(first, first + count):
        column(tree, _OWN_VISITS)[child] = 0.0
        column(tree, _OWN_VALUE)[child] = 0.0


@compiled
def soft_maximum(tree, node, weight, own_visits, own_value):
    """Return `Σ α·Q/Σ α`, `α = n·exp(weight·Q)`, Q from -1 to 1, as a result from 0 to 1 for the player at the node.

    At least one child must have been visited. The `own_visits` results that ended at the node itself, of mean
    `own_value`, count `exp(−weight)` times what they would if the best child had their value.
    """
    children = children_of(tree, node)
    greatest = values(tree)[best_visited(tree, node)]
    alpha = own_visits * math.exp(-weight)
    total, alphas = alpha * own_value, alpha
    for child in range(children.first, children.end):
        if visits(tree)[child] > 0:
            value = values(tree)[child]
            alpha = visits(tree)[child] * math.exp(2.0 * weight * (value - greatest))
            total += alpha * value
            alphas += alpha
    return total / alphas


@compiled
def back_up_softmax(tree, node, workspace, params):
    """Return the soft maximum of the children's values (Li & Lim, section 3.2) with weight `w(n)`, `w(0) = 0`.

    The paper does not say what becomes of a node's own evaluation; here it takes part and fades as `w` grows, which
    makes `w = 0` the mean of all results and a large `w` the greatest value.
    """
    own_visits, own_value = column(tree, _OWN_VISITS), column(tree, _OWN_VALUE)
    if workspace.is_leaf:
        own_visits[node] += np.float32(1.0)
        own_value[node] += (np.float32(workspace.result) - own_value[node]) / own_visits[node]
    if best_visited(tree, node) == 0:
        return mean_after(tree, node, workspace.result)
    weight = weight_at(np.float64(visits(tree)[node]), params)
    return 1.0 - soft_maximum(tree, node, weight, np.float64(own_visits[node]), 1.0 - np.float64(own_value[node]))


_KNOTS = (
    *(Parameter(f"p{index}", -100.0, 20.0, f"logarithm of the weight's slope at knot {index}") for index in range(6)),
    Parameter("simulations", 1.0, 1e12, "visits at the last knot"),
)
_FEEDBACK = (
    Parameter("width", 1.0, 1e9, "results in the first segment"),
    Parameter("growth", 0.0, 100.0, "how much the weight grows from segment to segment"),
    Parameter("is_widening", 0, 1, "0 = segments of one width, 1 = each twice as wide as the one before"),
    Parameter("is_exponential", 0, 1, "0 = weights grow linearly, 1 = exponentially"),
)


def _softmax(name: str, *knots: float) -> BackupRule:
    return BackupRule(
        name,
        back_up_softmax,
        KnotParameters(*knots),
        _KNOTS,
        "Li & Lim, section 3.2 and tables 4 and 5",
        columns=("leaf_visits", "leaf_value"),
        init_children=init_softmax,
        kinds=("probability",),
    )


def _monotone(name: str, *knots: float) -> BackupRule:
    return BackupRule(
        name,
        back_up_monotone,
        KnotParameters(*knots),
        _KNOTS,
        "Li & Lim, eq. 9 and tables 2 and 3",
        columns=("weight_sum",),
        init_children=init_weights,
    )


def _feedback(name: str, is_widening: bool, is_exponential: bool) -> BackupRule:
    return BackupRule(
        name,
        back_up_feedback,
        FeedbackParameters(500.0, 0.5, int(is_widening), int(is_exponential)),
        _FEEDBACK,
        "Xie & Liu 2009, Backpropagation modification in Monte-Carlo game tree search (Li & Lim, fig. 1)",
        columns=("weight_sum",),
        init_children=init_weights,
    )


WEIGHTED_RULES = (
    _softmax("softmax", -4.0, -10.0, -4.0, -4.0, -10.0, -4.0),
    _softmax("softmax-1", -4.0, -10.0, -4.0, -4.0, -10.0, -4.0),
    _softmax("softmax-2", -4.0, -10.0, -7.9, -10.0, -10.0, -7.8),
    _monotone("monotone", -10.0, -10.0, -4.0, -4.0, -4.0, -10.0),
    _monotone("monotone-1", -10.0, -10.0, -4.0, -4.0, -4.0, -10.0),
    _monotone("monotone-2", -4.0, -4.0, -4.0, -10.0, -4.0, -4.0),
    BackupRule(
        "erwa",
        back_up_erwa,
        ErwaParameters(),
        (Parameter("rate", 0.0, 1.0, "step size, the weight of the newest result (alpha)"),),
        "Li & Lim, eq. 3 and table 1",
    ),
    _feedback("gax", is_widening=False, is_exponential=False),
    _feedback("gay", is_widening=False, is_exponential=True),
    _feedback("gbx", is_widening=True, is_exponential=False),
    _feedback("gby", is_widening=True, is_exponential=True),
)
