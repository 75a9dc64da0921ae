"""A task: one position of a query, from the queue to its last answer."""

import threading
import time
from collections.abc import Callable
from typing import Any

from miai.analysis.answers import RootFacts, describe, describe_no_result
from miai.analysis.queries import Query, position_at
from miai.engine.search.report import SearchReport
from miai.engine.search.tree import ROOT, Tree
from miai.players.player import Player

Write = Callable[[dict[str, Any]], None]


class AnalysisTask:
    """One position to analyse."""

    def __init__(self, query: Query, turn: int, priority: int, number: int) -> None:
        self.query = query
        self.turn = turn
        self.rank = -priority, number
        """What the queue is ordered by: the highest priority first, then the earliest."""
        self.stop = threading.Event()
        """Set to end the task as soon as possible."""
        self._started = 0.0
        self._next_report: float | None = None

    def begin(self, player: Player) -> None:
        """Set up the position and let a player forget what it searched before.

        With a seed the player begins the same random numbers for every position.
        """
        self.game, self.color = position_at(self.query, self.turn)
        self._facts: RootFacts | None = None
        self._search = player.search_on(self.query.size)
        self._has_own_value = player.options.evaluator == "net"
        self._has_score = "points" in player.evaluation.kinds or player.options.evaluator == "mixed"
        if player.options.seed is None:
            player.new_game()
        else:
            player.set_seed(player.options.seed)
        player.set_root_hook(self._see_root)
        self._started = time.monotonic()
        if self.query.first_report is not None:
            self._next_report = self._started + self.query.first_report

    @property
    def seconds(self) -> float:
        """How long it has been searched."""
        return time.monotonic() - self._started

    @property
    def is_late(self) -> bool:
        """Whether its time is up."""
        return self.query.seconds is not None and self.seconds >= self.query.seconds

    def report_is_due(self) -> bool:
        """Tell whether to report now, and wait for the next time if so."""
        if self._next_report is None or self._facts is None or time.monotonic() < self._next_report:
            return False
        every = self.query.report_every
        self._next_report = None if every is None else time.monotonic() + every
        return True

    def answer(self, report: SearchReport, is_during_search: bool) -> dict[str, Any]:
        """Return the answer that a report gives."""
        if report.visits == 0:
            return self.answer_nothing()
        facts = self._facts or RootFacts({})
        return describe(self.query, self.turn, self.game, report, facts, self._has_score, is_during_search)

    def answer_nothing(self) -> dict[str, Any]:
        """Return the answer of a task that was ended before its search began."""
        return describe_no_result(self.query, self.turn)

    def answer_error(self, error: Exception) -> dict[str, Any]:
        """Return the answer of a task whose search failed."""
        text = str(error) or type(error).__name__
        return {"id": self.query.id, "turnNumber": self.turn, "error": f"the search failed: {text}"}

    def _see_root(self, tree: Tree, children: range) -> None:
        """Keep what is known of the root, and leave it only the moves that the query allows."""
        moves = {int(tree["move"][child]): child for child in children}
        self._facts = RootFacts({move: float(tree["prior"][child]) for move, child in moves.items()})
        if self._has_own_value and tree["visits"][ROOT] == 1:
            self._facts.win_rate = 1.0 - float(self._search.win_rates([ROOT])[0])
            self._facts.score = -float(tree["score"][ROOT]) if self._has_score else None
        allowed = self.query.allowed.get(self.color)
        if allowed is not None:
            kept = [child for move, child in moves.items() if move in allowed]
            if not kept:
                self.stop.set()  # nothing to search: the answer has no moves
            elif len(kept) < len(moves):
                tree.keep_children(ROOT, kept)
