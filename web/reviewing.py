"""A review of a whole game, as a page shows it."""

import threading
from collections.abc import Callable
from typing import Any

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE, color_name, vertex_of
from miai.players.player import Player
from miai.players.review import MoveReview, review_game, summarize, worst_moves

NUM_WORST = 12
"""Moves of a game that are shown as its worst."""
_MIN_LOSS = 0.03
"""What a move must cost to be among them, in expected results."""
_LINE_LENGTH = 10


class _Stopped(Exception):
    """Nobody wants the review any more."""


def review_line(
    player: Player, game: Game, tell: Callable[[int, int], None], stop: threading.Event
) -> list[MoveReview]:
    """Search every position of a game, which stays as it is.

    Args:
        player: searches.
        game: from its set-up position on.
        tell: called after each move with how many are done, and of how many.
        stop: ends the review; then the outcome is empty.
    """
    done = 0

    def go_on() -> None:
        nonlocal done
        done += 1
        tell(done, len(game.moves))
        if stop.is_set():
            raise _Stopped

    try:
        return review_game(player, game, go_on)
    except _Stopped:
        return []


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
