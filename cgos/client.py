"""A player on CGOS: it logs in, plays the games that the server sets up, and comes back when the connection is lost.

The server keeps a game whose player is away, and tells the moves at the next login. An answer that did not reach it is
kept and given again, so that a cut costs no second thought.
"""

import math
import random
import threading
import time
from pathlib import Path

from miai.cgos.connection import Connection, ConnectionLost
from miai.cgos.conversation_log import ConversationLog
from miai.cgos.engine import CgosEngine, EngineAnswer
from miai.cgos.messages import (
    GameOver,
    Info,
    Malformed,
    Message,
    MoveWanted,
    NameWanted,
    OpponentPlayed,
    PasswordWanted,
    Protocol,
    Refusal,
    Setup,
    TimedMove,
    Unknown,
    read_message,
)
from miai.cgos.record import GameFolder, ServerFault, ServerGame, won_by
from miai.cgos.settings import CgosSettings
from miai.engine.go.points import color_name
from miai.gtp.commands.core import ENGINE_NAME, engine_version
from miai.match.engines import EngineFailed

_POLL = 0.25
"""Seconds between two looks at whether to leave."""
_SILENCE = 900.0
"""Seconds without a word after which a connection counts as lost; the server says something every minute."""
_SILENCE_AT_LOGIN = 60.0
"""The same before the password is asked for."""
_LONGEST_WAIT = 300.0
"""Seconds between two attempts to connect, at most."""
_LONGEST_WAIT_IN_GAME = 20.0
"""The same while a game of ours goes on."""
_RETURN = 10.0
"""Seconds after a login in which the server sets up a game that was cut."""
_MAX_UNKNOWN = 100
"""Unknown lines of one connection after which it makes no sense."""
_MAX_FAULTS = 5
"""Connections in a row that ended because of what the server said."""
_MAX_FAILURES = 3
"""Games in a row that the engine may lose by failing or by an illegal move."""


class CgosError(Exception):
    """It makes no sense to go on; the text says why."""


