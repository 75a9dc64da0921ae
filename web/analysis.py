"""What a search found, as a page shows it. All chances and points are Black's, so that a graph needs no turning."""

from typing import Any

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, vertex_of
from miai.engine.search.report import SearchReport

NUM_MOVES = 24
"""Candidates that are told."""
_LINE_LENGTH = 12
"""Moves of a variation that are told."""


def describe_report(report: SearchReport, size: int) -> dict[str, Any]:
    """Return a report as JSON values; a move's numbers are from the view of who makes it, the root's are Black's."""
    is_black = report.color == BLACK
    moves = [move for move in report.moves if move.visits > 0][:NUM_MOVES]
    ownership = report.ownership if is_black else -report.ownership
    return {
        "color": report.color,
        "visits": report.visits,
        "simulations": report.simulations,
        "seconds": round(report.seconds, 3),
        "black": round(report.value if is_black else 1.0 - report.value, 4),
        "points": round(report.score if is_black else -report.score, 2),
        "moves": [
            {
                "move": vertex_of(move.move, size),
                "visits": move.visits,
                "value": round(move.value, 4),
                "points": round(move.score, 2),
                "prior": round(move.prior, 4),
                "line": [vertex_of(one, size) for one in move.variation[:_LINE_LENGTH]],
            }
            for move in moves
        ],
        "ownership": [round(value, 2) for value in ownership.tolist()],
    }


def board_text(game: Game) -> str:
    """Return the stones row by row from the top left: `.`, `X` for Black, `O` for White."""
    colors = game.board["color"]
    width = game.size + 1
    return "".join(
        ".XO"[colors[row * width + column]] for row in range(1, game.size + 1) for column in range(1, game.size + 1)
    )
