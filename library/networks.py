"""Networks: what one says of positions, without a search."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.points import PASS, vertex_of
from miai.library.games import Game
from miai.nets.inference.choice import make_backend
from miai.nets.loading import load_net
from miai.nets.net_files import net_file
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of


@dataclass(frozen=True)
class Evaluation:
    """What a network says of a position, from the view of the player to move."""

    policy: dict[str, float]
    """Probability of each legal move, the greatest first."""
    win: float
    """Probability."""
    draw: float
    loss: float
    score: float
    """Expected final score in points, komi included; 0 from a network that does not say."""
    ownership: np.ndarray
    """float32 [size, size], row 0 at the top: 1 the player's to move, -1 the opponent's; 0 if it does not say."""


class Network:
    """A policy/value network in memory, with whatever runs it fastest here."""

    def __init__(self, name: str | Path = "miai", backend: str | None = None, threads: int = 1) -> None:
        """Load a network: one that comes with miai, by name, or a file.

        Raises:
            ValueError: if there is no such network or backend, or the file is damaged; says which.
        """
        self._net = load_net(net_file(str(name)))
        self._backend = make_backend(self._net, backend, threads=threads)
        self.name = str(name)
        """As it was asked for; read-only."""

    def evaluate(self, game: Game) -> Evaluation:
        """Return what the network says of a position; see `evaluate_many`."""
        return self.evaluate_many([game])[0]

    def evaluate_many(self, games: list[Game]) -> list[Evaluation]:
        """Return what the network says of positions on boards of one size, evaluated in one batch.

        Raises:
            ValueError: if there are none, sizes differ, or the network does not fit the size.
        """
        if len({game.size for game in games}) != 1:
            raise ValueError("evaluate_many takes one or more games on boards of one size")
        size = games[0].size
        planes = np.zeros((len(games), num_planes(self._net.config.planes), size, size), dtype=np.float32)
        write_planes = make_write_planes(self._net.config.planes)
        for game, rows in zip(games, planes, strict=True):
            state = game.state
            write_planes(state.board, recent_of(state)[0], state.komi, state.rules.has_superko, rows)
        outputs = self._backend.evaluate(planes)
        return [
            Evaluation(
                _policy_of(game, outputs.policy[index]),
                win=float(outputs.wdl[index, 0]),
                draw=float(outputs.wdl[index, 1]),
                loss=float(outputs.wdl[index, 2]),
                score=float(outputs.score[index]),
                ownership=outputs.ownership[index].reshape(size, size).copy(),
            )
            for index, game in enumerate(games)
        ]

    def __repr__(self) -> str:
        return f"<Network {self.name}, run by {self._backend.name}>"


def _policy_of(game: Game, logits: np.ndarray) -> dict[str, float]:
    state = game.state
    moves = [*state.legal_points(state.to_play), PASS]
    chosen = logits[[action_of_move(move, game.size) for move in moves]].astype(np.float64)
    powers = np.exp(chosen - chosen.max())
    shares = powers / powers.sum()
    return {vertex_of(moves[index], game.size): float(shares[index]) for index in np.argsort(-shares, kind="stable")}
