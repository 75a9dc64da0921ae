"""Who owns what at the end of a game."""

import numpy as np

from miai.engine.go.benson import pass_alive
from miai.engine.go.game import Game


def settled_area(game: Game) -> np.ndarray:
    """Return the owner of every point at the end of a game, int8 [size·size]: +1 Black's, -1 White's, 0 nobody's.

    The area as the board stands, but stones in pass-alive territory are its owner's (Benson): their owner would lose
    them if it had to be played out.
    """
    owners = np.empty(game.size**2, dtype=np.int8)
    pass_alive(game.board, owners, game.rules.suicide)
    return np.where(owners != 0, owners, game.area())
