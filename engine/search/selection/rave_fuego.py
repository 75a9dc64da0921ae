"""`rave-fuego`: `rave` with the all-moves-as-first statistics of Fuego."""

from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import random_below
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.selection.rave import (
    AMAF_VALUE,
    AMAF_VISITS,
    COLUMNS,
    SCHEDULE_MINIMUM_MSE,
    SCHEDULE_NONE,
    greatest_blend,
    init_rave,
)
from miai.engine.search.tree import TERMINAL, children_of, column, first_children, moves, visits
from miai.engine.search.workspace import field, field_numbers


class FuegoRaveParameters(NamedTuple):
    """Parameters of `rave-fuego`; the defaults are Fuego's on 9x9."""

    equivalence: Annotated[
        float, Range(1.0, 1e9), "visits at which a move's own value begins to outweigh its AMAF value"
    ] = 5000.0
    exploration: Annotated[float, Range(0.0, 100.0), "weight of the exploration term"] = 0.0
    prior_weight: Annotated[float, Range(0.0, 1000.0), "factor on the visits that prior knowledge is worth"] = 1.0
    own_every: Annotated[
        int, Range(0, 1_000_000), "one choice in so many goes by the moves' own values alone; 0 = none, 1 = all"
    ] = 20


_FIELDS = ("first_even", "first_odd")
_FIRST_EVEN, _FIRST_ODD = field_numbers("selection", _FIELDS)


@compiled
def update_fuego_amaf(tree, workspace, depth, result):
    """Credit the result to every child along the path whose move its player made first, there or later.

    A move made at once counts twice, the game's last one once, and in between it falls linearly. Move 0, the pass of
    games that have one, counts in the tree, not in playouts. `first_even` and `first_odd` hold the first ply after the
    current one at which the player with even or odd plies makes a move, `trace_length` = never.
    """
    first_even = field(workspace, _FIRST_EVEN, np.int16)
    first_odd = field(workspace, _FIRST_ODD, np.int16)
    length = workspace.trace_length
    first_even[:] = length
    first_odd[:] = length
    for ply in range(length - 1, depth - 1, -1):
        if workspace.trace[ply] == 0:
            continue
        if ply & 1 == 0:
            first_even[workspace.trace[ply]] = ply
        else:
            first_odd[workspace.trace[ply]] = ply
    # the result for the player with even plies
    even_result = result if depth & 1 == 0 else 1.0 - result
    amaf_visits = column(tree, AMAF_VISITS)
    amaf_value = column(tree, AMAF_VALUE)
    for ply in range(depth, -1, -1):
        is_even = ply & 1 == 0
        own, other = (first_even, first_odd) if is_even else (first_odd, first_even)
        if ply < depth:
            own[workspace.trace[ply]] = ply
        outcome = np.float32(even_result if is_even else 1.0 - even_result)
        scale = np.float32(1.0) / np.float32(max(1, length - ply))
        children = children_of(tree, workspace.path[ply])
        for child in range(children.first, children.end):
            move = moves(tree)[child]
            made = np.int64(own[move])
            if made < length and other[move] > made:
                weight = np.float32(2.0) - np.float32(made - ply) * scale
                n = amaf_visits[child] + weight
                amaf_visits[child] = n
                amaf_value[child] += (outcome - amaf_value[child]) * weight / n


@selection_rule(
    FuegoRaveParameters(),
    name="rave-fuego",
    source="Enzenberger et al. 2010, Fuego: an open-source framework for board games and Go engine based on Monte "
    "Carlo tree search, section IV; Fuego's revision 1585",
    columns=COLUMNS,
    fields=_FIELDS,
    init_children=init_rave,
    update_statistics=update_fuego_amaf,
    needs_lasting_moves=True,
)
def rave_fuego(tree, node, params, workspace):
    """Return the child with the greatest blend of its own value and its AMAF value, now and then of its own alone.

    The blend is that of `rave` by minimum mean squared error, as is what it does where the game ends; but prior
    knowledge counts as AMAF visits too. In Fuego every `own_every`th choice is without AMAF values, here a random one
    in so many.
    """
    schedule = SCHEDULE_MINIMUM_MSE
    if params.own_every > 0 and random_below(workspace, params.own_every) == 0:
        schedule = SCHEDULE_NONE
    best = greatest_blend(tree, node, params, schedule, True, -1)
    if first_children(tree)[best] == TERMINAL and visits(tree)[node] & 7 == 0:
        return greatest_blend(tree, node, params, schedule, True, best)
    return best
