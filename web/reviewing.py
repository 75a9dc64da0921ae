"""A review of a whole game, as a page shows it."""

from typing import Any

from miai.engine.go.points import BLACK, WHITE, color_name, vertex_of
from miai.players.review import MoveReview, summarize, worst_moves

NUM_WORST = 12
"""Moves of a game that are shown as its worst."""
_MIN_LOSS = 0.03
"""What a move must cost to be among them, in expected results."""
_LINE_LENGTH = 10


def describe_review(reviews: list[MoveReview], line: list[int], size: int) -> dict[str, Any]:
    """Return a review as JSON values.

    Args:
        reviews: of the moves.
        line: the nodes of the game, from the root.
        size: of the board.

    Returns:
        `values`: node, Black's chance and Black's points after each move; `moves`: what each cost; `worst`: the nodes
        of the worst; `players`: a summary of each.
    """
    values, moves = [], []
    for one in reviews:
        is_black = one.color == BLACK
        values.append(
            (
                line[one.number],
                round(one.after if is_black else 1.0 - one.after, 4),
                round(one.points_after if is_black else -one.points_after, 2),
            )
        )
        moves.append(
            {
                "node": line[one.number],
                "number": one.number,
                "color": color_name(one.color),
                "move": vertex_of(one.move, size),
                "before": round(one.before, 4),
                "after": round(one.after, 4),
                "loss": round(one.loss, 4),
                "points": round(one.points_lost, 2),
                "line": [vertex_of(move, size) for move in one.variation[:_LINE_LENGTH]],
            }
        )
    players = {}
    for color in (BLACK, WHITE):
        if (summary := summarize(reviews, color)) is not None:
            players[color_name(color)] = {
                "moves": summary.num_moves,
                "best": round(summary.best_share, 3),
                "loss": round(summary.mean_loss, 4),
                "points": round(summary.mean_points_lost, 2),
            }
    worst = sorted(worst_moves(reviews, NUM_WORST, _MIN_LOSS), key=lambda one: -one.loss)
    return {"values": values, "moves": moves, "worst": [line[one.number] for one in worst], "players": players}
