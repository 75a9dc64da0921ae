"""What is done with a session's game: playing, analysing, reviewing, watching searches."""

import dataclasses
import itertools
import threading
from collections.abc import Callable
from typing import Any

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, RESIGN, format_score
from miai.engine.search.report import SearchReport
from miai.engine.search.rule_names import RuleFailure
from miai.players.player import Budget, Decision
from miai.players.review import MoveReview, review_game
from miai.web.analysis import describe_report
from miai.web.desk import Desk
from miai.web.record import RecordError
from miai.web.reviewing import describe_review
from miai.web.watching import Watch

REPORT_EVERY = 0.1
"""Seconds between two reports of a search."""
HINT_SIMULATIONS = 1000
"""What a hint or an estimate of the score is searched with."""
MAX_VISITS = 200_000
"""Visits of the root at which an analysis rests."""


class Workbench(Desk):
    """What messages work on. All but the searches runs in one thread."""

    def handle(self, message: dict[str, Any]) -> None:
        """Do what a message says; what cannot be done is told."""
        kind = message.pop("type")
        handler = getattr(self, f"_do_{kind.replace('-', '_')}")
        try:
            handler(**message)
        except (ValueError, RuleFailure) as error:
            self._complain(error)

    def seconds_to_wait(self) -> float | None:
        """Return after how long `flag` is due."""
        left = None if self._clocks is None else self._clocks.seconds_to_flag()
        return None if left is None else max(0.0, left) + 0.05

    def flag(self) -> None:
        """End the game if a player's time is over."""
        if self._clocks is not None and (left := self._clocks.seconds_to_flag()) is not None and left <= 0:
            loser = self._record.game.to_play
            self._leave()
            self._end_game(f"{'W' if loser == BLACK else 'B'}+T")

    def _start_engine_clock(self, node: int) -> None:
        if self._clocks is not None and self._thinking == "thinking" and self._record.node == node:
            self._clocks.start(self._record.game.to_play)
            self._show_position()

    def _leave(self) -> None:
        """End whatever is searched."""
        self._background.end()
        self._thinking = ""
        if self._watch is not None:
            self._watch = None
            self._send({"type": "watch-ended"})

    def _continue(self) -> None:
        """Begin the search that is due: the engine's move, or an analysis."""
        if self._background.is_busy:
            return
        game = self._record.game
        if self._phase == "playing" and self._engine_is_due and self._human not in (None, game.to_play):
            self._think()
        elif self._is_analyzing and not game.is_over:
            self._analyze(None)

    def _think(self) -> None:
        game = self._record.game.copy()
        color, node = game.to_play, self._record.node
        options = self._engines.opponent_options(self._settings["level"], self._settings["preset"])
        limits = [options.time]
        if self._clocks is not None:
            num_empty = game.size**2 - len(game.stones())
            limits.append(self._clocks.seconds_for(color, num_empty))
        seconds = min((one for one in limits if one is not None), default=None)

        def choose(stop: threading.Event) -> Decision:
            player = self._engines.player(options, game.size)
            self._post(lambda: self._start_engine_clock(node))
            own = player.options  # of the fallback, on boards that the network does not know
            budget = Budget(own.simulation_limit if self._clocks is None else own.simulations, seconds)
            return player.choose(game, color, budget, stop=stop)

        def answer(decision: Decision) -> None:
            self._thinking = ""
            if options.simulation_limit != 1:  # a policy that is drawn from searches nothing
                self._note_value(node, decision.report, game)
            if decision.move == RESIGN:
                self._end_game(f"{'W' if color == BLACK else 'B'}+R")
                return
            if self._clocks is not None and not self._clocks.finish_move():
                self._end_game(f"{'W' if color == BLACK else 'B'}+T")
                return
            self._make_move(color, decision.move)

        self._show_position("thinking")
        self._background.begin(choose, answer, self._fail)

    def _do_analyze(self, on: bool) -> None:
        self._is_analyzing = on
        if not on and self._thinking in ("analyzing", "resting"):
            self._leave()
            self._show_position()
        elif on and self._watch is None:
            if self._thinking == "resting":
                self._leave()
            self._continue()
        self._send({"type": "analyzing", "on": on})

    def _analyze(self, most: int | None, then: Callable[[SearchReport], None] | None = None) -> None:
        """Search this position for the page; `most` simulations, or until `MAX_VISITS`."""
        game = self._record.game.copy()
        node = self._record.node
        is_analysis = self._is_analyzing

        def search(stop: threading.Event) -> SearchReport:
            if is_analysis:
                self._send({"type": "policies", "node": node, **self._engines.describe_policies(game)})
            player = self._engines.player(self._engines.options, game.size)

            def tell(report: SearchReport) -> None:
                if is_analysis:
                    told = describe_report(report, game.size)
                    self._values[node] = (told["black"], told["points"], told["visits"])
                    self._send({"type": "analysis", "node": node, **told})
                if report.visits >= MAX_VISITS or (most is not None and report.simulations >= most):
                    stop.set()

            return player.analyze(game, game.to_play, tell, REPORT_EVERY, stop)

        def finish(report: SearchReport) -> None:
            self._thinking = "resting" if is_analysis and then is None else ""
            self._note_value(node, report, game)
            if then is not None:
                then(report)
            self._show_position()
            if then is not None:
                self._continue()

        self._show_position("analyzing" if then is None else "searching")
        self._background.begin(search, finish, self._fail)

    def _note_value(self, node: int, report: SearchReport, game: Game) -> None:
        """Keep what a search said of a position, for the graph."""
        told = describe_report(report, game.size)
        self._values[node] = (told["black"], told["points"], told["visits"])
        self._send({"type": "values", "values": {node: self._values[node]}})

    def _check_is_free(self) -> None:
        """Refuse a search that would end miai's move or its count of dead stones."""
        if self._thinking == "thinking":
            raise RecordError("wait until miai has moved")
        if self._phase == "agreeing":
            raise RecordError("agree on the dead stones first, or play on")

    def _begin_quick_search(self) -> None:
        self._check_is_free()
        self._leave()

    def _do_hint(self) -> None:
        game = self._record.game
        if game.is_over:
            raise RecordError("the game is over")
        self._begin_quick_search()
        size = game.size
        self._analyze(HINT_SIMULATIONS, lambda report: self._send({"type": "hint", **describe_report(report, size)}))

    def _do_score(self) -> None:
        self._begin_quick_search()
        game = self._record.game.copy()

        def tell(report: SearchReport) -> None:
            told = describe_report(report, game.size)
            now = format_score(game.score())
            self._send(
                {
                    "type": "score",
                    "now": now,
                    "points": told["points"],
                    "black": told["black"],
                    "ownership": told["ownership"],
                }
            )

        self._analyze(HINT_SIMULATIONS, tell)

    def _do_review(self, on: bool, simulations: int) -> None:
        if on and self._phase in ("playing", "agreeing"):
            raise RecordError("a review is for games that are over")
        if not on and self._thinking != "reviewing":
            return
        self._leave()
        if not on:
            self._send({"type": "review-ended"})
            self._show_position()
            self._continue()
            return
        line = self._record.line()
        game = self._record.game.copy()
        while game.moves:
            game.undo()
        for number in line[1:]:
            game.play(self._record.nodes[number].color, self._record.nodes[number].move)
        options = dataclasses.replace(self._engines.options, simulations=simulations, time=None)

        done = itertools.count(1)

        def tell() -> None:
            self._send({"type": "progress", "done": next(done), "of": len(game.moves)})

        def review(stop: threading.Event) -> list[MoveReview]:
            return review_game(self._engines.player(options, game.size), game, tell, stop)

        def finish(reviews: list[MoveReview]) -> None:
            told = describe_review(reviews, line, game.size)
            for node, black, points in told.pop("values"):
                self._values[node] = (black, points, simulations)
            self._send({"type": "values", "values": self._values})
            self._send({"type": "review", **told})
            self._thinking = ""
            self._show_position()
            self._continue()

        self._show_position("reviewing")
        self._background.begin(review, finish, self._fail)

    def _do_watch(self, **request: Any) -> None:
        self._check_is_free()
        if request["domain"] == "go" and self._record.game.is_over:
            raise RecordError("the game is over: there is nothing to search")
        self._leave()
        self._watch = Watch(request, self._record.game, self._send)
        self._show_position("watching")
        self._background.begin(self._watch.run, lambda _: None, self._fail)

    def _do_watch_stop(self) -> None:
        if self._watch is not None:
            self._leave()
            self._show_position()
            self._continue()

    def _do_watch_pause(self, on: bool) -> None:
        if self._watch is not None:
            self._watch.pause(on)

    def _do_watch_open(self, contestant: int, path: list[str], open: bool) -> None:
        if self._watch is not None:
            self._watch.open(contestant, path, open)

    def _do_refresh(self) -> None:
        """Tell everything again, and begin what is due: after a failure, miai's move."""
        self._show_all()
        self._send({"type": "analyzing", "on": self._is_analyzing})
        if not self._thinking:
            self._continue()

    def _do_away(self) -> None:
        """Rest, as nobody looks; a move and the count of dead stones are finished."""
        if self._thinking not in ("thinking", "counting", ""):
            self._leave()
            self._is_analyzing = False

    def _fail(self, error: Exception) -> None:
        """Tell that a search failed; nothing is searched until the person wants it. A move of miai's stays due."""
        if self._thinking == "thinking" and self._clocks is not None:
            self._clocks.pause()
        self._thinking = ""
        self._is_analyzing = False
        self._watch = None
        self._complain(error)
        self._send({"type": "analyzing", "on": False})
        self._send({"type": "watch-ended"})
        self._show_position()
