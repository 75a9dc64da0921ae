"""Playout policies: what they play, exactly, and what many playouts give."""

from miai.engine.go.points import vertex_of
from miai.library.games import Game
from miai.playouts.distribution import distribution, propose
from miai.playouts.layer_order import POLICIES
from miai.playouts.playout import PlayoutSummary, run_playouts
from miai.playouts.policy import make_policy


class Policy:
    """A named playout policy."""

    def __init__(self, name: str = "fuego") -> None:
        """Take the policy of this name.

        Raises:
            ValueError: if there is none; names those there are.
        """
        if name not in POLICIES:
            raise ValueError(f"there is no policy {name!r} (allowed: {', '.join(POLICIES)})")
        self.name = name
        """As it was asked for; read-only."""
        self._policy = make_policy(name)

    def probabilities(self, game: Game) -> dict[str, float]:
        """Return the exact probability of each move that the policy may play, the greatest first."""
        probabilities = distribution(self._policy, game.state.board)
        order = sorted(range(len(probabilities)), key=lambda move: -probabilities[move])
        return {vertex_of(move, game.size): float(probabilities[move]) for move in order if probabilities[move] > 0.0}

    def layer(self, game: Game) -> str:
        """Return the name of the subpolicy that decides in the position."""
        return propose(self._policy, game.state.board).layer

    def playouts(self, game: Game, number: int = 1000, seed: int = 0) -> PlayoutSummary:
        """Play a position to the end many times.

        The summary's `scores` are Black's points minus White's without komi; `score` is their mean minus komi.

        Raises:
            ValueError: if `number` is not positive.
        """
        return run_playouts(game.state.board, self.name, number, game.komi, seed)

    def __repr__(self) -> str:
        return f"<Policy {self.name}>"
