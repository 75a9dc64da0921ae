"""Judging which stones are dead by a player's own searches, within a time, once for a position."""

import threading
import time
from collections.abc import Callable, Container

from miai.engine.go.game import Game
from miai.engine.search.report import SearchReport
from miai.engine.search.search import Budget
from miai.players.dead_stones import judge_stones
from miai.players.status import Status, StoneBlock

SHORTEST_LOOK = 0.01
"""Seconds of a search where the time is spent."""
_SIMULATIONS = 400
_LONGEST_LOOK = 1.0
_PART_OF_TIME = 0.25
"""Of what is left, for the next search."""

Search = Callable[[Game, int, Budget, threading.Event | None, Container[int] | None], SearchReport]
"""Searches a position for a colour within a budget, until the event, among moves on these points or on all."""


class StoneJudge:
    """Remembers the latest position that it judged."""

    def __init__(self) -> None:
        self._judged: tuple[object, dict[StoneBlock, Status]] = (None, {})

    def judge(
        self, game: Game, search: Search, seconds: float | None = None, stop: threading.Event | None = None
    ) -> dict[StoneBlock, Status]:
        """Return the status of every block, kept while stones and size are the same.

        Args:
            game: stays as it is.
            search: how to search; not kept.
            seconds: for all searches together; None = a second each.
            stop: ends each search at once; what is judged then is not kept.
        """
        position = (game.size, game.stones())
        if self._judged[0] != position:
            end = time.monotonic() + (seconds or 0.0)

            def look(trial: Game, color: int, among: Container[int] | None) -> SearchReport:
                left = _LONGEST_LOOK if seconds is None else _PART_OF_TIME * (end - time.monotonic())
                budget = Budget(_SIMULATIONS, min(max(left, SHORTEST_LOOK), _LONGEST_LOOK))
                return search(trial, color, budget, stop, among)

            statuses = judge_stones(game, look)
            if stop is not None and stop.is_set():
                return statuses
            self._judged = (position, statuses)
        return self._judged[1]
