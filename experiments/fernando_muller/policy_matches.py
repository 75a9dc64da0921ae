"""Matches of MCTS(P) against MCTS(F), and of MCTS(only one layer) against MCTS(R) (Fernando & Müller 2013, table 2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.experiments.fernando_muller.mcts_of_policies import MctsReading, mcts_options, player_of
from miai.experiments.fernando_muller.published import ADDITIVE, LINES, opponent_of, policy_of
from miai.experiments.matches.game_rows import SIZE, GameRow, pack_pairs, play_game
from miai.experiments.running.pieces import Results
from miai.match.openings import Opening

PAPER_GAMES = 2000
"""Of a subtractive policy."""
PAPER_ADDITIVE_GAMES = 500
"""Of an additive one: a quarter as many."""


def games_of(line: str, games: int) -> int:
    """Return how many games a line has: as many as are asked for, but no more of the additive ones than the paper has.

    Beyond the paper's size the additive ones have a quarter. Even for an even number.
    """
    return min(games, max(PAPER_ADDITIVE_GAMES, games // 8 * 2)) if line in ADDITIVE else games


def games_for(line: str, number: int) -> int:
    """Return how many games must be asked for so that a line has so many."""
    return 4 * number if line in ADDITIVE and number > PAPER_ADDITIVE_GAMES else number


@dataclass(frozen=True)
class PolicyMatchPlan:
    """What the experiment runs: for each line of the paper's table, pairs of games with the colours swapped."""

    lines: tuple[str, ...]
    base: str
    games: int
    """Of each line, see `games_of`."""
    simulations: int
    komi: float
    counting: str
    """One of `miai.experiments.matches.game_rows.COUNTINGS`."""
    reading: MctsReading
    """What both searches are beside their policies."""
    seed: int
    openings: tuple[Opening, ...] = ()
    """One for each pair, if they are counted so."""

    @property
    def num_pieces(self) -> int:
        """A piece is a pair of games of a line; there are numbers for all lines, so that some may be added later."""
        return len(LINES) * (self.games // 2)

    def games_of(self, line: str) -> int:
        """Return how many games a line has."""
        return games_of(line, self.games)

    def rows_of(self, piece: int) -> int:
        """Return 2, or 0 if the line has no such pair."""
        pair, place = divmod(piece, len(LINES))
        return 2 if LINES[place] in self.lines and 2 * pair < self.games_of(LINES[place]) else 0

    def signature(self) -> dict[str, Any]:
        """Return what decides the games of a piece."""
        return {
            "experiment": "policies",
            "base": self.base,
            "random": policy_of("R", self.base),
            "simulations": self.simulations,
            "komi": self.komi,
            "counting": self.counting,
            **self.reading.describe(),
            "seed": self.seed,
        }

    def run_piece(self, piece: int) -> Results:
        """Play a pair; return `line`, MCTS(P)'s `score`, `plays_black`, `length`, and `moves`: actions, then -1."""
        pair, place = divmod(piece, len(LINES))
        line = LINES[place]
        opening = self.openings[pair] if self.openings else ()
        played = [self._play(line, place, 2 * pair + swap, opening) for swap in (0, 1)]
        return {"line": np.full(2, place, dtype=np.int16), **pack_pairs(played, SIZE)}

    def _play(self, line: str, place: int, number: int, opening: Opening) -> GameRow:
        """Play a game; the even ones MCTS(P) begins."""
        names = (policy_of(line, self.base), policy_of(opponent_of(line), self.base))
        players = [
            player_of(mcts_options(name, self.simulations, self.reading), side) for side, name in enumerate(names)
        ]
        for side, player in enumerate(players):
            player.set_seed(int(np.random.default_rng([self.seed, place, number, side]).integers(1 << 31)))
        black = number % 2
        return play_game(players[black], players[1 - black], self.komi, opening)
