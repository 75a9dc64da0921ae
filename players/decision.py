"""What to play after a search: its best move or one sampled, a pass, or resignation."""

from collections.abc import Callable, Sequence

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, RESIGN
from miai.engine.search.report import MoveReport, SearchReport

_SETTLED = 0.8
"""Mean ownership from which on a point counts as decided."""
_SAFE_PASS = 0.9
"""Value after a pass from which on it is safe."""
_ENOUGH_TO_RESIGN = 100
"""Visits below which nobody resigns."""


def margin_of(game: Game, color: int) -> float:
    """Return the score as the board stands from a player's view, komi included."""
    return game.score() if color == BLACK else -game.score()


def may_end(game: Game) -> bool:
    """Tell whether it is time to think of the end: after a pass, or with half of the board full."""
    return (bool(game.moves) and game.moves[-1][1] == PASS) or 2 * len(game.stones()) >= game.size**2


def decide(
    game: Game,
    color: int,
    report: SearchReport,
    resign_below: float,
    value_after_pass: Callable[[], float],
    draw: Callable[[Sequence[MoveReport]], MoveReport] = lambda moves: moves[0],
) -> int:
    """Return the move to play, a point, PASS or RESIGN, where all stones live until they are taken (Tromp-Taylor).

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
    best = _best_unless_lost(report, margin)
    if best.move != PASS and margin > 0 and _is_settled(game, color, report) and value_after_pass() >= _SAFE_PASS:
        return PASS
    if best.value < resign_below and margin <= 0 and report.visits >= _ENOUGH_TO_RESIGN:
        return RESIGN
    return _draw(best, report, draw)


def decide_by_agreement(
    game: Game,
    report: SearchReport,
    resign_below: float,
    agreed_margin: Callable[[], float],
    value_after_pass: Callable[[], float],
    draw: Callable[[Sequence[MoveReport]], MoveReport] = lambda moves: moves[0],
) -> int:
    """Return the move to play, a point, PASS or RESIGN, where dead stones are taken off before counting.

    A pass is played if it wins twice, as the board would be counted and if the opponent plays on; if all is settled and
    lost; or if the search likes no move better and it does not lose.

    Args:
        game: the position that was searched.
        report: what the search found; it takes stones off only by capture.
        resign_below: as for `decide`.
        agreed_margin: judges which stones are dead and returns the player's score without them.
        value_after_pass: as for `decide`; the search goes on after a second pass.
        draw: as for `decide`.
    """
    best = report.moves[0]
    is_settled = bool(np.all(np.abs(report.ownership) >= _SETTLED))
    opponent_passed = bool(game.moves) and game.moves[-1][1] == PASS
    margin = agreed_margin() if is_settled or opponent_passed or best.move == PASS else 0.0
    if margin > 0 and value_after_pass() >= _SAFE_PASS:
        return PASS
    if best.value < resign_below and report.visits >= _ENOUGH_TO_RESIGN:
        return RESIGN
    # Stones thrown in without end are no help: without superko they may come again and again.
    if margin < 0 and is_settled and (opponent_passed or best.value <= 1.0 - _SAFE_PASS):
        return PASS
    return _draw(_best_unless_lost(report, margin), report, draw)


def sample_move(
    moves: Sequence[MoveReport], temperature: float, min_visit_ratio: float, rng: np.random.Generator
) -> MoveReport:
    """Return a move sampled with weights (visits + prior probability)^(1/temperature).

    With one simulation these are the prior probabilities, with many the visits.

    Args:
        moves: best first; not none.
        temperature: above 0.
        min_visit_ratio: moves of less than this fraction of the greatest sum are left out, so that even at great
            temperatures forced moves are played; 0 to 1.
        rng: where the draw comes from.
    """
    ratios = np.array([move.visits + move.prior for move in moves])
    ratios /= ratios.max()
    weights = np.where(ratios >= min_visit_ratio, ratios, 0.0) ** (1.0 / temperature)
    return moves[rng.choice(len(moves), p=weights / weights.sum())]


def _best_unless_lost(report: SearchReport, margin: float) -> MoveReport:
    """Return the best move, but no pass that loses as the board is counted if another move seems about as good.

    Where no other move has been searched, it seems so if the position seems won: stones are left to be taken.
    """
    best = report.moves[0]
    others = [move for move in report.moves if move.move != PASS]
    if best.move != PASS or margin >= 0 or not others:
        return best
    searched = [move for move in others if move.visits > 0]
    if searched:
        return searched[0] if searched[0].value >= best.value - 0.1 else best
    return others[0] if report.value > 0.5 else best


def _draw(best: MoveReport, report: SearchReport, draw: Callable[[Sequence[MoveReport]], MoveReport]) -> int:
    if best.move == PASS:
        return PASS
    return draw([best, *(move for move in report.moves if move.move not in (PASS, best.move))]).move


def _is_settled(game: Game, color: int, report: SearchReport) -> bool:
    """Tell whether every point is decided in the way the board would be counted now."""
    owners = game.area() if color == BLACK else -game.area()
    return bool(np.all(owners * report.ownership >= _SETTLED))
