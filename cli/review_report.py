"""A review of a game as text: a line on a move, a summary for each player, in one game or several, and a graph."""

import statistics
from collections.abc import Mapping, Sequence

from miai.engine.go.points import BLACK, WHITE, vertex_of
from miai.players.review import MoveReview, add_up, summarize

BLOCKS = " ▁▂▃▄▅▆▇█"
HASHES = " #"
"""How a graph fills a cell, from nothing to all of it, where the output cannot write `BLOCKS`."""
_LINE_LENGTH = 6
"""Moves of a better variation that are shown."""
_HEIGHT = 8
_WIDTH = 72
_NUM_PHASES = 4
_LONGEST_NAME = 40
"""Letters of a player's name; command lines are longer."""
_LABELS = {_HEIGHT - 1: "100%", _HEIGHT // 2 - 1: "50%"}
"""What stands beside a row of a graph, from 0 at the bottom: its upper edge."""


def describe(review: MoveReview, size: int) -> str:
    """Return a line on a move: `White 34 D4: 62 % before, 18 % after; better: E5 E6 C3`."""
    color = "Black" if review.color == BLACK else "White"
    text = f"{color} {review.number} {vertex_of(review.move, size)}: {review.before:.0%} before, "
    text += f"{review.after:.0%} after"
    if review.loss == 0.0:
        return text
    line = " ".join(vertex_of(move, size) for move in review.variation[:_LINE_LENGTH])
    return f"{text}; better: {line}"


def describe_players(reviews: Sequence[MoveReview], size: int) -> str:
    """Return a line for each player who moved."""
    lines = []
    for color, name in ((BLACK, "Black"), (WHITE, "White")):
        if summary := summarize(reviews, color):
            worst = summary.worst
            lines.append(
                f"  {name}: {summary.num_moves} move{'' if summary.num_moves == 1 else 's'}, "
                f"{summary.best_share:.0%} the best ones; lost {summary.mean_loss:.1%} and "
                f"{summary.mean_points_lost:.1f} points a move"
                + (f"; worst {worst.number} {vertex_of(worst.move, size)} ({worst.loss:.0%})" if worst.loss else "")
            )
    return "\n".join(lines)


def tabulate_players(moves_by_name: Mapping[str, Sequence[Sequence[MoveReview]]], points: int) -> str:
    """Return a table of what each player's moves cost a game, by phases as long as a quarter of the board.

    Args:
        moves_by_name: the player's moves in each game.
        points: of the board.
    """
    length = round(points / 4)
    phases = [f"{1 + number * length}-{(number + 1) * length}" for number in range(_NUM_PHASES - 1)]
    heads = ["games", "best", *phases, f"{1 + (_NUM_PHASES - 1) * length}-", "in all"]
    width = min(max(len("player"), *map(len, moves_by_name)), _LONGEST_NAME)
    lines = ["Expected results lost a game, by the number of the move:"]
    lines.append(f"{'player':<{width}}" + "".join(f"{head:>8}" for head in heads))
    for name, games in moves_by_name.items():
        record = add_up(games, length, _NUM_PHASES)
        shares = (record.best_share, *record.losses, sum(record.losses))
        short = name if len(name) <= width else f"{name[: width - 3]}..."
        lines.append(f"{short:<{width}}{record.num_games:8}" + "".join(f"{share:8.1%}" for share in shares))
    return "\n".join(lines)


def draw_graph(reviews: Sequence[MoveReview], signs: str = BLOCKS) -> str:
    """Return Black's expected result after every move as a graph; each column is a move, or the mean of some.

    Args:
        reviews: not none.
        signs: how a cell is filled, from nothing to all of it.
    """
    results = [one.after if one.color == BLACK else 1.0 - one.after for one in reviews]
    number = len(results)
    width = min(number, _WIDTH)
    columns = [
        statistics.fmean(results[column * number // width : (column + 1) * number // width]) for column in range(width)
    ]
    full = len(signs) - 1
    lines = ["  Black's chances after each move"]
    for row in reversed(range(_HEIGHT)):
        filled = (round(result * _HEIGHT * full) - row * full for result in columns)
        cells = "".join(signs[min(max(level, 0), full)] for level in filled)
        lines.append(f"{_LABELS.get(row, ''):>6} |{cells}".rstrip())
    lines.append(f"{'0%':>6} +{'-' * width}")
    lines.append(f"{'':8}{'1':<{max(width - len(str(number)), 1)}}{number if number > 1 else ''}".rstrip())
    return "\n".join(lines)
