"""Positions drawn from recorded games, for players to choose moves in."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import PASS
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import SgfError, load_game
from miai.players.options import GameOptions


class SampledPosition(NamedTuple):
    """A position of a game."""

    path: Path
    """The game's file."""
    game: Game
    """Up to the position."""


def draw_positions(paths: Sequence[Path], seed: int, report: Callable[[str], None]) -> Iterator[SampledPosition]:
    """Yield the positions of some games in random order, one of each game before a second of any, none twice.

    The rules are Tromp-Taylor's, the komi the file's or 7. Left out are a game's last position, positions after a pass,
    where the next pass ends the game, and games that begin with stones on the board, which not every engine can set up.

    Args:
        paths: of SGF files.
        seed: of the order.
        report: told of each file that is left out.
    """
    rng = np.random.default_rng(seed)
    waiting: list[tuple[Path, Iterator[int]]] = []
    for path in paths:
        try:
            game = _load(path)
        except SgfError as error:
            report(f"left out: {path.name}: {error}")
            continue
        if game.setup_stones:
            report(f"left out: {path.name}: it begins with stones on the board")
            continue
        waiting.append((path, iter(rng.permutation(_numbers(game)).tolist())))
    rng.shuffle(waiting)
    seen = set()
    while waiting:
        still_waiting = []
        for path, numbers in waiting:
            number = next(numbers, None)
            if number is not None:
                game = _load(path, number + 1)
                what = game.size, game.komi, tuple(game.moves)
                if what not in seen:
                    seen.add(what)
                    yield SampledPosition(path, game)
                still_waiting.append((path, numbers))
        waiting = still_waiting


def _load(path: Path, move_number: int | None = None) -> Game:
    return load_game(path, move_number, RULES[GameOptions.rules], GameOptions.komi)[0]


def _numbers(game: Game) -> list[int]:
    """Return how many moves lead to each of a game's positions."""
    moves = game.moves
    return [number for number in range(len(moves)) if number == 0 or moves[number - 1][1] != PASS]
