"""The workspace of a policy: one record that compiled code passes around as a plain pointer.

Like the board it is a NumPy record, not a tuple of arrays: a dozen arrays would be a dozen structs to hand
from function to function, each with a reference to count. Each thread needs its own.
"""

import functools

import numpy as np

from miai.engine.go.board import board_dtype
from miai.engine.random import new_stream
from miai.playouts.fuego1585.patterns import pattern_table
from miai.playouts.move_features import FEATURES, GROUPS, shipped_strengths
from miai.playouts.patterns import NUM_CODES, NUM_LEVELS, shipped_table

NO_MERCY = 1 << 30
"""Stones that no player leads by."""


@functools.cache
def playout_workspace_dtype(size: int) -> np.dtype:
    """Return the record type of the workspace for a board size.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    board = board_dtype(size)
    points = size * size
    return np.dtype(
        [
            ("stream", "u8", (2,)),  # random numbers, see engine/random.py
            ("weights", "f4", (points + 16,)),  # beside `moves`, where a layer weights its moves
            ("level_strengths", "f4", (NUM_LEVELS,)),  # by level
            ("playout_moves", "i2", (3 * points + 2,)),  # the moves of the last playout, first to last
            ("moves", "i2", (points + 16,)),  # the set that a layer proposes
            ("levels", "u1", (points + 16,)),  # beside `moves`, while patterns are matched
            ("features", "i4", (len(GROUPS),)),  # of one move, see playouts/move_features.py
            ("layers_at", "u1", (board["color"].shape[0],)),  # local layers that propose a move, by point
            ("feature_strengths", "f4", (len(FEATURES),)),
            ("shape_strengths", "f4", (NUM_LEVELS,)),  # by level
            ("shape_levels", "u1", (NUM_CODES,)),  # by code of a 3x3 neighbourhood
            ("mercy_lead", "i8"),  # stones, see `miai.playouts.playout.PlayoutParameters.lead`
            ("list_length", "i8"),
            ("list_captures", "i8"),  # stones taken when all empty points were listed; -1 = none listed yet
            ("listed_points", "i2", (points,)),  # see playouts/fuego1585/random_list.py
            ("is_listed", "u1", (board["color"].shape[0],)),
            ("pattern_levels", "u1", (NUM_CODES,)),  # by code of a 3x3 neighbourhood; 0 = no pattern
            ("fuego_pattern_levels", "u1", (NUM_CODES,)),  # see playouts/fuego1585/patterns.py
            ("fuego_strengths", "f4", (NUM_LEVELS,)),  # by its level
        ],
        align=True,
    )


def new_playout_workspace(size: int, *seeds: int) -> np.ndarray:
    """Return an array of one workspace: the shipped strengths, a stream from `seeds`, no mercy."""
    workspace = np.zeros(1, dtype=playout_workspace_dtype(size))
    workspace[0]["stream"] = new_stream(*seeds)
    workspace[0]["mercy_lead"] = NO_MERCY
    table = shipped_table()
    workspace[0]["pattern_levels"] = table.levels
    workspace[0]["level_strengths"] = table.strengths
    fuego_table = pattern_table()
    workspace[0]["fuego_pattern_levels"] = fuego_table.levels
    workspace[0]["fuego_strengths"] = fuego_table.strengths
    moves = shipped_strengths()
    workspace[0]["shape_levels"] = moves.shapes.levels
    workspace[0]["shape_strengths"] = moves.shapes.strengths
    workspace[0]["feature_strengths"] = moves.features
    return workspace
