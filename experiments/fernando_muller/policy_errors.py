"""What policies and short searches lose by their moves, in annotated positions (Fernando & Müller 2013, 3.4)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.points import RESIGN
from miai.experiments.fernando_muller.annotations import AnnotatedPosition
from miai.experiments.fernando_muller.mcts_of_policies import MctsReading, mcts_options, player_of
from miai.experiments.fernando_muller.published import LINES, policy_of
from miai.experiments.report_tables import mean_and_error
from miai.experiments.running.pieces import Results
from miai.playouts.distribution import make_distribution
from miai.playouts.workspace import new_playout_workspace

SEARCHES = "searches"
"""Folder of the pieces of short searches, beside the annotated positions that they are of."""
BLUNDER_POINTS = 5.0
"""A blunder loses the game and so many points."""
PHASES = (("first 24 moves", 0, 25), ("moves 25 to 44", 25, 45), ("from move 45 on", 45, 10_000))
"""Name and bounds of the phases of the game, by how many moves were made."""


class PolicyErrors(NamedTuple):
    """What a policy's moves cost in each position; NaN where superko forbids all that it proposes."""

    losses: np.ndarray
    """float64 [positions]: expected points lost, by the value of the position as annotated."""
    losses_to_best: np.ndarray
    """float64 [positions]: the same by the value of its best move."""
    blunders: np.ndarray
    """float64 [positions]: chance of a blunder."""

    def mean_and_error(self, column: str) -> tuple[float, float]:
        """Return the mean of a column over positions and its standard error; see `mean_and_error`."""
        return mean_and_error(getattr(self, column))

    def among(self, rows: np.ndarray) -> "PolicyErrors":
        """Return those of some positions."""
        return PolicyErrors(*(column[rows] for column in self))


def action_probabilities(policy: str, game: Game) -> np.ndarray:
    """Return a layered policy's exact probability of each action in a position, float64 [size² + 1]."""
    size = game.size
    found = np.zeros(len(game.board["color"]))
    make_distribution(policy)(game.board, new_playout_workspace(size)[0], found)
    actions = np.zeros(size * size + 1)
    for move in np.flatnonzero(found):
        actions[int(action_of_move(int(move), size))] += found[move]
    return actions


def errors_of(positions: Sequence[AnnotatedPosition], probabilities: np.ndarray) -> PolicyErrors:
    """Return what moves of these probabilities cost, float64 [positions, actions].

    Policies know simple ko only: what superko forbids has no value and is left out, and the rest is scaled to 1. Where
    nothing is left the position says nothing of the policy: NaN.
    """
    columns: list[list[float]] = [[], [], []]
    for position, row in zip(positions, probabilities, strict=True):
        losses = position.losses
        is_known = np.isfinite(losses)
        weights = np.where(is_known, row, 0.0)
        if not weights.any():
            for column in columns:
                column.append(float("nan"))
            continue
        weights /= weights.sum()
        loss = float((weights[is_known] * losses[is_known]).sum())
        columns[0].append(loss)
        columns[1].append(loss - float(losses[is_known].min()))
        columns[2].append(float(weights[position.is_blunder(BLUNDER_POINTS)].sum()))
    return PolicyErrors(*map(np.array, columns))


def errors_of_lines(positions: Sequence[AnnotatedPosition], base: str) -> dict[str, PolicyErrors]:
    """Return what each policy of the paper's tables loses."""
    return {
        line: errors_of(
            positions, np.stack([action_probabilities(policy_of(line, base), one.game) for one in positions])
        )
        for line in LINES
    }


def phase_rows(positions: Sequence[AnnotatedPosition]) -> dict[str, np.ndarray]:
    """Return the indices of the positions of each phase that has any."""
    numbers = np.array([len(position.game.moves) for position in positions])
    rows = {name: np.flatnonzero((numbers >= low) & (numbers < high)) for name, low, high in PHASES}
    return {name: found for name, found in rows.items() if len(found)}


ErrorsByName = Mapping[str, PolicyErrors]
"""By the name of the policy."""


@dataclass(frozen=True)
class ShortSearchPlan:
    """Searches of annotated positions, to see what their moves lose beside the policy's own."""

    positions: tuple[AnnotatedPosition, ...]
    policies: tuple[str, ...]
    simulations: tuple[int, ...]
    digest: str
    """Of the set that the positions are the first of."""
    reading: MctsReading
    """What the search is beside its policy."""
    seed: int

    @property
    def num_pieces(self) -> int:
        """A piece is a position."""
        return len(self.positions)

    def rows_of(self, piece: int) -> int:
        """Return 1."""
        return 1

    def signature(self) -> dict[str, Any]:
        """Return what decides the result of a piece."""
        return {
            "experiment": "short searches",
            "positions": self.digest,
            "policies": list(self.policies),
            "simulations": list(self.simulations),
            **self.reading.describe(),
            "seed": self.seed,
        }

    @property
    def name(self) -> str:
        """A name for the folder of its pieces: what another search decides has another one."""
        return hashlib.sha256(json.dumps(self.signature()).encode()).hexdigest()[:16]

    def run_piece(self, piece: int) -> Results:
        """Return `actions`, int16 [1, policies, simulations]: what MCTS(P) plays."""
        game = self.positions[piece].game
        chosen = np.zeros((1, len(self.policies), len(self.simulations)), dtype=np.int16)
        for row, policy in enumerate(self.policies):
            for column, number in enumerate(self.simulations):
                player = player_of(mcts_options(policy, number, self.reading))
                player.set_seed(int(np.random.default_rng([self.seed, piece, row, number]).integers(1 << 31)))
                report = player.choose(game, game.to_play)
                move = report.move if report.move != RESIGN else report.move_if_played_on
                chosen[0, row, column] = int(action_of_move(move, game.size))
        return {"actions": chosen}


def errors_of_searches(plan: ShortSearchPlan, results: Results) -> Mapping[tuple[str, int], PolicyErrors]:
    """Return what the moves of each search lose, by policy and simulations."""
    positions = plan.positions
    found = {}
    for row, policy in enumerate(plan.policies):
        for column, number in enumerate(plan.simulations):
            chosen = np.zeros((len(positions), positions[0].game.size ** 2 + 1))
            chosen[np.arange(len(positions)), results["actions"][:, row, column]] = 1.0
            found[policy, number] = errors_of(positions, chosen)
    return found
