"""Games to train on, made once for all tests."""

import functools
from pathlib import Path

import numpy as np

from miai.selfplay.data.format import GameFile, GameRecord, join_games, write_games
from tests.selfplay.games_for_tests import random_game, record_of


@functools.cache
def records(number: int = 6, first: int = 0) -> tuple[GameRecord, ...]:
    """Return games of 40 random moves; those of odd seeds begin with stones set up."""
    return tuple(record_of(random_game(seed, num_moves=40), seed) for seed in range(first, first + number))


def games_file(number: int = 6) -> GameFile:
    """Return such games as arrays."""
    return join_games(records(number))


def game_of_row(file: GameFile) -> np.ndarray:
    """Return the game of each row."""
    return np.repeat(np.arange(len(file.games)), file.games["num_moves"])


def write_files(folder: Path, number: int = 2) -> list[Path]:
    """Write files of six games each."""
    return [write_games(folder, records(6, 6 * index)) for index in range(number)]
