"""Games from files, position by position."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.go.board import new_board, place_stone, play
from miai.engine.go.game import Game
from miai.engine.go.sgf import GameInfo, SgfError, load_game
from miai.engine.log import log
from miai.engine.progress import progress_bar


def sgf_files(sources: Iterable[Path]) -> list[Path]:
    """Return the files among `sources` and the SGF files in the folders among them and in their subfolders."""
    return [path for given in sources for path in (sorted(given.rglob("*.sgf")) if given.is_dir() else [given])]


class ReadGame(NamedTuple):
    """A game, and what its file says of it."""

    path: Path
    game: Game
    info: GameInfo


def read_games(folder: Path) -> tuple[list[ReadGame], int]:
    """Return the games in a folder and its subfolders, and how many files could not be read; those are named."""
    games = []
    num_broken = 0
    for path in progress_bar(sgf_files([folder]), unit="game"):
        try:
            games.append(ReadGame(path, *load_game(path)))
        except SgfError as error:
            log(f"{path}: {error}")
            num_broken += 1
    return games, num_broken


def positions_of_game(game: Game) -> Iterator[tuple[np.void, int]]:
    """Yield each position of a game, as a board that is overwritten by the next, and the move played there."""
    boards = new_board(game.size)
    for point, color in game.setup_stones.items():
        place_stone(boards[0], point, color)
    for color, move in game.moves:
        boards[0]["to_play"] = color
        yield boards[0], move
        play(boards[0], move)
