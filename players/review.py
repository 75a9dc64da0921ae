"""What a search says of every move of a game, and which moves cost most."""

import statistics
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from miai.engine.go.game import Game
    from miai.players.player import Player


class MoveReview(NamedTuple):
    """What a search says of a move: expected results, 0 to 1, and points with komi, of the player who made it."""

    number: int
    """Of the move in the game, from 1."""
    color: int
    move: int
    before: float
    """If the best move were played."""
    after: float
    """After this move."""
    variation: tuple[int, ...]
    """What the search would have played; its first move is the best."""
    points_before: float
    """If the best move were played."""
    points_after: float
    """After this move."""

    @property
    def is_best(self) -> bool:
        """Whether the search would have played it itself."""
        return self.move == self.variation[0]

    @property
    def loss(self) -> float:
        """What the move cost in expected results; 0 for the best."""
        return 0.0 if self.is_best else max(0.0, self.before - self.after)

    @property
    def points_lost(self) -> float:
        """What the move cost in points; 0 for the best."""
        return 0.0 if self.is_best else max(0.0, self.points_before - self.points_after)


class PlayerSummary(NamedTuple):
    """How a player did in a game."""

    num_moves: int
    best_share: float
    """Share of the moves that the search would have played itself."""
    mean_loss: float
    """What a move cost, in expected results, 0 to 1."""
    mean_points_lost: float
    """What a move cost, in points."""
    worst: MoveReview
    """The move that cost most, or the first if none cost anything."""


class PlayerRecord(NamedTuple):
    """What a player's moves cost over several games."""

    num_games: int
    best_share: float
    """Share of the moves that the search would have played itself."""
    losses: tuple[float, ...]
    """Expected results lost a game, by phase of the game."""


def worst_moves(reviews: list[MoveReview], number: int, least: float) -> list[MoveReview]:
    """Return the moves of both players that cost most, at least `least` each, in the order of the game."""
    costly = sorted((one for one in reviews if one.loss >= least), key=lambda one: -one.loss)
    return sorted(costly[:number])


def summarize(reviews: Sequence[MoveReview], color: int) -> PlayerSummary | None:
    """Return how a player did, None if they did not move."""
    own = [one for one in reviews if one.color == color]
    if not own:
        return None
    return PlayerSummary(
        num_moves=len(own),
        best_share=statistics.fmean(one.is_best for one in own),
        mean_loss=statistics.fmean(one.loss for one in own),
        mean_points_lost=statistics.fmean(one.points_lost for one in own),
        worst=max(own, key=lambda one: one.loss),
    )


def add_up(games: Sequence[Sequence[MoveReview]], phase_length: int, num_phases: int) -> PlayerRecord:
    """Return what the moves of one player cost.

    Args:
        games: the player's moves in each, at least one in all.
        phase_length: moves of both players that make a phase; the last phase has all that follow.
        num_phases: how many there are.
    """
    moves = [one for game in games for one in game]
    losses = [0.0] * num_phases
    for one in moves:
        losses[min((one.number - 1) // phase_length, num_phases - 1)] += one.loss
    return PlayerRecord(
        num_games=len(games),
        best_share=statistics.fmean(one.is_best for one in moves),
        losses=tuple(loss / len(games) for loss in losses),
    )


def _counted(player: "Player", game: "Game", stop: threading.Event | None) -> "Game":
    """Return a game that is over as it is counted."""
    from miai.players.dead_stones import remove_stones

    return remove_stones(game, player.dead_stones(game, stop=stop)) if game.rules.removes_dead else game


def review_game(
    player: "Player",
    game: "Game",
    on_move: Callable[[], object] = lambda: None,
    stop: threading.Event | None = None,
) -> list[MoveReview]:
    """Search every position of a game; return what came of it, move by move. The game stays as it is.

    Args:
        player: searches.
        game: from its set-up position on.
        on_move: called after each move.
        stop: ends the review at once, also within a search; then the outcome is the moves reviewed so far.
    """
    from miai.players.decision import margin_of

    replayed = game.copy()
    for _ in game.moves:
        replayed.undo()
    player.new_game()
    reviews: list[MoveReview] = []
    report = None
    for number, (color, move) in enumerate(game.moves, start=1):
        if report is None or report.color != color:  # somebody moved twice
            report = player.search(replayed, color, stop=stop)
        best = report.moves[0]
        replayed.play(color, move)
        if replayed.is_over:
            report = None
            points_after = margin_of(_counted(player, replayed, stop), color)
            after = 0.5 if points_after == 0 else float(points_after > 0)
        else:
            report = player.search(replayed, replayed.to_play, stop=stop)
            next_best = report.moves[0]
            same = report.color == color
            after = next_best.value if same else 1.0 - next_best.value
            points_after = next_best.score if same else -next_best.score
        if stop is not None and stop.is_set():
            break
        reviews.append(MoveReview(number, color, move, best.value, after, best.variation, best.score, points_after))
        on_move()
    return reviews
