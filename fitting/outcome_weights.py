"""Positions of finished games, from which estimates of win, draw and loss are learned.

Positions are sampled at random from each game that ended by two passes; the final score says how they ended under the
game's komi and under others. Those are sampled without regard to the score: komi sampled near it would be about even
whatever the position, and teach that everything is.
"""

from pathlib import Path

import numpy as np

from miai.engine.files import write_file
from miai.engine.go.game import Game
from miai.engine.go.game_files import positions_of_game
from miai.engine.go.points import BLACK
from miai.fitting.outcome_regression import (
    Cases,
)
from miai.playouts.outcome import DRAW, LOSS, TERMS, WIN, phase_weights
from miai.playouts.outcome_features import FEATURES, features_dtype, find_outcome_features

STONES_ONLY = ("own.stones", "other.stones", "turn", "komi", "draw", "draw.odd")
"""Terms of the simplest estimate that the fit must beat."""
_KOMI_SPREAD = 20
_NUM_OTHER_KOMIS = 2


def cases_of_game(game: Game, number: int, rng: np.random.Generator) -> Cases:
    """Return the cases of at most `number` random positions of a finished game.

    Each comes with the game's komi and with two more, evenly from 20 points for one player to 20 for the other, a
    third of them with half a point.
    """
    positions = np.sort(rng.permutation(len(game.moves))[:number])
    found = np.zeros(1, dtype=features_dtype(game.size))[0]
    features, num_empty, signs = [], [], []
    for place, (board, _) in enumerate(positions_of_game(game)):
        if place in positions:
            find_outcome_features(board, found)
            features.append(found["values"].copy())
            num_empty.append(int(board["num_empty"]))
            signs.append(1.0 if board["to_play"] == BLACK else -1.0)
    sign = np.array(signs)
    komis = [sign * game.komi]
    for _ in range(_NUM_OTHER_KOMIS):
        whole = rng.integers(-_KOMI_SPREAD, _KOMI_SPREAD, endpoint=True, size=len(sign))
        komis.append(whole + 0.5 * (rng.random(len(sign)) < 1 / 3))
    times = len(komis)
    komi = np.concatenate(komis)
    margin = np.tile(sign * (game.score() + game.komi), times) - komi
    points = game.size**2
    return Cases(
        np.tile(np.array(features, dtype=np.float32).reshape(-1, len(FEATURES)), (times, 1)),
        np.tile(phase_weights(np.array(num_empty), points).astype(np.float32), (times, 1)),
        komi.astype(np.float32),
        np.full(len(komi), points),
        np.where(margin > 0, WIN, np.where(margin == 0, DRAW, LOSS)),
    )


def write_weights(path: Path, weights: np.ndarray, comment: str) -> None:
    """Write the table that `playouts/outcome.py` reads."""
    lines = [
        "# Weights of the outcome estimate, learned by `miai fit-outcomes`; see playouts/outcome.py.",
        f"# {comment}",
        "# term, weight in each phase",
    ]
    for term, row in zip(TERMS, weights, strict=True):
        lines.append(" ".join([term, *(f"{weight:.4g}" for weight in row)]))
    write_file(path, "\n".join(lines) + "\n")
