"""A folder of games that is added to game by game and can be left at any instant.

    FOLDER/games-00000001.npz     some dozens of games each, for readers
    FOLDER/waiting/games-….npz    finished games, one a file, until there are enough for a file
    FOLDER/.lock                  held while a program adds games

A finished game is on the disk at once. A kill between the writing of a file and the removal of its waiting games leaves
those twice; they are known by their seeds and dropped at the next start.
"""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from miai.engine.locking import take_lock
from miai.selfplay.data.format import DataError, GameRecord, game_files, read_games, write_games

GAMES_A_FILE = 32
_MAX_IN_MEMORY = 256
"""Games that may wait for room on the disk before that is an error."""


class StoreError(Exception):
    """A folder that games cannot be added to; the text tells why and what to do."""


@functools.lru_cache(maxsize=1 << 16)
def _read_heads(path: Path, length: int, changed: int) -> np.ndarray:
    return read_games(path).games


def _heads_of_whole_file(path: Path) -> np.ndarray:
    """Return the heads of a file's games, GAME_DTYPE [games], if all of it can be read.

    A process reads a file that does not change only once: the thousands of a large folder take a while.

    Raises:
        DataError: as `read_games`.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    return _read_heads(path, found.st_size, found.st_mtime_ns)


class GameStore:
    """A folder of games, locked while it is open."""

    def __init__(self, folder: Path, warn: Callable[[str], None], games_a_file: int = GAMES_A_FILE) -> None:
        """Open a folder, which is made if it is missing, and find out which games it holds.

        Args:
            folder: where the games are.
            warn: told of files that cannot be read and of games that cannot be written yet.
            games_a_file: how many waiting games make a file.

        Raises:
            StoreError: if the folder is in use or cannot be written.
        """
        self.folder = folder
        self._warn = warn
        self._games_a_file = games_a_file
        self._unwritten: list[GameRecord] = []
        self._has_warned = False
        self.num_positions = 0
        """Moves of all games in whole files, waiting ones included."""
        self.seeds: set[int] = set()
        """Of all games in the folder."""
        self._waiting: list[GameRecord] = []
        self._waiting_files: list[Path] = []
        try:
            self._waiting_folder.mkdir(parents=True, exist_ok=True)
            lock = take_lock(folder / ".lock", "waiting", "sgf")
        except OSError as error:
            raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
        if lock is None:
            raise StoreError(f"{folder} is in use by another miai")
        self._lock = lock
        try:
            self._take_stock()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> "GameStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    @property
    def _waiting_folder(self) -> Path:
        return self.folder / "waiting"

    def add(self, game: GameRecord) -> None:
        """Keep a game: it is on the disk when this returns, unless that cannot be written just now.

        Raises:
            StoreError: if too many games could not be written.
        """
        self._count(game.seed, len(game.moves))
        self._unwritten.append(game)
        self._write()
        if len(self._unwritten) > _MAX_IN_MEMORY:
            raise StoreError(f"{len(self._unwritten)} games could not be written to {self.folder}")

    def add_file(self, games: Sequence[GameRecord]) -> None:
        """Keep games of one board size as a file of their own, for games that could be had again.

        Raises:
            StoreError: if it cannot be written.
        """
        try:
            write_games(self.folder, games)
        except OSError as error:
            raise StoreError(f"cannot write to {self.folder}: {error.strerror}") from error
        for game in games:
            self._count(game.seed, len(game.moves))

    def finish(self) -> None:
        """Put the games that wait into a file, however few.

        Raises:
            StoreError: if there are games that cannot be written.
        """
        self._write()
        if self._unwritten:
            raise StoreError(
                f"{len(self._unwritten)} games could not be written to {self.folder}: make room; the same command "
                "plays them again"
            )
        try:
            self._make_file()
        except OSError as error:
            raise StoreError(
                f"cannot write to {self.folder}: {error.strerror}; {len(self._waiting)} games wait in "
                f"{self._waiting_folder} for the next start"
            ) from error

    def _count(self, seed: int, num_moves: int) -> None:
        self.seeds.add(seed)
        self.num_positions += num_moves

    def _take_stock(self) -> None:
        for path in game_files(self.folder):
            try:
                for head in _heads_of_whole_file(path):
                    self._count(int(head["seed"]), int(head["num_moves"]))
            except DataError as error:
                self._warn(f"left out: {error}")
        for path in game_files(self._waiting_folder):
            try:
                games = [game for game in read_games(path).records() if game.seed not in self.seeds]
            except DataError as error:
                self._warn(f"left out: {error}")
                continue
            for game in games:
                self._count(game.seed, len(game.moves))
            self._waiting += games
            self._waiting_files.append(path)

    def _write(self) -> None:
        """Bring games to the disk; those that cannot be written stay in memory until the next time."""
        try:
            while self._unwritten:
                self._waiting_files.append(write_games(self._waiting_folder, self._unwritten[:1]))
                self._waiting.append(self._unwritten.pop(0))
            if len(self._waiting) >= self._games_a_file:
                self._make_file()
        except OSError as error:
            if not self._has_warned:
                self._warn(f"cannot write to {self.folder}: {error.strerror}; finished games wait for room")
            self._has_warned = True
        else:
            self._has_warned = False

    def _make_file(self) -> None:
        """Put the games that wait into a file for each board size, the one that there is as a rule."""
        for size in sorted({game.size for game in self._waiting}):
            write_games(self.folder, [game for game in self._waiting if game.size == size])
            self._waiting = [game for game in self._waiting if game.size != size]
        while self._waiting_files:
            self._waiting_files[-1].unlink(missing_ok=True)
            self._waiting_files.pop()
