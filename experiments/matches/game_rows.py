"""Games of experiments: how two players play one, and its row of results, who won and the moves."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from miai.engine.go.actions import action_of_move, move_of_action
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, RESIGN
from miai.engine.go.rules import RULES
from miai.experiments.running.pieces import Results
from miai.match.openings import Opening
from miai.players.player import Decision

RULES_NAME = "tromp-taylor"
"""Positional superko, and nothing is dead that was not taken."""

SIZE = 9
"""Of the papers' boards; Li & Lim have another one beside it."""

COUNTINGS = ("twogtp", "pairs")
"""How games are counted: games from the empty board, or openings of which each is played twice; see
`miai.experiments.matches.match_scores.score_of`."""


class GameRow(NamedTuple):
    """A finished game."""

    score: float
    """1, 1/2 or 0 for Black; NaN if the game did not end."""
    actions: list[int]


def new_game(size: int, komi: float, opening: Sequence[int] = ()) -> Game:
    """Return a game after the moves of an opening."""
    game = Game(size, komi, RULES[RULES_NAME])
    for move in opening:
        game.play(game.to_play, move)
    return game


def max_moves(size: int) -> int:
    """Return after how many moves a game ends without a result."""
    return 3 * size * size


def counted_score(game: Game) -> float:
    """Return what a game that is over is for Black: 1, 1/2 or 0."""
    return float(0.5 * (1.0 + np.sign(game.score())))


def played_game(game: Game, score: float) -> GameRow:
    """Return a game with Black's score."""
    return GameRow(score, [int(action_of_move(move, game.size)) for _, move in game.moves])


def pack_pairs(played: Sequence[GameRow], size: int) -> Results:
    """Return the rows of pairs of games, of which the first player has Black in every other one, beginning with Black.

    They are the first player's `score`, `plays_black`, `length`, and `moves`: actions, then -1.
    """
    plays_black = np.arange(len(played)) % 2 == 0
    scores = np.array([one.score for one in played], dtype=np.float64)
    moves = np.full((len(played), max_moves(size)), -1, dtype=np.int16)
    for row, one in zip(moves, played, strict=True):
        row[: len(one.actions)] = one.actions
    return {
        "score": np.where(plays_black, scores, 1.0 - scores),
        "plays_black": plays_black,
        "length": np.array([len(one.actions) for one in played], dtype=np.int16),
        "moves": moves,
    }


def replay(actions: np.ndarray, size: int, komi: float) -> Game:
    """Return the game of a row of `moves`."""
    return new_game(size, komi, [int(move_of_action(action, size)) for action in actions[actions >= 0]])


class Chooser(Protocol):
    """Who plays: a player, or one that is watched."""

    def choose(self, game: Game, color: int) -> Decision:
        """Decide on a move for `color`; the game stays as it is."""


def play_game(black: Chooser, white: Chooser, komi: float, opening: Opening = ()) -> GameRow:
    """Let two players play; return Black's score."""
    game = new_game(SIZE, komi, opening)
    score = float("nan")
    while len(game.moves) < max_moves(SIZE):
        color = game.to_play
        move = (black if color == BLACK else white).choose(game, color).move
        if move == RESIGN:
            score = 0.0 if color == BLACK else 1.0
            break
        game.play(color, move)
        if game.is_over:
            score = counted_score(game)
            break
    return played_game(game, score)
