"""The engine behind a player on CGOS: it follows the game, and is started again when it fails."""

import json
from collections.abc import Callable
from typing import NamedTuple

from miai.cgos.settings import CgosSettings
from miai.engine.go.points import BLACK, WHITE, VertexError, color_name, move_at, vertex_of
from miai.gtp.client import Client
from miai.gtp.in_process import connect, engine_loop
from miai.gtp.session import Session
from miai.match.contestants import Contestant, start_engine
from miai.match.engines import Effort, Engine, EngineFailed
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.options import GameOptions

_ANALYZE = "cgos-genmove_analyze"
_MAX_ANALYSIS = 30_000
"""Characters of the longest analysis that is sent; the server reads lines of up to 64 KiB."""
_MAX_MOVES = 30
"""Moves of an analysis that are sent."""
_PATIENCE = 15.0
"""Seconds after the end of its time in which an engine may still answer."""


class EngineAnswer(NamedTuple):
    """What an engine answered."""

    vertex: str
    """As GTP writes it, in capitals; or `pass` or `resign`."""
    analysis: str
    """One line of JSON, or nothing."""
    words: str
    """What the engine says of its move."""


def make_starter(contestant: Contestant, settings: CgosSettings) -> Callable[[], Client]:
    """Return what starts the engine: miai in this process, or a program.

    Raises:
        OptionError: if miai's options do not work.
    """
    options = contestant.options
    if options is None:
        return lambda: start_engine(contestant.program)
    check_parameters(options, settings.size)
    game_options = GameOptions(settings.size, rules=settings.rules)

    def start() -> Client:
        session = Session(options, game_options, prepare=compile_if_cold)
        session.load()
        return connect(engine_loop(session))

    return start


class CgosEngine(Engine):
    """An engine that is told a game's moves when it needs to know them."""

    def __init__(self, start: Callable[[], Client]) -> None:
        super().__init__("the player", start)
        self.wants_analysis = False
        """Whether to ask for an analysis with each move."""
        self._game = ""
        self._vertices: list[str] | None = None
        """The moves it knows; None if it knows no game."""

    @property
    def tells_analysis(self) -> bool:
        """Whether its moves come with an analysis."""
        return self.wants_analysis and self._supports(_ANALYZE)

    def follow(self, game: str, size: int, komi: float, seconds: int, vertices: list[str]) -> None:
        """Let the engine know all moves of a game: the new ones only if it knows the others.

        Raises:
            EngineFailed: if it cannot be told.
        """
        try:
            if not self._knows(game, vertices):
                self._vertices = None
                self.begin(size, komi, f"{seconds} 0 0", seed=1 + sum(game.encode()) % 1_000_000)
                self._game, self._vertices = game, []
            assert self._vertices is not None
            for number in range(len(self._vertices), len(vertices)):
                self.play(color_name(WHITE if number % 2 else BLACK), vertices[number])
                self._vertices.append(vertices[number])
        except EngineFailed:
            self.forget()
            raise

    def _knows(self, game: str, vertices: list[str]) -> bool:
        known = self._vertices
        return self._client is not None and game == self._game and known == vertices[: len(known or [])]

    def forget(self) -> None:
        """End the engine; it is started anew for the next move."""
        self._vertices = None
        self.close()

    def answer(self, color: int, seconds_left: int, size: int) -> EngineAnswer:
        """Let the engine choose a move in the game that it follows, and play it on its own board.

        Raises:
            EngineFailed: if it does not.
        """
        name = color_name(color)
        try:
            self.tell_time(name, f"{seconds_left} 0")
            command = f"{_ANALYZE if self.tells_analysis else 'genmove'} {name}"
            reply = self._send(command, seconds_left + _PATIENCE).splitlines()
            vertex = self._read_vertex(reply[-1] if reply else "", size)
            words = self.explain(Effort())
        except EngineFailed:
            self.forget()
            raise
        if vertex != "resign" and self._vertices is not None:
            self._vertices.append(vertex)
        return EngineAnswer(vertex, _shorten("".join(reply[:-1])), words)

    def _read_vertex(self, text: str, size: int) -> str:
        text = text.removeprefix("play ").strip()
        if text.lower() == "resign":
            return "resign"
        try:
            return vertex_of(move_at(text, size), size)
        except VertexError as error:
            raise EngineFailed(self.side, "error", f"answered no move: {error}") from error


def _shorten(analysis: str) -> str:
    """Return an analysis with fewer moves on one line; nothing if it is no JSON or still too long."""
    try:
        content = json.loads(analysis)
        if isinstance(content.get("moves"), list):
            content["moves"] = content["moves"][:_MAX_MOVES]
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    except (ValueError, AttributeError, RecursionError):
        return ""
    return text if len(text) <= _MAX_ANALYSIS else ""
