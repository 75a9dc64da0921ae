"""Boards for compiled functions, from diagrams."""

import numpy as np

from miai.engine.go.board import new_board, place_stone
from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, PASS


def boards_from_diagram(text: str, to_play: int = BLACK) -> np.ndarray:
    """Return an array of one board with the position shown; pass its element 0 to compiled functions.

    Raises:
        DiagramError: as `read_diagram`.
    """
    diagram = read_diagram(text)
    boards = new_board(diagram.size)
    for point, color in diagram.stones.items():
        place_stone(boards[0], point, np.uint8(color))
    boards[0]["ko_point"] = PASS
    boards[0]["to_play"] = to_play
    return boards
