"""Where the games of a match are played: engines of this machine, or of a cluster's machines."""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from miai.gtp.client import Client
from miai.match.contestants import Contestant, start_engine
from miai.match.engines import Engine, EngineFailed
from miai.match.referee import GameSettings, PlayedGame, Referee
from miai.match.results import GameResult
from miai.match.schedule import SIDES, ScheduledGame
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions

_MAX_FAILURES = 10
"""Games in a row that a side may forfeit before the match is given up."""


class MatchAborted(Exception):
    """A match that makes no sense to go on with; the text tells why."""


class FailureWatch:
    """Gives a match up once a side forfeits game after game."""

    def __init__(self) -> None:
        self._failures = dict.fromkeys(SIDES, 0)

    def note(self, result: GameResult) -> None:
        """Take note of a finished game.

        Raises:
            MatchAborted: if a side has forfeited `_MAX_FAILURES` games in a row.
        """
        for side in SIDES:
            self._failures[side] = self._failures[side] + 1 if result.failed_side == side else 0
            if self._failures[side] >= _MAX_FAILURES:
                raise MatchAborted(
                    f"engine {side} failed in {_MAX_FAILURES} games in a row, at last in game {result.number}: "
                    f"{result.reason}"
                )


class MatchTable(Protocol):
    """An engine of each side, who play one game at a time."""

    def check(self) -> dict[str, str]:
        """Start both engines and try the board's size; return their names and versions by side.

        Raises:
            MatchAborted: if one does not work.
        """

    def conduct(self, scheduled: ScheduledGame) -> PlayedGame:
        """Play a game."""

    def kill(self) -> None:
        """End the engines from another thread, at once and for good."""

    def close(self) -> None:
        """End the engines."""


class LocalTable:
    """A table on this machine."""

    def __init__(self, starters: Mapping[str, Callable[[], Client]], settings: GameSettings) -> None:
        self.settings = settings
        self._engines = {side: Engine(side, starters[side]) for side in SIDES}

    def check(self) -> dict[str, str]:
        """Start both engines and try the board's size; return their names and versions by side.

        Raises:
            MatchAborted: if one does not work.
        """
        return {side: check_engine(engine, self.settings) for side, engine in self._engines.items()}

    def conduct(self, scheduled: ScheduledGame) -> PlayedGame:
        """Play a game."""
        return Referee(scheduled, self._engines, self.settings).conduct()

    def kill(self) -> None:
        """End the engines from another thread, at once and for good."""
        for engine in self._engines.values():
            engine.kill()

    def close(self) -> None:
        """End the engines."""
        for engine in self._engines.values():
            engine.close()


def check_engine(engine: Engine, settings: GameSettings) -> str:
    """Start an engine and try the board's size; return its name and version.

    Raises:
        MatchAborted: if it does not work.
    """
    try:
        name = engine.connect()
        engine.begin(settings.size, settings.komi, settings.told_time, seed=1)
    except EngineFailed as failure:
        raise MatchAborted(f"engine {engine.side} cannot play: {failure}") from failure
    return name


def prepare_starters(
    contestants: Mapping[str, Contestant], settings: GameSettings, folder: Path
) -> dict[str, Callable[[], Client]]:
    """Return what starts an engine of each side, after writing config files to the folder."""
    options = GameOptions(settings.size, settings.komi, settings.rules)
    return {
        side: functools.partial(start_engine, contestant.prepare(folder / f"{side}.toml", options))
        for side, contestant in contestants.items()
    }


def read_workers(text: str) -> str | None:
    """Return the address of the Ray cluster that plays; None for this machine.

    Raises:
        OptionError: naming what is allowed.
    """
    name, _, address = text.partition(":")
    if text == "local":
        return None
    if name != "ray":
        raise OptionError(
            f"workers: {text[:40]!r} is not allowed (allowed: local, ray, ray:ADDRESS as in ray:local or ray:HOST:PORT)"
        )
    return address or "auto"
