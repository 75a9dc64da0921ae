"""Diagrams for layers and correctors: X is to move.

`l` is where O just moved, `k` where X moved before that; `a` marks the moves expected.
"""

import numpy as np

from miai.engine.go.board import play
from miai.engine.go.diagram import Diagram, read_diagram
from miai.engine.go.points import BLACK, WHITE, vertex_of
from tests.board_diagram import boards_from_diagram


def position(text: str) -> tuple[np.ndarray, Diagram]:
    """Return an array of one board after the last moves that a diagram (rows divided by lines or `/`) marks."""
    rows = text.replace("/", "\n")
    diagram = read_diagram(rows)
    last, second_last = diagram.marks.get("l", []), diagram.marks.get("k", [])
    boards = boards_from_diagram(rows, BLACK if second_last else WHITE)
    for point in second_last + last:
        play(boards[0], point)
    boards[0]["to_play"] = BLACK
    return boards, diagram


def vertices(moves: list[int], size: int) -> list[str]:
    """Return moves as sorted text, which a failed test shows better."""
    return sorted(vertex_of(move, size) for move in moves)
