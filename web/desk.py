"""A session's game: its moves, players, clocks and end, and what the page is told of it."""

import base64
import dataclasses
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from miai.engine.go.game import Game
from miai.engine.go.handicap import fixed_handicap_points
from miai.engine.go.points import BLACK, WHITE, all_points, color_name, format_score, move_at, opponent, vertex_of
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import GameInfo
from miai.players.dead_stones import score_without
from miai.players.options import GameOptions, PlayerOptions
from miai.players.status import find_blocks
from miai.web.analysis import board_text
from miai.web.background import Background
from miai.web.clocks import GameClocks
from miai.web.engines import Engines
from miai.web.messages import MAX_RESULT
from miai.web.record import ROOT, RecordError, RecordTree, describe_node, read_record
from miai.web.watching import Watch

_COLORS = {"black": BLACK, "white": WHITE}


class Desk(ABC):
    """The game of a page, in one thread; searches are for who inherits."""

    def __init__(
        self,
        options: PlayerOptions,
        game_options: GameOptions,
        send: Callable[[dict[str, Any]], None],
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        """Begin with an empty board and nobody who plays.

        Args:
            options: of the player that analyses, and plays at the highest level.
            game_options: of the first game.
            send: takes a message for the page; from any thread.
            post: takes a call for this object's thread; from any thread.
        """
        self._engines = Engines(options, lambda: send({"type": "loading"}))
        self._send = send
        self._post = post
        self._background = Background(post)
        self._defaults = {
            "size": game_options.size,
            "komi": game_options.komi,
            "rules": game_options.rules,
            "handicap": 0,
            "color": "both",
            "level": None,
            "preset": None,
            "clock": None,
        }
        self._settings: dict[str, Any] = dict(self._defaults)
        self._record = RecordTree(self._make_game(self._settings))
        self._phase = "free"
        self._result = ""
        self._dead: set[int] = set()
        self._clocks: GameClocks | None = None
        self._is_analyzing = False
        self._engine_is_due = False
        self._thinking = ""
        self._values: dict[int, tuple[float, float, int]] = {}
        self._watch: Watch | None = None

    @abstractmethod
    def _leave(self) -> None:
        """End whatever is searched."""

    @abstractmethod
    def _continue(self) -> None:
        """Begin the search that is due."""

    @abstractmethod
    def _fail(self, error: Exception) -> None:
        """Tell that a search failed."""

    @property
    def _human(self) -> int | None:
        """The person's colour; None = both."""
        return _COLORS.get(self._settings["color"])

    @property
    def _is_at_end(self) -> bool:
        """Whether nobody has moved from here yet, and somebody may."""
        return not self._record.nodes[self._record.node].children and not self._record.game.is_over

    def _make_game(self, settings: dict[str, Any]) -> Game:
        rules = dataclasses.replace(RULES[settings["rules"]], removes_dead=True)
        game = Game(settings["size"], settings["komi"], rules)
        if settings["handicap"] > 1:
            game.place_handicap(fixed_handicap_points(game.size, settings["handicap"]))
        return game

    def _do_new_game(self, settings: dict[str, Any]) -> None:
        if settings["color"] == "random":
            settings = {**settings, "color": random.choice(tuple(_COLORS))}
        game = self._make_game(settings)
        clocks = self._make_clocks(settings)
        self._leave()
        self._engines.new_game()
        names = {BLACK: "", WHITE: ""}
        self._settings = settings
        if self._human is not None:
            names = {self._human: "You", opponent(self._human): self._opponent_name()}
        self._record = RecordTree(game, GameInfo(names[BLACK], names[WHITE]))
        self._phase, self._result, self._dead = "playing", "", set()
        self._clocks = clocks
        self._values = {}
        self._engine_is_due = True
        self._start_clock()
        self._show_all()
        self._continue()

    def _opponent_name(self) -> str:
        level, preset = self._settings["level"], self._settings["preset"]
        return f"miai, level {level}" if level is not None else f"miai ({preset})" if preset else "miai"

    def _make_clocks(self, settings: dict[str, Any]) -> GameClocks | None:
        clock = settings["clock"]
        return None if clock is None else GameClocks(clock["main"], clock["byoyomi"])

    def _start_clock(self) -> None:
        """Let the clock of who is to move run; the engine's begins when its player is ready."""
        to_play = self._record.game.to_play
        if self._clocks is not None and self._phase == "playing" and self._human in (None, to_play):
            self._clocks.start(to_play)

    def _do_play(self, move: str) -> None:
        game = self._record.game
        point = move_at(move, game.size)
        if self._phase == "agreeing":
            raise RecordError("agree on the dead stones first, or play on")
        if self._phase == "playing" and self._human not in (None, game.to_play):
            raise RecordError("it is not your turn")
        color = game.to_play
        if (reason := game.why_illegal(color, point)) is not None:
            raise RecordError(f"{vertex_of(point, game.size)} is illegal: {reason}")
        self._leave()
        if self._clocks is not None and not self._clocks.finish_move():
            self._end_game(f"{'W' if color == BLACK else 'B'}+T")
            return
        self._make_move(color, point)

    def _make_move(self, color: int, move: int) -> None:
        """Make a move of either player, and go on with what is next."""
        known = len(self._record.nodes)
        self._record.add(color, move)
        self._dead = set()
        self._engine_is_due = True
        if len(self._record.nodes) > known:
            self._send({"type": "node", "node": known, "row": describe_node(self._record, known)})
        if self._phase == "playing" and self._record.game.is_over:
            self._begin_agreement()
            return
        self._start_clock()
        self._show_position()
        self._continue()

    def _begin_agreement(self) -> None:
        self._phase = "agreeing"
        if self._clocks is not None:
            self._clocks.pause()
        self._show_position("counting")
        game = self._record.game.copy()
        size = game.size

        def judge(stop: threading.Event) -> set[int]:
            return self._engines.player(self._engines.options, size).dead_stones(game, stop=stop)

        def propose(dead: set[int]) -> None:
            self._dead = dead
            self._show_position("")

        self._background.begin(judge, propose, self._fail)

    def _check_is_counted(self) -> None:
        if self._thinking == "counting":
            raise RecordError("miai still looks for dead stones")

    def _do_toggle_dead(self, point: str) -> None:
        if self._phase != "agreeing":
            raise RecordError("dead stones are marked after both players have passed")
        self._check_is_counted()
        game = self._record.game
        chosen = move_at(point, game.size)
        for block in find_blocks(game):
            if chosen in block.points:
                self._dead ^= set(block.points) if chosen in self._dead else set(block.points) - self._dead
                self._show_position()
                return
        raise RecordError(f"there is no stone at {point[:8]}")

    def _do_agree(self) -> None:
        if self._phase != "agreeing":
            raise RecordError("there is nothing to agree on now")
        self._check_is_counted()
        self._end_game(format_score(score_without(self._record.game, self._dead)))

    def _do_play_on(self) -> None:
        if self._phase != "agreeing":
            raise RecordError("the game goes on already")
        self._do_undo()

    def _do_resign(self) -> None:
        if self._phase != "playing":
            raise RecordError("there is no game to resign")
        loser = self._human or self._record.game.to_play
        self._leave()
        self._end_game(f"{'W' if loser == BLACK else 'B'}+R")

    def _end_game(self, result: str) -> None:
        self._phase, self._result, self._engine_is_due = "over", result, False
        self._record.info = dataclasses.replace(self._record.info, result=result)
        if self._clocks is not None:
            self._clocks.pause()
        self._show_position()
        self._continue()

    def _do_undo(self) -> None:
        """Go back to the person's move before."""
        path = self._record.path_to(self._record.node)[1:]
        own = [node for node in path if self._human in (None, self._record.nodes[node].color)]
        if not own:
            raise RecordError("there is no move of yours to take back")
        self._leave()
        self._record.go_to(self._record.nodes[own[-1]].parent)
        self._dead = set()
        if self._phase in ("agreeing", "over"):
            self._phase, self._result = "playing", ""
            self._record.info = dataclasses.replace(self._record.info, result="")
        if self._clocks is not None:
            self._clocks.pause()
        self._engine_is_due = False
        self._start_clock()
        self._show_position()
        self._continue()

    def _do_go_to(self, node: int) -> None:
        if self._phase == "playing" and self._clocks is not None:
            raise RecordError("there is no going back and forth while the clock runs")
        if self._phase == "agreeing":
            raise RecordError("agree on the dead stones first, or play on")
        self._record.go_to(node)
        self._leave()
        self._engine_is_due = self._is_at_end
        self._show_position()
        self._continue()

    def _do_delete(self, node: int) -> None:
        if self._phase in ("playing", "agreeing"):
            raise RecordError("moves of a game that is played cannot be removed")
        self._record.delete(node)
        self._leave()
        self._values = {}
        self._show_all()
        self._continue()

    def _do_comment(self, node: int, text: str) -> None:
        if node >= len(self._record.nodes):
            raise RecordError(f"there is no node {node}")
        self._record.nodes[node].comment = text
        self._send({"type": "node", "node": node, "row": describe_node(self._record, node)})
        self._show_position()

    def _do_load_sgf(self, sgf: str) -> None:
        record, notice = read_record(base64.b64decode(sgf), self._settings["komi"])
        self._leave()
        game = record.game
        game.rules = dataclasses.replace(game.rules, removes_dead=True)
        name = next((name for name, rules in RULES.items() if rules == game.rules), "tromp-taylor")
        self._settings = {**self._defaults, "size": game.size, "komi": game.komi, "rules": name}
        self._engines.new_game()
        self._record = record
        self._phase, self._result, self._dead = "free", record.info.result[:MAX_RESULT], set()
        self._clocks = None
        self._values = {}
        self._engine_is_due = False
        self._show_all()
        if notice:
            self._send({"type": "notice", "text": notice})
        self._continue()

    def _do_save_sgf(self) -> None:
        self._send({"type": "sgf", "sgf": self._record.to_sgf()})

    def _do_restore(self, saved: dict[str, Any] | None) -> None:
        """Go on from what an earlier engine of the session had saved, or the page."""
        if saved is None:
            return
        settings = saved["settings"]
        record, _ = read_record(saved["sgf"].encode(), settings["komi"])
        record.game.rules = dataclasses.replace(record.game.rules, removes_dead=True)
        record.renumber(saved["order"])
        record.go_to(saved["node"])
        clocks = self._make_clocks(settings)
        if clocks is not None and saved["clocks"] is not None:
            clocks.restore(saved["clocks"])
        dead = {move_at(point, record.game.size) for point in saved["dead"] or []} & record.game.stones().keys()
        self._settings = settings if settings["color"] != "random" else {**settings, "color": "both"}
        self._record = record
        self._phase, self._result, self._dead = saved["phase"], saved["result"], dead
        self._clocks = clocks
        self._engine_is_due = self._is_at_end
        if self._phase == "agreeing" and not record.game.is_over:
            self._phase = "playing"
        if self._phase == "agreeing" and saved["dead"] is None:
            self._begin_agreement()
            return
        self._start_clock()
        self._continue()

    def _show_all(self) -> None:
        rows = [describe_node(self._record, number) for number in range(len(self._record.nodes))]
        info = self._record.info
        self._send(
            {
                "type": "tree",
                "nodes": rows,
                "settings": self._settings,
                "names": {"black": info.black, "white": info.white},
            }
        )
        self._send({"type": "values", "values": self._values})
        self._show_position()

    def _show_position(self, thinking: str | None = None) -> None:
        """Send the position; the page has saved the game before it shows it, so that no move that it shows is lost."""
        if thinking is not None:
            self._thinking = thinking
        self._save()
        record, game = self._record, self._record.game
        size = game.size
        last = record.nodes[record.node].move if record.node != ROOT else None
        illegal = [
            vertex_of(point, size)
            for point in set(all_points(size)) - set(game.legal_points(game.to_play)) - game.stones().keys()
        ]
        self._send(
            {
                "type": "position",
                "node": record.node,
                "size": size,
                "board": board_text(game),
                "to_play": color_name(game.to_play),
                "captured": {color_name(color): count for color, count in game.num_captured.items()},
                "last": None if last is None else vertex_of(last, size),
                "comment": record.nodes[record.node].comment,
                "illegal": illegal,
                "phase": self._phase,
                "result": self._result,
                "thinking": self._thinking,
                "dead": self._dead_vertices(),
                "count": format_score(score_without(game, self._dead)) if self._phase == "agreeing" else None,
                "clocks": None if self._clocks is None else self._clocks.describe(),
            }
        )

    def _dead_vertices(self) -> list[str]:
        return [vertex_of(point, self._record.game.size) for point in sorted(self._dead)]

    def _save(self) -> None:
        saved = {
            "settings": self._settings,
            "phase": self._phase,
            "result": self._result,
            "sgf": self._record.to_sgf(),
            "order": self._record.order(),
            "node": self._record.node,
            "clocks": None if self._clocks is None else self._clocks.save(),
            "dead": None if self._thinking == "counting" else self._dead_vertices(),
        }
        self._send({"type": "saved", "saved": saved})

    def _complain(self, error: Exception) -> None:
        self._send({"type": "error", "text": str(error)})
