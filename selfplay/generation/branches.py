"""Games that leave recorded games: where they do, and what came before."""

import functools
from pathlib import Path

import numpy as np

from miai.engine.go.actions import move_of_action
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.rules import Rules
from miai.engine.log import log
from miai.selfplay.data.format import DataError, GameFile
from miai.selfplay.data.sgf import set_up
from miai.selfplay.game_sources import game_sources

_KOMI = 7.0
"""Of SGF files that name none."""


@functools.lru_cache(maxsize=2)
def recorded_games(folder: str, size: int) -> tuple[GameFile, ...]:
    """Return the games of one board size in a folder.

    Raises:
        DataError: if there are none.
    """
    found = []
    for source in game_sources([Path(folder)], _KOMI, log):
        try:
            file = source.load()
        except DataError as error:
            log(f"left out: {error}")
            continue
        if file.size == size:
            found.append(file)
    if not found:
        raise DataError(f"{folder}: there are no games of size {size} to branch off from")
    return tuple(found)


def branch_off(files: tuple[GameFile, ...], rules: Rules, rng: np.random.Generator) -> Game:
    """Return a game that has begun as one of those in the files, drawn as the number of its moves is, with its komi."""
    numbers = np.array([len(file.games) for file in files])
    index = int(rng.integers(numbers.sum()))
    part = int(np.searchsorted(np.cumsum(numbers), index, side="right"))
    record = files[part].game(index - int(numbers[:part].sum()))
    game = Game(record.size, record.komi, rules)
    set_up(game, record)
    length = int(rng.integers(len(record.moves))) if record.moves else 0
    for color, move in zip(record.colors[:length], record.moves, strict=False):
        try:
            game.play(color, move_of_action(move, game.size))
        except IllegalMove:  # by other rules than those of the record
            break
        if game.is_over:
            game.undo()
            break
    return game
