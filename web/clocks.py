"""The clocks of a game with a person: main time, then so many seconds for each move."""

import time
from collections.abc import Callable

from miai.engine.go.points import BLACK, WHITE
from miai.engine.search.time_management import TimeManager, TimeSettings
from miai.match.match_clock import MatchClock, MatchTimeSettings

LAG = 0.2
"""Seconds that the engine keeps in hand at every move."""


class GameClocks:
    """Both players' clocks, one of which may run."""

    def __init__(self, main: int, byoyomi: int, now: Callable[[], float] = time.monotonic) -> None:
        """Give both players their time.

        Args:
            main: seconds for the game.
            byoyomi: seconds for each move after that; 0 = none.
            now: tells the time.

        Raises:
            ValueError: if both are zero.
        """
        settings = MatchTimeSettings(main, byoyomi, 1 if byoyomi else 0)
        self._clocks = {color: MatchClock(settings) for color in (BLACK, WHITE)}
        self._running: int | None = None
        self._since = 0.0
        self._now = now

    def start(self, color: int) -> None:
        """Let a player's clock run; the other's stands."""
        if self._running != color:
            self._running, self._since = color, self._now()

    def pause(self) -> None:
        """Let no clock run. The present move's time so far is not counted."""
        self._running = None

    def finish_move(self) -> bool:
        """Count the running move's time; tell whether it was within the limit."""
        if self._running is None:
            return True
        clock = self._clocks[self._running]
        clock.spend(self._now() - self._since)
        self._running = None
        return clock.seconds >= 0.0

    def seconds_to_flag(self) -> float | None:
        """Return after how long the running clock ends the game; None = none runs."""
        if self._running is None:
            return None
        clock = self._clocks[self._running]
        left = clock.seconds + (0.0 if clock.in_byoyomi else clock.settings.byoyomi)
        return left - (self._now() - self._since)

    def seconds_for(self, color: int, num_empty: int) -> float:
        """Return how long an engine may think about its next move."""
        clock = self._clocks[color]
        settings = clock.settings
        manager = TimeManager(LAG)
        manager.set(TimeSettings.from_gtp(settings.main, settings.byoyomi, settings.stones))
        manager.set_time_left(color, clock.seconds, clock.stones)
        return manager.seconds_for(color, num_empty) or 0.0

    def describe(self) -> dict[str, object]:
        """Return what a page shows: for Black and White seconds left and whether these are for one move."""
        spent = 0.0 if self._running is None else self._now() - self._since
        told = {}
        for color, name in ((BLACK, "black"), (WHITE, "white")):
            clock = self._clocks[color]
            seconds, in_byoyomi = clock.seconds, clock.in_byoyomi
            if color == self._running:
                seconds -= spent
                if seconds < 0 and not in_byoyomi and clock.settings.byoyomi:
                    seconds, in_byoyomi = seconds + clock.settings.byoyomi, True
            told[name] = {"seconds": round(max(0.0, seconds), 1), "byoyomi": in_byoyomi}
        return {**told, "running": self._running, "byoyomi": self._clocks[BLACK].settings.byoyomi}

    def save(self) -> list[list[float]]:
        """Return what `restore` takes: seconds and moves left of Black and of White."""
        clocks = (self._clocks[BLACK], self._clocks[WHITE])
        return [[max(0.0, clock.seconds), float(clock.in_byoyomi)] for clock in clocks]

    def restore(self, saved: list[list[float]]) -> None:
        """Go on from what `save` returned."""
        for color, (seconds, in_byoyomi) in zip((BLACK, WHITE), saved, strict=True):
            clock = self._clocks[color]
            clock.seconds = seconds
            clock.in_byoyomi = bool(in_byoyomi and clock.settings.byoyomi)
            clock.stones = clock.settings.stones if clock.in_byoyomi else 0
