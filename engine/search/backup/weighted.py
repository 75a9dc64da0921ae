"""`monotone`, `erwa`, `gax`, `gay`, `gbx`, `gby`: later results weigh more; `softmax`: better children weigh more.

The weight function of Li & Lim (section 3) is `w(t) = w(0) + ∫ e^p`, `p` linear between six knots `p(0), p(Δ), …,
p(N)`, `Δ = N/5`; beyond `N`, `p` goes on with its last slope. What is kept of a node is `ρ(n) = Σ w(t)/w(n)`, t = 0 to
n: `ρ(n) = 1 + ρ(n − 1)·w(n − 1)/w(n)` and `Q ← Q + (r − Q)/ρ(n)`, which no weight is too large for.
"""

import dataclasses
import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.best_child import best_visited
from miai.engine.search.backup.mean import mean_after
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import children_of, column, column_numbers, results, values, visits

_WEIGHTED_COLUMNS = ("weight_sum",)
_SOFTMAX_COLUMNS = ("leaf_visits", "leaf_value")
(_WEIGHT_SUM,) = column_numbers("backup", _WEIGHTED_COLUMNS)
_OWN_VISITS, _OWN_VALUE = column_numbers("backup", _SOFTMAX_COLUMNS)
_SLOPES = Range(-100.0, 20.0)
_GREATEST_WEIGHT = 1e300
_Knot0 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 0"]
_Knot1 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 1"]
_Knot2 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 2"]
_Knot3 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 3"]
_Knot4 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 4"]
_Knot5 = Annotated[float, _SLOPES, "logarithm of the weight's slope at knot 5"]
_LastKnot = Annotated[float, Range(1.0, 1e12), "visits at the last knot"]


class KnotParameters(NamedTuple):
    """Knots of a weight function."""

    p0: _Knot0
    p1: _Knot1
    p2: _Knot2
    p3: _Knot3
    p4: _Knot4
    p5: _Knot5
    simulations: _LastKnot = 5000.0


@compiled
def _piece(start, end, length):
    """Return `∫ e^p` over a piece of this length where `p` goes from `start` to `end`."""
    rise = end - start
    if abs(rise) < 1e-9:
        return length * math.exp(start)
    return length * math.exp(start) * math.expm1(rise) / rise


@compiled
def weight_at(t, params):
    """Return `w(t) − w(0)`, no more than `_GREATEST_WEIGHT`."""
    knots = (params.p0, params.p1, params.p2, params.p3, params.p4, params.p5)
    width = params.simulations / 5.0
    total = 0.0
    for index in range(5):
        start, end = knots[index], knots[index + 1]
        if t <= (index + 1) * width or index == 4:
            length = t - index * width
            return min(_GREATEST_WEIGHT, total + _piece(start, start + (end - start) * length / width, length))
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


@backup_rule(
    KnotParameters(-10.0, -10.0, -4.0, -4.0, -4.0, -10.0),
    name="monotone",
    source="Li & Lim, eq. 9 and tables 2 and 3",
    columns=_WEIGHTED_COLUMNS,
    init_children=init_weights,
)
def monotone(tree, node, workspace, params):
    """Return `Σ w(t)·r(t)/Σ w(t)` (eq. 9), `w(0) = 1`."""
    t = np.float64(results(tree)[node]) - 1.0
    ratio = (1.0 + weight_at(t - 1.0, params)) / (1.0 + weight_at(t, params)) if t > 0.0 else 1.0
    return _average(tree, node, workspace.result, ratio)


monotone_2 = dataclasses.replace(
    monotone, name="monotone-2", defaults=KnotParameters(-4.0, -4.0, -4.0, -10.0, -4.0, -4.0)
)


class ErwaParameters(NamedTuple):
    """Parameters of `erwa`."""

    rate: Annotated[float, Range(0.0, 1.0), "step size, the weight of the newest result (alpha)"] = 0.001


@backup_rule(ErwaParameters(), name="erwa", source="Li & Lim, eq. 3")
def erwa(tree, node, workspace, params):
    """Return `Q + α·(r − Q)`, the exponential recency-weighted average (Li & Lim, eq. 3), `Q = r` at first.

    Li & Lim's proposition 3.2 makes it a case of `monotone`, but for the first result, to which it gives `α` times the
    weight that it has here. Their table 1 can only mean `erwa-normalized`: with `α = 0.00001` 5,000 results leave
    the first one a weight of 95 %.
    """
    value = values(tree)[node]
    return workspace.result if results(tree)[node] <= 1 else value + params.rate * (workspace.result - value)


@backup_rule(
    ErwaParameters(),
    name="erwa-normalized",
    source="Li & Lim, proposition 3.2 in eq. 9",
    columns=_WEIGHTED_COLUMNS,
    init_children=init_weights,
)
def erwa_normalized(tree, node, workspace, params):
    """Return `Σ w(t)·r(t)/Σ w(t)`, `w(t) = (1 − α)^(−t)`: `erwa` once its weights are divided by their sum.

    With a small `α` this is nearly the mean, where `erwa` hardly leaves the first result.
    """
    return _average(tree, node, workspace.result, 1.0 - params.rate)


