"""Positions drawn as text; `miai.engine.go.diagram` reads them."""

import numpy as np

from miai.engine.go.board import board_size
from miai.engine.go.points import COLUMN_LETTERS, EMPTY, point_at

_SIGNS = ".XO"


def draw(board: np.void, marks: dict[int, str] | None = None) -> str:
    """Return a diagram with column letters and row numbers on both sides; `marks` gives signs for empty points."""
    size = board_size(board)
    signs = marks or {}
    letters = "   " + " ".join(COLUMN_LETTERS[:size])
    lines = [letters]
    for row in range(size):
        points = [point_at(row, column, size) for column in range(size)]
        shown = []
        for point in points:
            color = int(board["color"][point])
            shown.append(signs.get(point, ".") if color == EMPTY else _SIGNS[color])
        lines.append(f"{size - row:2d} {' '.join(shown)} {size - row}")
    return "\n".join([*lines, letters])
