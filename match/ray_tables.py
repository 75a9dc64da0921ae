"""Tables on a Ray cluster; miai and the players' programs must be on all its machines, in the same version."""

import contextlib
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from miai.match.contestants import Contestant
from miai.match.referee import GameSettings, PlayedGame
from miai.match.schedule import ScheduledGame
from miai.match.tables import LocalTable, MatchAborted, prepare_starters

_MAX_LOSSES = 5
"""Machines in a row that a game may be lost on."""
_START_TIMEOUT = 600.0
"""Seconds for both engines of a table to start."""
_END_TIMEOUT = 10.0
"""The same to end."""


class RayTable:
    """A table on whichever machine has room; where that is lost, its game is played again on another one."""

    def __init__(self, contestants: Mapping[str, Contestant], settings: GameSettings, threads: int) -> None:
        self._arguments = (dict(contestants), settings)
        self._threads = threads
        self._actor: Any = None
        self._lock = threading.Lock()
        self._is_killed = False

    def check(self) -> dict[str, str]:
        """Start both engines and try the board's size; return their names and versions by side.

        Raises:
            MatchAborted: if one does not work.
        """
        try:
            return ray.get(self._seat().check.remote(), timeout=_START_TIMEOUT)
        except RayTaskError as error:
            raise MatchAborted(str(error.cause)) from None
        except RayError as error:
            raise MatchAborted(f"the Ray cluster cannot seat a table: {str(error).splitlines()[0]}") from None

    def conduct(self, scheduled: ScheduledGame) -> PlayedGame:
        """Play a game.

        Raises:
            MatchAborted: if it is lost again and again.
        """
        for _ in range(_MAX_LOSSES):
            try:
                return ray.get(self._seat().conduct.remote(scheduled))
            except RayTaskError as error:
                raise MatchAborted(str(error.cause)) from error
            except RayError as error:
                reason = str(error).splitlines()[0]
                self.close()
        raise MatchAborted(f"game {scheduled.number} was lost on {_MAX_LOSSES} machines, at last: {reason}")

    def kill(self) -> None:
        """End the engines from another thread, at once and for good."""
        self._is_killed = True
        if actor := self._leave():
            _kill(actor)

    def close(self) -> None:
        """End the engines, and leave nothing on their machine."""
        if actor := self._leave():
            with contextlib.suppress(RayError):
                ray.get(actor.close.remote(), timeout=_END_TIMEOUT)
            _kill(actor)

    def _leave(self) -> Any:
        with self._lock:
            actor, self._actor = self._actor, None
            return actor

    def _seat(self) -> Any:
        """Return the actor that plays, a new one if the last was lost."""
        with self._lock:
            if self._is_killed:
                raise MatchAborted("the match was stopped")
            if self._actor is None:
                self._actor = _Actor.options(num_cpus=self._threads).remote(*self._arguments)  # type: ignore[attr-defined]
            return self._actor


def _kill(actor: Any) -> None:
    with contextlib.suppress(RayError):
        ray.kill(actor)


@ray.remote(max_restarts=0)
class _Actor:
    """A table on a cluster's machine."""

    def __init__(self, contestants: Mapping[str, Contestant], settings: GameSettings) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="miai-table-")
        self._table = LocalTable(prepare_starters(contestants, settings, Path(self._folder.name)), settings)

    def check(self) -> dict[str, str]:
        return self._table.check()

    def conduct(self, scheduled: ScheduledGame) -> PlayedGame:
        return self._table.conduct(scheduled)

    def close(self) -> None:
        self._table.close()
        self._folder.cleanup()
