"""What a network says of one position, all of it, without a search."""

from typing import NamedTuple

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.points import PASS
from miai.nets.inference.backend import Backend
from miai.nets.loading import Net
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from miai.nets.views import evaluate_turned


class RawEvaluation(NamedTuple):
    """A network's outputs for the player to move; NaN is what it does not say."""

    win: float
    """Probability; the three sum to 1."""
    draw: float
    loss: float
    no_result: float
    """Probability that the game ends without a result, as KataGo's networks have it instead of a draw."""
    lead: float
    """Points that would make the game even."""
    score: float
    """Expected points won by."""
    squared_score: float
    """The expectation of their square."""
    variance_time: float
    """The variance of the time left, see KataGo's `varTimeLeft`."""
    value_error: float
    """How far a short search would move the value."""
    score_error: float
    policy: np.ndarray
    """float64 [size·size + 1], pass last: probabilities of the moves, NaN where one is not allowed."""
    ownership: np.ndarray
    """float32 [size·size]: 1 the player's to move, -1 the opponent's."""


class RawNetwork:
    """A network at work on single positions."""

    def __init__(self, net: Net, backend: Backend) -> None:
        self._net = net
        self._backend = backend

    def evaluate(self, game: Game, color: int, symmetry: int = 0, optimism: float = 0.0) -> RawEvaluation:
        """Return what the network says of a position, shown in one of the eight ways it can lie.

        Args:
            color: who is to move; where that is not the game's player to move, the game is taken to begin here.
            symmetry: see `miai.nets.symmetry`.
            optimism: how much of KataGo's optimistic policy goes into the policy's logits, 0 to 1; other networks have
                none.

        Raises:
            ConfigError: if the network does not fit the board.
        """
        config = self._net.config
        size = game.size
        config.check_size(size)
        if color != game.to_play:
            game = _beginning_here(game, color)
        planes = np.zeros((1, num_planes(config.planes), size, size), dtype=np.float32)
        make_write_planes(config.planes)(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes[0])
        outputs = evaluate_turned(self._backend, planes, symmetry)
        logits = outputs.policy[0].astype(np.float64)
        if outputs.optimistic is not None:
            logits += optimism * (outputs.optimistic[0] - logits)
        win, middle, loss = (float(chance) for chance in outputs.wdl[0])
        has_score = config.kind != "li-lim"
        ownership = outputs.ownership[0] if has_score else np.full(size * size, np.nan, np.float32)
        lead = score = float(outputs.score[0]) if has_score else np.nan
        squared = time = value_error = score_error = np.nan
        draw, no_result = middle, 0.0
        if outputs.details is not None:
            draw, no_result = 0.0, middle
            score, deviation, *rest = (float(value) for value in outputs.details[0])
            time, value_error, score_error = (np.nan if value < 0 else value for value in rest)
            squared = _squared_score(score, deviation, 1.0 - no_result)
        policy = _policy(game, logits)
        return RawEvaluation(
            *(win, draw, loss, no_result, lead, score, squared, time, value_error, score_error, policy, ownership)
        )


def _squared_score(score: float, deviation: float, has_result: float) -> float:
    """Return the expectation of a squared score that is 0 where there is no result.

    Args:
        score: its expectation.
        deviation: its standard deviation where there is a result.
        has_result: the probability of that.
    """
    return score**2 / has_result + deviation**2 * has_result if has_result > 0 else 0.0


def _beginning_here(game: Game, color: int) -> Game:
    begun = Game(game.size, game.komi, game.rules)
    begun.set_up(game.stones(), color)
    return begun


def _policy(game: Game, logits: np.ndarray) -> np.ndarray:
    moves = [action_of_move(move, game.size) for move in (*game.legal_points(game.to_play), PASS)]
    powers = np.exp(logits[moves] - logits[moves].max())
    policy = np.full(len(logits), np.nan)
    policy[moves] = powers / powers.sum()
    return policy
