"""What to play after a search: its best move or one drawn, a pass, or giving up.

Counts as Tromp-Taylor do: all stones live.
"""

from collections.abc import Callable, Sequence

import numpy as np

from engine.go.game import Game
from engine.go.points import BLACK, PASS, RESIGN
from engine.search.report import MoveReport, SearchReport

_SETTLED = 0.8
"""Mean ownership from which on a point counts as decided."""
_SAFE_PASS = 0.9
"""Value after a pass from which on it is safe."""
_ENOUGH_TO_RESIGN = 100
"""Visits below which nobody resigns."""


def margin_of(game: Game, color: int) -> float:
    """Return the score as the board stands from a player's view, komi included."""
    return game.score() if color == BLACK else -game.score()


def decide(
    game: Game,
    color: int,
    report: SearchReport,
    resign_below: float,
    value_after_pass: Callable[[], float],
    draw: Callable[[Sequence[MoveReport]], MoveReport] = lambda moves: moves[0],
) -> int:
    """Return the move to play: a point, PASS or RESIGN.

    Args:
        game: the position that was searched.
        color: the player to move.
        report: what the search found.
        resign_below: expected result below which to give up; 0 = never.
        value_after_pass: searches the position after a pass and returns its value for `color`.
        draw: chooses among moves, best first, other than a pass; by default the best.
    """
    margin = margin_of(game, color)
    opponent_passed = bool(game.moves) and game.moves[-1][1] == PASS
    if opponent_passed and margin > 0:
        return PASS
    best = report.moves[0]
    others = [move for move in report.moves if move.move != PASS and move.visits > 0]
    if best.move == PASS:
        if margin < 0 and others and others[0].value >= best.value - 0.1:
            best = others[0]
    elif margin > 0 and _is_settled(game, color, report) and value_after_pass() >= _SAFE_PASS:
        return PASS
    if best.value < resign_below and margin <= 0 and report.visits >= _ENOUGH_TO_RESIGN:
        return RESIGN
    if best.move == PASS:
        return PASS
    return draw([best, *(move for move in report.moves if move.move not in (PASS, best.move))]).move


def draw_move(
    moves: Sequence[MoveReport], temperature: float, least_share: float, chance: np.random.Generator
) -> MoveReport:
    """Return a move drawn with weights (visits + prior probability)^(1/temperature).

    With one simulation these are the prior probabilities, with many the visits.

    Args:
        moves: best first; not none.
        temperature: above 0.
        least_share: moves of less than this share of the greatest sum are left out, so that even great temperatures
            see what is forced; 0 to 1.
        chance: where the draw comes from.
    """
    shares = np.array([move.visits + move.prior for move in moves])
    shares /= shares.max()
    weights = np.where(shares >= least_share, shares, 0.0) ** (1.0 / temperature)
    return moves[chance.choice(len(moves), p=weights / weights.sum())]


def _is_settled(game: Game, color: int, report: SearchReport) -> bool:
    """Tell whether every point is decided in the way the board would be counted now."""
    owners = game.area() if color == BLACK else -game.area()
    return bool(np.all(owners * report.ownership >= _SETTLED))
