"""Annotate sampled positions: the fair komi of each, and of what each of its legal moves leads to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.experiments.fernando_muller.annotations import AnnotatedPosition, after_action, legal_actions
from miai.experiments.fernando_muller.fair_komi import FairKomi, find_fair_komi, on_grid, score_if_over
from miai.experiments.fernando_muller.game_samples import SampledGame
from miai.experiments.fernando_muller.oracles import Asked, Oracle, OracleChoice
from miai.experiments.running.pieces import Results

CURVE_REACH = 12
"""Points on either side of a position's fair komi at which Black's chances are kept, for figure 2."""


@dataclass(frozen=True)
class AnnotationPlan:
    """What is annotated, by whom."""

    games: tuple[SampledGame, ...]
    """Of each a position."""
    digest: str
    """Of all games that these were drawn from."""
    oracle: OracleChoice
    asked: Asked
    """How the oracle was asked for."""
    seed: int

    @property
    def num_pieces(self) -> int:
        """A piece is a position."""
        return len(self.games)

    def rows_of(self, piece: int) -> int:
        """Return 1."""
        return 1

    def signature(self) -> dict[str, Any]:
        """Return what decides the result of a piece."""
        return {
            "experiment": "fair-komi",
            "games": self.digest,
            "oracle": self.oracle.describe(),
            "asked": self.asked.describe(),
            "seed": self.seed,
        }

    def run_piece(self, piece: int) -> Results:
        """Annotate a position.

        Returns:
            `value` [1, 3] and `after` [1, actions, 3] as in `AnnotatedPosition`; `curve_komi` and `curve` [1, 2·reach]:
            komi around the fair one and Black's chances there; `num_asked` [1]: searches besides.
        """
        started = time.monotonic()
        oracle = self.oracle.make()
        game = self.games[piece].position()
        size = game.size
        num_asked = 0

        def seed_at(komi: float, action: int) -> int:
            # numbers of a position, a move and a komi, all from 0
            return int(
                np.random.default_rng([self.seed, piece, action + 1, int(2 * komi) + 4 * size * size]).integers(1 << 31)
            )

        def value_of(here: Any, action: int, guess: float) -> FairKomi:
            nonlocal num_asked
            score = score_if_over(here)
            if score is not None:
                return score
            oracle.load(here)

            def chances(komi: float) -> float:
                nonlocal num_asked
                num_asked += 1
                return oracle.chances(komi, seed_at(komi, action))

            return find_fair_komi(chances, size * size, guess)

        value = value_of(game, -1, game.komi)
        after = np.full((size * size + 1, 3), np.nan)
        for action in legal_actions(game):
            after[action] = value_of(after_action(game, action), action, value.fair)
        komis = on_grid(value.fair) + np.arange(-CURVE_REACH, CURVE_REACH)
        results = {
            "value": np.array([value]),
            "after": after[np.newaxis],
            "curve_komi": komis[np.newaxis],
            "curve": self._curve(oracle, piece, komis, seed_at)[np.newaxis],
            "num_asked": np.array([num_asked]),
        }
        if self.oracle.is_program:  # which computes in a process of its own
            results["seconds"] = np.array([time.monotonic() - started])
        return results

    def _curve(self, oracle: Oracle, piece: int, komis: np.ndarray, seed_at: Any) -> np.ndarray:
        oracle.load(self.games[piece].position())
        return np.array([oracle.chances(float(komi), seed_at(float(komi), -1)) for komi in komis])


def annotated_positions(games: Sequence[SampledGame], results: Results) -> list[AnnotatedPosition]:
    """Return the positions with their values."""
    return [
        AnnotatedPosition(game.name, game.label, game.position(), FairKomi(*map(float, value)), after)
        for game, value, after in zip(games, results["value"], results["after"], strict=True)
    ]