class CgosClient:
    """Play one account's games, one after the other."""

    def __init__(
        self,
        settings: CgosSettings,
        password: str,
        engine: CgosEngine,
        folder: GameFolder,
        log: ConversationLog,
        leave: threading.Event,
        num_games: int | None = None,
        first_wait: float = 2.0,
    ) -> None:
        """Prepare to play.

        Args:
            settings: the server and the account.
            password: of the account.
            engine: who plays.
            folder: where games are kept.
            log: what was said.
            leave: set it, from any thread, to leave after the game.
            num_games: games to play; None for as many as there are.
            first_wait: seconds before the first attempt to connect anew; each further one waits twice as long.
        """
        self.settings = settings
        self.num_played = 0
        """Games that have ended."""
        self._password = password
        self._engine = engine
        self._folder = folder
        self._log = log
        self._leave = leave
        self._num_games = num_games
        self._first_wait = first_wait
        self._record: ServerGame | None = None
        self._answer: tuple[str, tuple[str, ...], EngineAnswer] | None = None
        """The game and the moves before our latest answer, and the answer."""
        self._game_ends_by = 0.0
        """When our clock will have run out if it is our turn."""
        self._is_expected = False
        """Whether the server has still to say, after a login, that the game of before goes on."""
        self._logged_in = math.inf
        """When the password was given on this connection."""
        self._num_faults = self._num_failures = self._num_attempts = self._num_unknown = 0
        self._has_failed = False
        """Whether our engine failed in this game."""

    def run(self) -> None:
        """Play until told to leave, or all games are played.

        Raises:
            CgosError: if the server refuses us, cannot be reached at the start or speaks another protocol, or the
                engine fails game after game.
        """
        was_connected = False
        while not (self._is_done() or self._is_hopeless()):
            try:
                with Connection(self.settings.server, self.settings.port) as connection:
                    was_connected = True
                    self._log.tell(f"connected to {self.settings.server} port {self.settings.port}")
                    self._num_unknown, self._is_expected = 0, self._record is not None
                    self._logged_in = math.inf
                    self._converse(connection)
            except (Malformed, ServerFault) as error:
                self._num_faults += 1
                if self._num_faults >= _MAX_FAULTS:
                    raise CgosError(
                        f"{self.settings.server} port {self.settings.port} does not speak CGOS's protocol: {error}"
                    ) from None
                self._wait(str(error))
            except ConnectionLost as error:
                if not was_connected:
                    raise CgosError(str(error)) from None
                self._wait(str(error))

    def _is_done(self) -> bool:
        """Tell whether it is time to leave, which is never while a game is played."""
        has_enough = self._num_games is not None and self.num_played >= self._num_games
        return self._record is None and (has_enough or self._leave.is_set())

    def _is_hopeless(self) -> bool:
        """Tell whether we are to leave after a game that is lost on time by now, as there is no connection."""
        return self._leave.is_set() and time.monotonic() > self._game_ends_by

    def _wait(self, reason: str) -> None:
        """Wait before the next attempt to connect, longer each time; other clients come back at other times."""
        self._num_attempts += 1
        longest = _LONGEST_WAIT if self._record is None else _LONGEST_WAIT_IN_GAME
        seconds = min(longest, self._first_wait * 2.0 ** min(self._num_attempts - 1, 20)) * random.uniform(0.75, 1.25)
        self._log.tell(f"{reason}; trying again in {seconds:.1f} seconds")
        until = time.monotonic() + seconds
        while time.monotonic() < until and not (self._is_done() or self._is_hopeless()):
            time.sleep(min(_POLL, max(0.0, until - time.monotonic())))

    def _converse(self, connection: Connection) -> None:
        """Answer the server until it is time to leave.

        Raises:
            ConnectionLost, Malformed, ServerFault: if there is nothing more to say on this connection.
        """
        while True:
            self._look_for_end()
            if self._is_done():
                self._say(connection, "quit")
                return
            line = connection.read_line(_POLL)
            if line is not None:
                self._log.heard(line)
                size = self._record.setup.size if self._record else self.settings.size
                self._take(read_message(line, size), connection)
                continue
            longest = _SILENCE_AT_LOGIN if math.isinf(self._logged_in) else _SILENCE
            if time.monotonic() - connection.last_heard > longest:
                raise ConnectionLost(f"the server said nothing for {longest:g} seconds")

    def _look_for_end(self) -> None:
        """Give up a game that the server did not set up again after we came back: it has ended without us."""
        if self._is_expected and time.monotonic() - self._logged_in > _RETURN:
            self._drop_game("it ended while the connection was lost")

    def _drop_game(self, why: str) -> None:
        if self._record is not None:
            self._log.tell(f"game {self._record.setup.game}: {why}; the server knows its result")
        self._record, self._is_expected = None, False

    def _say(self, connection: Connection, line: str, is_secret: bool = False) -> None:
        self._log.said("(the password)" if is_secret else line)
        connection.send(line)

    def _take(self, message: Message, connection: Connection) -> None:
        """Do what a line of the server's asks for."""
        match message:
            case Protocol(takes_analysis):
                self._engine.wants_analysis = self.settings.analysis and takes_analysis
                extension = " genmove_analyze" if self._engine.tells_analysis else ""
                self._say(connection, f"e1 {ENGINE_NAME} {engine_version()}{extension}")
            case NameWanted():
                self._say(connection, self.settings.name)
            case PasswordWanted():
                self._say(connection, self._password, is_secret=True)
                self._logged_in = time.monotonic()
            case Setup():
                self._set_up(message)
            case OpponentPlayed(color, vertex, milliseconds):
                self._take_move(color, TimedMove(vertex, milliseconds))
            case MoveWanted():
                self._move(message, connection)
            case GameOver():
                self._end_game(message, connection)
            case Refusal(text):
                raise CgosError(f"the server refuses {self.settings.name}: {text}")
            case Info(text):
                if "another login" in text.lower():
                    raise CgosError(f"somebody else has logged in as {self.settings.name}")
            case Unknown(text):
                self._num_unknown += bool(text)
                if self._num_unknown > _MAX_UNKNOWN:
                    raise Malformed(f"{_MAX_UNKNOWN} lines that mean nothing, at last {text[:60]!r}")

    def _set_up(self, setup: Setup) -> None:
        record = self._record
        self._is_expected = False
        if record is not None and record.setup.game == setup.game:
            record.resume(setup)
            self._log.tell(f"game {setup.game} goes on after {len(setup.moves)} moves")
        else:
            self._drop_game("another game began")
            self._record = record = ServerGame(setup, self.settings.name, self.settings.rules)
            self._answer, self._has_failed = None, False
            rating = setup.white_rating if record.opponent == setup.white else setup.black_rating
            after = f", {len(setup.moves)} moves made" if setup.moves else ""
            self._log.tell(
                f"game {setup.game} against {record.opponent} ({rating or 'no rating'}), "
                f"{color_name(record.color)}{after}"
            )
        self._game_ends_by = time.monotonic() + setup.milliseconds / 1000.0
        self._save(record)
        if self._kept_answer() is None:
            try:
                self._follow(record)
            except EngineFailed as failure:
                self._log.tell(f"the engine failed, and is started anew: {failure}")

    def _save(self, record: ServerGame, over: GameOver | None = None) -> Path | None:
        """Keep the game; a full disk does not end it."""
        try:
            return self._folder.save(record, over)
        except OSError as error:
            self._log.tell(f"cannot keep game {record.setup.game}: {error.strerror}")
            return None

    def _follow(self, record: ServerGame) -> None:
        setup = record.setup
        self._engine.follow(setup.game, setup.size, setup.komi, setup.milliseconds // 1000, record.vertices)

    def _the_game(self) -> ServerGame:
        if self._record is None or self._is_expected:
            raise ServerFault("the server speaks of a game that it did not set up")
        return self._record

    def _take_move(self, color: int, move: TimedMove) -> None:
        self._the_game().add(color, move)

    def _move(self, wanted: MoveWanted, connection: Connection) -> None:
        """Choose a move and send it, or send again what was chosen in this position."""
        started = time.monotonic()
        record = self._the_game()
        if wanted.color != record.color:
            raise ServerFault(f"the server wants a move of {record.opponent} from us")
        milliseconds = wanted.milliseconds
        record.least_left = milliseconds if record.least_left is None else min(record.least_left, milliseconds)
        self._game_ends_by = started + max(0, milliseconds) / 1000.0
        answer = self._kept_answer()
        if answer is None:
            answer = self._choose(record, wanted, started)
            self._answer = (record.setup.game, tuple(record.vertices), answer)
        self._say(connection, f"{answer.vertex} {answer.analysis}".rstrip())
        self._num_attempts = 0
        if answer.vertex == "resign":
            return
        left = milliseconds - int(1000 * (time.monotonic() - started))
        try:
            record.add(record.color, TimedMove(answer.vertex, left))
        except ServerFault as fault:
            self._log.tell(f"our own {answer.vertex} may be illegal: {fault}")
            return
        if answer.words:
            record.comments[len(record.moves)] = answer.words
        self._save(record)

    def _kept_answer(self) -> EngineAnswer | None:
        """Return what was answered in this very position before."""
        if self._answer is None or self._record is None:
            return None
        game, vertices, answer = self._answer
        return answer if (game, vertices) == (self._record.setup.game, tuple(self._record.vertices)) else None

    def _choose(self, record: ServerGame, wanted: MoveWanted, started: float) -> EngineAnswer:
        """Let the engine choose; one that fails is started anew, and resigns if it fails again."""
        for _ in range(2):
            try:
                self._follow(record)
                left = wanted.milliseconds / 1000.0 - (time.monotonic() - started) - self.settings.lag
                return self._engine.answer(wanted.color, max(0, int(left)), record.setup.size)
            except EngineFailed as failure:
                self._log.tell(f"the engine failed at move {len(record.moves) + 1}, and is started anew: {failure}")
        self._has_failed = True
        return EngineAnswer("resign", "", "")

    def _end_game(self, over: GameOver, connection: Connection) -> None:
        record = self._the_game()
        path = self._save(record, over)
        self._record = self._answer = None
        self._num_faults = self._num_attempts = 0
        self.num_played += 1
        won = won_by(over.result, record.color)
        outcome = {True: "won", False: "lost", None: "drawn"}[won]
        reason = f" ({over.reason})" if over.reason else ""
        self._log.tell(f"game {record.setup.game} is {outcome}: {over.result}{reason}" + (f"; {path}" if path else ""))
        is_fault = self._has_failed or (won is False and over.result.lower().endswith("illegal"))
        self._num_failures = self._num_failures + 1 if is_fault else 0
        if self._num_failures >= _MAX_FAILURES:
            self._say(connection, "quit")
            raise CgosError(f"the player failed or played illegal moves in {_MAX_FAILURES} games in a row")
        if not self._is_done():
            self._say(connection, "ready")
