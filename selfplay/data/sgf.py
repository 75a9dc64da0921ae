"""Recorded games as games of Go, for SGF files and people."""

import math
from collections.abc import Mapping

import numpy as np

from miai.engine.go.actions import action_of_move, move_of_action
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.go.rules import POSITIONAL, SIMPLE, Rules
from miai.engine.go.sgf import GameInfo
from miai.selfplay.data.format import GameRecord


def result_text(record: GameRecord) -> str:
    """Return SGF's result: `B+3.5`, `W+R` where there is no score, `0` for a draw; empty if it is unknown."""
    if math.isnan(record.result):
        return ""
    if record.result == 0.5:
        return "0"
    winner = "B" if record.result > 0.5 else "W"
    return f"{winner}+R" if math.isnan(record.score) else f"{winner}+{abs(record.score):g}"


def setup_of(stones: Mapping[int, int], size: int) -> np.ndarray:
    """Return a record's `setup`, int8 [size·size], of stones by point."""
    setup = np.zeros(size**2, dtype=np.int8)
    for point, color in stones.items():
        setup[action_of_move(point, size)] = color
    return setup


def set_up(game: Game, record: GameRecord) -> None:
    """Let a new game begin with the stones that a record begins with.

    Raises:
        ValueError: if there can be no such position.
    """
    if record.setup is not None and record.setup.any():
        stones = {
            move_of_action(int(index), game.size): int(record.setup[index]) for index in record.setup.nonzero()[0]
        }
        game.set_up(stones, record.colors[0] if record.colors else BLACK)


def game_of_record(record: GameRecord) -> Game:
    """Return the game at its end.

    Raises:
        ValueError: if it has an illegal move or set-up.
    """
    rules = Rules(POSITIONAL if record.has_superko else SIMPLE, record.suicide)
    game = Game(record.size, record.komi, rules)
    set_up(game, record)
    for color, index in zip(record.colors, record.moves, strict=True):
        game.play(color, move_of_action(index, record.size))
    return game


def info_of_record(record: GameRecord, player: str) -> GameInfo:
    """Return what an SGF file says of a game by `player`; comments are the values for the player to move."""
    values = {number: f"{value:.3f}" for number, value in enumerate(record.root_values) if not math.isnan(value)}
    return GameInfo(black=player, white=player, result=result_text(record), comments=values)
