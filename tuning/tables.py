"""Who plays the games of a tuning: pairs of engines or processes on this machine, or a Ray cluster."""

import functools
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from miai.match.contestants import Contestant, start_engine
from miai.match.engines import Engine
from miai.match.game_record import record_game
from miai.match.referee import GameSettings, Referee
from miai.match.results import GameResult
from miai.match.schedule import SIDES, ScheduledGame
from miai.match.tables import check_engine, prepare_starters, read_workers
from miai.players.options import GameOptions


@dataclass(frozen=True)
class GameJob:
    """A game with all that is needed to play it."""

    contestants: dict[str, Contestant]
    """By side."""
    settings: GameSettings
    game: ScheduledGame


@dataclass
class GameReport:
    """A finished game."""

    result: GameResult
    sgf: bytes


class TableClosed(Exception):
    """The table was closed while a game was to be played."""


class TuningTable:
    """An engine for each side, kept from game to game while the same player sits there."""

    def __init__(self, folder: Path) -> None:
        """Write config files of players to a folder of the table's own."""
        self._folder = folder
        self._seats: dict[str, tuple[object, Engine]] = {}
        self._is_closed = False

    def play(self, job: GameJob) -> GameReport:
        """Play a game."""
        engines = {side: self._seat(side, job) for side in SIDES}
        if self._is_closed:
            self.close()
            raise TableClosed
        played = Referee(job.game, engines, job.settings).conduct()
        labels = {side: contestant.label for side, contestant in job.contestants.items()}
        return GameReport(played.result, record_game(played, job.settings.rules, labels))

    def close(self) -> None:
        """End the engines at once; a game under way is lost. Other threads may call it."""
        self._is_closed = True
        for _, engine in list(self._seats.values()):
            engine.kill()

    def _seat(self, side: str, job: GameJob) -> Engine:
        contestant, settings = job.contestants[side], job.settings
        game = GameOptions(settings.size, settings.komi, settings.rules)
        wanted = (contestant, game)
        if side in self._seats and self._seats[side][0] == wanted:
            return self._seats[side][1]
        if side in self._seats:
            self._seats.pop(side)[1].close()
        self._folder.mkdir(parents=True, exist_ok=True)
        command = contestant.prepare(self._folder / f"{side}.toml", game)
        engine = Engine(side, functools.partial(start_engine, command))
        self._seats[side] = (wanted, engine)
        return engine


def check_engines(job: GameJob, folder: Path) -> None:
    """Start both engines, so that one that cannot play is told before any game, and what they need is compiled once.

    Raises:
        MatchAborted: if one cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for side, start in prepare_starters(job.contestants, job.settings, folder).items():
        engine = Engine(side, start)
        try:
            check_engine(engine, job.settings)
        finally:
            engine.close()


class Tables(Protocol):
    """Does jobs of trials, several at a time."""

    num_tables: int
    """How many."""

    def check(self, job: Any) -> None:
        """Make sure, before the first one, that such jobs can be done; raises MatchAborted if not."""

    def submit(self, job: Any) -> "Future[Any]":
        """Have a job done."""

    def report_of(self, future: "Future[Any]") -> Any:
        """Return what was played; raises PiecesFailed if it could not be."""

    def close(self) -> None:
        """End all games at once."""


class LocalTables:
    """Tables on this machine, a thread each; the engines are processes of their own."""

    def __init__(self, num_tables: int, folder: Path) -> None:
        """Make tables whose config files lie in a folder."""
        self.num_tables = num_tables
        self._folder = folder
        self._pool = ThreadPoolExecutor(num_tables, "tuning-table")
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._tables: list[TuningTable] = []
        self._is_closed = False

    def check(self, job: GameJob) -> None:
        """Make sure that the engines can play."""
        check_engines(job, self._folder)

    def submit(self, job: GameJob) -> "Future[GameReport]":
        """Have a game played."""
        return self._pool.submit(self._play, job)

    def report_of(self, future: "Future[GameReport]") -> GameReport:
        """Return a finished game."""
        return future.result()

    def close(self) -> None:
        """End all games at once."""
        with self._lock:
            self._is_closed = True
            for table in self._tables:
                table.close()
        self._pool.shutdown(cancel_futures=True)

    def _play(self, job: GameJob) -> GameReport:
        with self._lock:
            if self._is_closed:
                raise TableClosed
            if not hasattr(self._of_thread, "table"):
                self._of_thread.table = TuningTable(self._folder / str(len(self._tables) + 1))
                self._tables.append(self._of_thread.table)
        return self._of_thread.table.play(job)


def make_tables(text: str, num_tables: int, threads: int, folder: Path) -> Tables:
    """Return tables by name, see `miai.match.tables.read_workers`.

    Args:
        text: the name.
        num_tables: games at once on this machine; a cluster has as many as it has processors for.
        threads: that a player uses.
        folder: for config files of this machine's tables.

    Raises:
        ValueError: naming what is allowed.
        PiecesFailed: if there is no such cluster.
    """
    address = read_workers(text)
    if address is None:
        return LocalTables(num_tables, folder)
    from miai.tuning.ray_tables import RayTables, play_game

    return RayTables(address, threads, play_game, functools.partial(check_engines, folder=folder))
