"""Recorded games wherever they are: files and folders of game data or SGF, as arrays."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from miai.engine.go.game_files import sgf_files
from miai.selfplay.data.format import GameFile, game_files, join_games, read_games
from miai.selfplay.import_games import GAMES_A_FILE, read_sgf_games


class GameSource(NamedTuple):
    """Games of one board size."""

    name: str
    """For messages."""
    load: Callable[[], GameFile]
    """Returns the games; raises a DataError if they cannot be read."""


def game_sources(paths: Sequence[Path], komi: float, report: Callable[[str], None]) -> Iterator[GameSource]:
    """Yield the games of some files and folders, in their order.

    Args:
        paths: files of game data or SGF, or folders; a folder is searched for SGF if it holds no game data.
        komi: of SGF files that name none.
        report: told of each SGF file that is left out.
    """
    for given in paths:
        files = (game_files(given) or sgf_files([given])) if given.is_dir() else [given]
        for path in files:
            if path.suffix == ".npz":
                yield GameSource(str(path), partial(read_games, path))
        yield from _sgf_sources([path for path in files if path.suffix != ".npz"], komi, report)


def _sgf_sources(paths: Sequence[Path], komi: float, report: Callable[[str], None]) -> Iterator[GameSource]:
    for first in range(0, len(paths), GAMES_A_FILE):
        games = list(read_sgf_games(paths[first : first + GAMES_A_FILE], komi, report))
        for size in sorted({game.size for game in games}):
            file = join_games([game for game in games if game.size == size])
            yield GameSource(f"SGF of {paths[first].parent}", partial(_itself, file))


def _itself(file: GameFile) -> GameFile:
    return file