class FeedbackParameters(NamedTuple):
    """Parameters of `gax`, `gay`, `gbx` and `gby`."""

    width: Annotated[float, Range(1.0, 1e9), "results in the first segment"] = 500.0
    growth: Annotated[float, Range(0.0, 100.0), "how much the weight grows from segment to segment"] = 0.5
    is_widening: Annotated[int, Range(0, 1), "0 = segments of one width, 1 = each twice as wide as the one before"] = 0
    is_exponential: Annotated[int, Range(0, 1), "0 = weights grow linearly, 1 = exponentially"] = 0


@compiled
def _segment_of(t, params):
    if params.is_widening:
        return math.floor(math.log2(t / params.width + 1.0))
    return math.floor(t / params.width)


@compiled
def feedback_weight(t, params):
    """Return the weight of result number `t`: that of the segment it lies in.

    Segment `k` is `width` results long, or `width·2^k` if `is_widening`; its weight is `1 + growth·k`, or
    `(1 + growth)^k` if `is_exponential`.
    """
    segment = _segment_of(t, params)
    return (1.0 + params.growth) ** segment if params.is_exponential else 1.0 + params.growth * segment


@compiled
def feedback_ratio(t, params):
    """Return the weight of result number `t − 1` as a part of that of `t`, which may be too large for a number."""
    if params.is_exponential:
        return (1.0 + params.growth) ** (_segment_of(t - 1.0, params) - _segment_of(t, params))
    return feedback_weight(t - 1.0, params) / feedback_weight(t, params)


@backup_rule(
    FeedbackParameters(),
    name="gax",
    source="Xie & Liu 2009, Backpropagation modification in Monte-Carlo game tree search (Li & Lim, fig. 1)",
    columns=_WEIGHTED_COLUMNS,
    init_children=init_weights,
)
def gax(tree, node, workspace, params):
    """Return `Σ w(t)·r(t)/Σ w(t)` with weights that grow from segment to segment."""
    t = np.float64(results(tree)[node]) - 1.0
    ratio = feedback_ratio(t, params) if t > 0.0 else 1.0
    return _average(tree, node, workspace.result, ratio)


gay = dataclasses.replace(gax, name="gay", defaults=FeedbackParameters(is_exponential=1))
gbx = dataclasses.replace(gax, name="gbx", defaults=FeedbackParameters(is_widening=1))
gby = dataclasses.replace(gax, name="gby", defaults=FeedbackParameters(is_widening=1, is_exponential=1))


class SoftmaxParameters(NamedTuple):
    """Parameters of `softmax`."""

    p0: _Knot0
    p1: _Knot1
    p2: _Knot2
    p3: _Knot3
    p4: _Knot4
    p5: _Knot5
    simulations: _LastKnot = 5000.0
    own: Annotated[
        float, Range(0.0, 1.0), "weight of what ended at the node itself; 0 = only children count, as printed"
    ] = 1.0


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
            # Another thread may have raised the value since `greatest` was read.
            alpha = visits(tree)[child] * math.exp(2.0 * weight * min(0.0, value - greatest))
            total += alpha * value
            alphas += alpha
    return total / alphas


@backup_rule(
    SoftmaxParameters(-4.0, -10.0, -4.0, -4.0, -10.0, -4.0),
    name="softmax",
    source="Li & Lim, section 3.2 and tables 4 and 5",
    columns=_SOFTMAX_COLUMNS,
    init_children=init_softmax,
    kinds=("probability",),
)
def softmax(tree, node, workspace, params):
    """Return the soft maximum of the children's values (Li & Lim, section 3.2) with weight `w(n)`, `w(0) = 0`.

    The paper does not say what becomes of a node's own evaluation; here it takes part and fades as `w` grows, which
    makes `w = 0` the mean of all results and a large `w` the greatest value. The formula as printed, children alone, is
    `own = 0`.
    """
    own_visits, own_value = column(tree, _OWN_VISITS), column(tree, _OWN_VALUE)
    if workspace.is_leaf:
        own_visits[node] += np.float32(1.0)
        own_value[node] += (np.float32(workspace.result) - own_value[node]) / own_visits[node]
    if best_visited(tree, node) == 0:
        return mean_after(tree, node, workspace.result)
    weight = weight_at(np.float64(visits(tree)[node]), params)
    own = params.own * np.float64(own_visits[node])
    return 1.0 - soft_maximum(tree, node, weight, own, 1.0 - np.float64(own_value[node]))


softmax_2 = dataclasses.replace(
    softmax, name="softmax-2", defaults=SoftmaxParameters(-4.0, -10.0, -7.9, -10.0, -10.0, -7.8)
)
