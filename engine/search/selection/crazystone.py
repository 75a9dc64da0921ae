"""`crazystone`: Crazy Stone's selectivity of 2006, which samples moves by how likely they are the best."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.search_policy import normalize_policy, sample_child
from miai.engine.search.tree import children_of, column, column_numbers, priors, results, scores, values, visits
from miai.engine.search.workspace import field, field_numbers

_COLUMNS = ("score_square", "threat")
_SQUARE, _THREAT = column_numbers("selection", _COLUMNS)
_FIELDS = ("points", "order")
_POINTS, _ORDER = field_numbers("selection", _FIELDS)


class CrazystoneParameters(NamedTuple):
    """Parameters of `crazystone`."""

    slope: Annotated[float, Range(0.0, 100.0), "how fast the probability falls with the distance to the best child"] = (
        2.4
    )
    epsilon: Annotated[
        float, Range(0.0, 100.0), "weight of what keeps the probability of every child from going to 0"
    ] = 1.0
    internal_at: Annotated[
        int, Range(0, 1e9), "simulations from which children are sampled by value; 0 = points of the board"
    ] = 0
    max_effective_visits: Annotated[int, Range(1, 1e9), "simulations beyond which a value becomes no more certain"] = (
        500
    )
    prior: Annotated[float, Range(0.0, 1e3), "weight of the prior variance of external nodes"] = 1.0


@compiled
def init_crazystone(tree, first, count, workspace):
    """Begin the sums of new children, and remember which moves threaten something."""
    for index in range(count):
        column(tree, _SQUARE)[first + index] = 0.0
        column(tree, _THREAT)[first + index] = workspace.candidate_threat[index]


@compiled
def update_score_squares(tree, workspace, depth, result):
    """Average the squares of the final scores."""
    squares = column(tree, _SQUARE)
    square = workspace.score * workspace.score
    for ply in range(depth + 1):
        node = np.int64(workspace.path[ply])
        squares[node] += (square - squares[node]) / results(tree)[node]


@compiled
def internal_threshold(params, workspace):
    """Return the simulations from which on a node is internal: by default as many as the board has points."""
    return np.float64(params.internal_at) if params.internal_at > 0 else np.float64(workspace.num_points)


@compiled
def score_variance(tree, node, params, workspace):
    """Return how uncertain a node's mean score is, in square points: `σ²/min(500, S)`.

    `σ²` is the variance of the scores of `S` simulations; of an external node with a wide prior, `(Σ₂ − S·μ² +
    4P²)/(S + 1)` for `P` points on the board. The slides print the division for internal nodes alone. External nodes
    are divided too, since only then do errors fall as published; without it they fall four times later
    (`miai experiment backups`).
    """
    n = np.float64(visits(tree)[node])
    mean = np.float64(scores(tree)[node])
    spread = max(0.0, column(tree, _SQUARE)[node] - mean * mean) if n > 0.0 else 0.0
    if n < internal_threshold(params, workspace):
        spread = (n * spread + params.prior * 4.0 * workspace.num_points * workspace.num_points) / (n + 1.0)
    return spread / max(1.0, min(np.float64(params.max_effective_visits), n))


@compiled
def write_urgencies(tree, node, params, workspace):
    """Write to `workspace.policy` the urgency of each child of an internal node.

    With the children sorted by value, `u_i = exp(−2.4·(μ_0 − μ_i)/sqrt(2(σ_0² + σ_i²))) + (0.1 + 2^(−i) + a_i)/M` for
    `M` children, `a_i` = 1 for a threat, the latter times `epsilon`. One never visited is worth the node's average.
    """
    children = children_of(tree, node)
    count = children.end - children.first
    unseen = -np.float64(scores(tree)[node])
    points, order = field(workspace, _POINTS, np.float64), field(workspace, _ORDER, np.int16)
    points_of_value = 2.0 * np.float64(workspace.point_scale)
    for index in range(count):
        child = children.first + index
        if visits(tree)[child] > 0:
            points[index] = (values(tree)[child] - 0.5) * points_of_value
        else:
            points[index] = unseen
        place = index
        while place > 0 and points[order[place - 1]] < points[index]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = index
    best = np.int64(order[0])
    best_variance = score_variance(tree, children.first + best, params, workspace)
    power = 1.0
    for rank in range(count):
        index = np.int64(order[rank])
        child = children.first + index
        variance = score_variance(tree, child, params, workspace)
        distance = (points[best] - points[index]) / math.sqrt(2.0 * (best_variance + variance) + 1e-12)
        urgency = math.exp(-params.slope * distance)
        urgency += params.epsilon * (0.1 + power + column(tree, _THREAT)[child]) / count
        workspace.policy[index] = urgency
        power *= 0.5


@compiled
def write_crazystone_policy(tree, node, params, workspace):
    """Write the probability of each child: `write_urgencies` at an internal node, else the prior, by the playouts."""
    children = children_of(tree, node)
    count = children.end - children.first
    if visits(tree)[node] < internal_threshold(params, workspace):
        for index in range(count):
            workspace.policy[index] = priors(tree)[children.first + index]
    else:
        write_urgencies(tree, node, params, workspace)
    normalize_policy(workspace, count)


@selection_rule(
    CrazystoneParameters(),
    name="crazystone",
    source="Coulom 2006, section 3: Selectivity",
    columns=_COLUMNS,
    fields=_FIELDS,
    init_children=init_crazystone,
    update_statistics=update_score_squares,
    kind="points",
    policy=write_crazystone_policy,
    needs_threats=True,
)
def crazystone(tree, node, params, workspace):
    """Return a child sampled by the probability that it is better than the best one; by the playouts' policy at first.

    Values are final scores in points (Coulom 2006). A node becomes internal, where children are sampled by value, at as
    many simulations as the board has points. Printed without squares, the variances in the slides' formula are read
    as `σ_0²` and `σ_i²`.
    """
    write_crazystone_policy(tree, node, params, workspace)
    return sample_child(tree, node, workspace)
