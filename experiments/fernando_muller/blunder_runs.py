"""Games of policies without a search, every position judged by MCTS(F) (Fernando & Müller 2013, section 3.2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.board import new_board, play
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.go.rules import SIMPLE, Rules
from miai.experiments.fernando_muller.mcts_of_policies import MctsReading, mcts_options, player_of
from miai.experiments.fernando_muller.published import SUBTRACTIVE, policy_of
from miai.experiments.running.pieces import Results
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

SIZE = 9
MAX_MOVES = 3 * SIZE * SIZE
IGNORED_MOVES = 10
"""At the beginning of a game."""
HIGH, LOW = 0.75, 0.25
"""A blunder takes the mover's chances from above the first to below the second."""
PAPER_GAMES = 100


@dataclass(frozen=True)
class BlunderPlan:
    """What the experiment runs: games of each subtractive policy with itself."""

    lines: tuple[str, ...]
    base: str
    games: int
    simulations: int
    komi: float
    reading: MctsReading
    """What the judge is beside its policy."""
    seed: int

    @property
    def num_pieces(self) -> int:
        """A piece is a game of a line; there are numbers for all lines, so that some may be added later."""
        return len(SUBTRACTIVE) * self.games

    def rows_of(self, piece: int) -> int:
        """Return 1, or 0 for a line that is not asked for."""
        return int(SUBTRACTIVE[piece % len(SUBTRACTIVE)] in self.lines)

    def signature(self) -> dict[str, Any]:
        """Return what decides the result of a piece."""
        return {
            "experiment": "blunders",
            "base": self.base,
            "simulations": self.simulations,
            "komi": self.komi,
            **self.reading.describe(),
            "seed": self.seed,
        }

    def run_piece(self, piece: int) -> Results:
        """Play and judge a game; return `line`, `length`, `moves` as actions, -1 behind, and `values`.

        `values[t]` are Black's chances after t moves; NaN for the moves that are ignored and behind the end.
        """
        number, place = divmod(piece, len(SUBTRACTIVE))
        moves = play_policy(policy_of(SUBTRACTIVE[place], self.base), (self.seed, place, number))
        actions = np.full((1, MAX_MOVES), -1, dtype=np.int16)
        actions[0, : len(moves)] = [action_of_move(move, SIZE) for move in moves]
        return {
            "line": np.full(1, place, dtype=np.int16),
            "length": np.array([len(moves)], dtype=np.int16),
            "moves": actions,
            "values": self._judge(moves, piece)[np.newaxis],
        }

    def _judge(self, moves: list[int], piece: int) -> np.ndarray:
        """Return Black's chances after each move from the last ignored one on, each from a search of its own."""
        player = player_of(mcts_options(self.base, self.simulations, self.reading))
        game = Game(SIZE, self.komi, Rules(SIMPLE, suicide=False))
        values = np.full(MAX_MOVES + 1, np.nan)
        for number in range(len(moves) + 1):
            if game.is_over:
                values[number] = 0.5 * (1.0 + np.sign(game.score()))
            elif number >= IGNORED_MOVES:
                player.set_seed(int(np.random.default_rng([self.seed, piece, number]).integers(1 << 31)))
                value = player.search(game, game.to_play).value
                values[number] = value if game.to_play == BLACK else 1.0 - value
            if number < len(moves):
                game.play(game.to_play, moves[number])
        return values


def play_policy(policy: str, seeds: tuple[int, ...]) -> list[int]:
    """Return the moves of a game that a policy plays with itself, passes included, until two passes or `MAX_MOVES`.

    As over GTP, each move is the first of a playout of its own (Fuego 1585, `GoUctPlayer::GenMovePlayoutPolicy`), so
    that random moves are uniform.
    """
    choose = make_policy(policy).choose
    workspace = new_playout_workspace(SIZE, *seeds)
    boards = new_board(SIZE)
    moves: list[int] = []
    while boards[0]["num_passes"] < 2 and len(moves) < MAX_MOVES:
        moves.append(int(choose(boards[0], workspace[0])))
        play(boards[0], moves[-1])
    return moves


def blunders_of(values: np.ndarray, length: int) -> list[int]:
    """Return the numbers, from 1, of the moves that are blunders.

    Args:
        values: Black's chances after each number of moves; Black makes the odd moves.
        length: moves of the game.
    """
    found = []
    for number in range(IGNORED_MOVES + 1, length + 1):
        before, after = values[number - 1], values[number]
        if number % 2 == 0:
            before, after = 1.0 - before, 1.0 - after
        if before > HIGH and after < LOW:
            found.append(number)
    return found
