"""A small CGOS: it speaks the server's protocol with one player, and plays the other side itself.

Games survive lost connections, as on the real server: at the next login the player is told the moves and goes on. What
goes wrong is scripted.
"""

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, PASS, WHITE, VertexError, move_at, vertex_of
from miai.engine.go.rules import RULES

PASSWORD = "Tr0ub4dor-3"
Policy = Callable[[Game], str]


class Hung(Exception):
    """The connection is over."""


def always_pass(game: Game) -> str:
    return "pass"


def at_random(seed: int) -> Policy:
    """Random moves until the board is nearly full, then passes."""
    stream = random.Random(seed)

    def choose(game: Game) -> str:
        points = game.legal_points(game.to_play)
        if len(game.moves) > game.size**2 or not points or (game.moves and game.moves[-1][1] == PASS):
            return "pass"
        return vertex_of(stream.choice(points), game.size)

    return choose


@dataclass
class HouseGame:
    """A game of the server's; it outlives connections."""

    number: int
    color: int
    """The player's."""
    game: Game
    left: dict[int, float]
    """Seconds that each side has left."""
    moves: list[tuple[str, int]] = field(default_factory=list)
    result: str = ""
    asked: float | None = None
    """When the player was asked for its move."""


@dataclass
class House:
    """The server."""

    size: int = 5
    komi: float = 0.5
    seconds: float = 60.0
    num_games: int = 1
    policy: Policy = always_pass
    takes_analysis: bool = True
    lag: float = 0.0
    """Seconds that every question and every answer is under way."""
    cuts: Sequence[tuple[int, int, str]] = ()
    """Where the connection is cut: game, number of moves made, and `before` the question, `after` it, or after the
    `answer`. Each happens once."""
    nonsense: Sequence[str] = ()
    """Lines that are sent after the login, first of all."""
    nonsense_once: bool = True
    greeting: str | None = None
    """Instead of the protocol's first line."""
    names: tuple[str, str] = ("house", "miai-test")
    received: list[str] = field(default_factory=list)
    games: list[HouseGame] = field(default_factory=list)
    analyses: list[dict] = field(default_factory=list)
    num_logins: int = 0
    is_mute: bool = False
    """Whether the first connection hears nothing."""
    on_move: Callable[["House", HouseGame], None] = lambda house, game: None
    """Called before each question."""

    def __post_init__(self) -> None:
        self._done_cuts: set[tuple[int, int, str]] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.is_idle = threading.Event()
        """Set while the player waits for a game that does not come."""
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with contextlib.suppress(Hung, OSError, ValueError), connection:
                with connection.makefile("rw", encoding="utf-8", newline="\n") as self._stream:
                    self._serve()

    def _say(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()

    def _hear(self) -> str:
        line = self._stream.readline()
        if not line:
            raise Hung
        self.received.append(line.rstrip("\n"))
        if line.strip() == "quit":
            raise Hung
        return line.strip()

    def _serve(self) -> None:
        if self.is_mute:
            self.is_mute = False
            self._hear()
        self._say(self.greeting or "protocol" + " genmove_analyze" * self.takes_analysis)
        if not self._hear().startswith("e1 "):
            self._say("Error: invalid response")
            raise Hung
        self._say("username")
        name = self._hear()
        self._say("password")
        if self._hear() != PASSWORD:
            self._say("Error: Sorry, password doesn't match")
            raise Hung
        self.num_logins += 1
        assert name == self.names[1]
        self._say("info welcome; never mind this line")
        for line in self.nonsense:
            self._say(line)
        if self.nonsense_once:
            self.nonsense = ()
        while True:
            game = self._game()
            if game is None:
                self.is_idle.set()
                self._hear()
                continue
            self._set_up(game)
            self._play(game)
            self._say(f"gameover 2026-11-23 {game.result}")
            if self._hear() != "ready":
                raise Hung

    def _game(self) -> HouseGame | None:
        """The game that goes on, or a new one."""
        if self.games and not self.games[-1].result:
            return self.games[-1]
        if len(self.games) == self.num_games:
            return None
        number = len(self.games) + 1
        color = BLACK if number % 2 else WHITE
        left = {BLACK: self.seconds, WHITE: self.seconds}
        self.games.append(HouseGame(number, color, Game(self.size, self.komi, RULES["cgos"]), left))
        return self.games[-1]

    def _set_up(self, game: HouseGame) -> None:
        white, black = self.names if game.color == BLACK else reversed(self.names)
        moves = " ".join(f"{move} {left}" for move, left in game.moves)
        clock = int(1000 * self.seconds)
        self._say(f"setup {game.number} {self.size} {self.komi} {clock} {white}(1800?) {black}(2000) {moves}")

    def _play(self, game: HouseGame) -> None:
        while not game.result:
            if game.game.to_play == game.color:
                self.on_move(self, game)
                self._ask(game)
            else:
                self._make(game, self.policy(game.game))
                move, left = game.moves[-1]
                self._say(f"play {'w' if game.color == BLACK else 'b'} {move} {left}")

    def _cut(self, game: HouseGame, when: str) -> None:
        place = (game.number, len(game.moves), when)
        if place in self.cuts and place not in self._done_cuts:
            self._done_cuts.add(place)
            raise Hung

    def _ask(self, game: HouseGame) -> None:
        self._cut(game, "before")
        if game.asked is None:
            game.asked = time.monotonic()
        left = game.left[game.color] - (time.monotonic() - game.asked)
        time.sleep(self.lag)
        self._say(f"genmove {'b' if game.color == BLACK else 'w'} {int(1000 * left)}")
        self._cut(game, "after")
        answer = self._hear()
        time.sleep(self.lag)
        game.left[game.color] -= time.monotonic() - game.asked
        game.asked = None
        winner = "W" if game.color == BLACK else "B"
        if game.left[game.color] < 0:
            game.result = f"{winner}+Time"
            return
        move, _, analysis = answer.partition(" ")
        if analysis:
            self.analyses.append(json.loads(analysis))
        if move == "resign":
            game.result = f"{winner}+Resign"
            return
        try:
            self._make(game, move)
        except (IllegalMove, VertexError) as error:
            game.result = f"{winner}+Illegal Illegal move error:{error} move:{move}"
        self._cut(game, "answer")

    def _make(self, game: HouseGame, move: str) -> None:
        color = game.game.to_play
        game.game.play(color, move_at(move, self.size))
        game.moves.append((move, int(1000 * game.left[color])))
        if game.game.is_over:
            score = game.game.score()
            game.result = f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "Draw"
