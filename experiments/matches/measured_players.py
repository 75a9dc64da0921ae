"""Players that are measured while they play: what each side of a game took, and what pairs of games say."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.match.statistics import Interval, estimate_elo, estimate_score
from miai.players.net_evaluator import NetEvaluatorSetup
from miai.players.player import Decision, Player


class MeasuredPlayer:
    """A player that counts what its searches take."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.decisions = 0
        self.simulations = 0
        self.evaluations = 0
        """Of the network; positions that it remembers are not evaluated again."""
        self.thinking = 0.0
        """Seconds by the clock."""

    def choose(self, game: Game, color: int) -> Decision:
        """Let the player choose."""
        before = self._num_evaluated()
        decision = self._player.choose(game, color)
        self.decisions += 1
        self.simulations += decision.report.simulations
        self.thinking += decision.report.seconds
        self.evaluations += self._num_evaluated() - before
        return decision

    def _num_evaluated(self) -> int:
        evaluation = self._player.evaluation
        return evaluation.network_usage.evaluations if isinstance(evaluation, NetEvaluatorSetup) else 0


MEASURES = ("decisions", "simulations", "evaluations", "thinking")
"""What is counted, by the names of `MeasuredPlayer`'s attributes."""


ONE_DEVIATION = 0.6827
"""What lies within one standard deviation."""


class PlayerScore(NamedTuple):
    """What a line's games say of its first side."""

    games: int
    percent: float
    error: float
    """Standard error, from pairs: half of Wilson's interval of one standard deviation, which is not 0 at 0 or 100 %."""
    interval: Interval
    """Score rate, 0 to 1, with its 95 % interval."""

    @property
    def elo(self) -> Interval:
        """The Elo difference with its 95 % interval."""
        return estimate_elo(self.interval)


def score_of_pairs(scores: np.ndarray) -> PlayerScore | None:
    """Return what pairs of games say; None if no game ended.

    Args:
        scores: float64 [games], two for each opening; NaN for a game that did not end, which is left out.
    """
    pairs = [[float(score) for score in pair if np.isfinite(score)] for pair in scores.reshape(-1, 2)]
    pairs = [pair for pair in pairs if pair]
    if not pairs:
        return None
    found, narrow = estimate_score(pairs), estimate_score(pairs, ONE_DEVIATION)
    return PlayerScore(sum(map(len, pairs)), 100 * found.value, 50 * (narrow.high - narrow.low), found)


def rates_of(results: Mapping[str, np.ndarray], rows: np.ndarray, side: int) -> dict[str, float]:
    """Return what a side of some games took: simulations and seconds a move, simulations and evaluations a second."""
    decisions, simulations, evaluations, thinking = (float(results[name][rows, side].sum()) for name in MEASURES)
    return {
        "simulations_a_move": simulations / max(1.0, decisions),
        "seconds_a_move": thinking / max(1.0, decisions),
        "simulations_a_second": simulations / max(1e-9, thinking),
        "evaluations_a_second": evaluations / max(1e-9, thinking),
    }
