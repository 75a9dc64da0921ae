"""`uncertainty-weighted`: results that the network is surer of weigh more."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.backup.weighted import init_weights
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import column, column_numbers, values, visits

_COLUMNS = ("weight_sum",)
(_WEIGHT_SUM,) = column_numbers("backup", _COLUMNS)


class UncertaintyParameters(NamedTuple):
    """Parameters of `uncertainty-weighted`."""

    scale: Annotated[float, Range(1e-6, 1e6), "expected error of a result, 0 to 1, with which it weighs about 1"] = (
        0.125
    )
    certain: Annotated[float, Range(1e-6, 1e6), "weight of a certain result"] = 8.0


@compiled
def weight_of(error, params):
    """Return the weight of a result with this expected error."""
    return 1.0 / (error / params.scale + 1.0 / params.certain)


@backup_rule(
    UncertaintyParameters(),
    name="uncertainty-weighted",
    source="KataGo, docs/KataGoMethods.md: uncertainty-weighted playouts",
    columns=_COLUMNS,
    init_children=init_weights,
)
def uncertainty_weighted(tree, node, workspace, params):
    """Return the average of all results at or below the node, each with the weight `1/(error/scale + 1/certain)`.

    The error is what the leaf's evaluation is expected to be off by, as one of KataGo's networks says; the end of a
    game has none. Of other evaluators all results weigh the same: the rule is `mean`.
    """
    sums = column(tree, _WEIGHT_SUM)
    weight = weight_of(np.float64(workspace.leaf_error), params)
    weight_sum = weight if visits(tree)[node] <= 1 else np.float64(sums[node]) + weight
    sums[node] = weight_sum
    return values(tree)[node] + (workspace.result - values(tree)[node]) * weight / weight_sum
