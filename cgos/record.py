"""A game on the server and what is kept of it: an SGF file from the first move on, and a line when it is over."""

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import BaseFileLock

from miai.cgos.messages import GameOver, Setup, TimedMove
from miai.cgos.settings import CgosSettings
from miai.engine.files import write_file
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, WHITE
from miai.engine.go.rules import RULES, SIMPLE, Rules
from miai.engine.go.sgf import GameInfo, SgfError, load_game, sgf_of
from miai.engine.locking import take_lock

_ANY_MOVE = Rules(SIMPLE, suicide=True)
"""Rules under which a server's game is kept that does not follow ours."""
_WORDS_OF_RESULT = {"r": "R", "resign": "R", "t": "T", "time": "T", "f": "F", "forfeit": "F", "illegal": "F"}


class ServerFault(Exception):
    """What the server says makes no game of Go; the text says why."""


class FolderInUse(Exception):
    """Another program keeps its games there."""


class ServerGame:
    """One game, as the server tells it."""

    def __init__(self, setup: Setup, name: str, rules: str) -> None:
        """Begin with what a setup tells.

        Args:
            setup: the first one of this game that we see.
            name: our account.
            rules: a name in `miai.engine.go.rules.RULES`.

        Raises:
            ServerFault: if we do not play, or its moves make no game.
        """
        if name not in (setup.white, setup.black):
            raise ServerFault(f"the game is between {setup.white} and {setup.black}")
        self.setup = setup
        self.color = BLACK if name == setup.black else WHITE
        self.rules = rules
        self.comments: dict[int, str] = {}
        """Words on the position after so many moves."""
        self.num_reconnections = 0
        self.least_left: int | None = None
        """The fewest milliseconds that we had left when we were asked for a move."""
        self.date = datetime.now(UTC).strftime("%Y-%m-%d")
        self.moves: list[TimedMove] = []
        self.game = Game(setup.size, setup.komi, RULES[rules])
        self._take(setup.moves)

    @property
    def opponent(self) -> str:
        """The other player's name."""
        return self.setup.white if self.color == BLACK else self.setup.black

    @property
    def vertices(self) -> list[str]:
        """The moves so far."""
        return [move.vertex for move in self.moves]

    def resume(self, setup: Setup) -> None:
        """Take the server's word for the moves so far, after a connection was lost.

        Raises:
            ServerFault: if they make no game.
        """
        self.num_reconnections += 1
        if [move.vertex for move in setup.moves] != self.vertices:
            self.game = Game(setup.size, setup.komi, RULES[self.rules])
            self.moves = []
            self._take(setup.moves)
            self.comments = {number: text for number, text in self.comments.items() if number <= len(self.moves)}

    def add(self, color: int, move: TimedMove) -> None:
        """Add a move that the server has, though our rules may forbid it.

        Raises:
            ServerFault: if it is not that player's turn, or no rules allow it.
        """
        if color != (WHITE if len(self.moves) % 2 else BLACK):
            raise ServerFault(f"{move.vertex} is played out of turn")
        try:
            self.game.play(color, move.vertex)
        except IllegalMove as error:
            self.game.rules = _ANY_MOVE
            try:
                self.game.play(color, move.vertex)
            except IllegalMove:
                raise ServerFault(f"move {len(self.moves) + 1}, {move.vertex}: {error}") from None
        self.moves.append(move)

    def to_sgf(self, over: GameOver | None, place: str) -> bytes:
        """Return the game as SGF; `over` says how it ended, if it did."""
        setup = self.setup
        comments = dict(self.comments)
        if over is not None and (over.reason or over.result.lower().endswith("illegal")):
            last = len(self.moves)
            words = f"{over.result} {over.reason}".strip()
            comments[last] = "\n".join(filter(None, [comments.get(last), words]))
        info = GameInfo(
            black=setup.black,
            white=setup.white,
            result="?" if over is None else sgf_result(over.result),
            rules=self.rules,
            date=self.date,
            event="CGOS",
            round=setup.game,
            place=place,
            black_rating=setup.black_rating,
            white_rating=setup.white_rating,
            time_limit=f"{setup.milliseconds / 1000:g}",
            comments=comments,
            seconds_left={number: max(0, move.milliseconds) / 1000 for number, move in enumerate(self.moves, start=1)},
        )
        return sgf_of(self.game, info)

    def summarise(self, over: GameOver) -> dict[str, Any]:
        """Return the game in a few words, for JSON."""
        setup = self.setup
        is_black = self.color == BLACK
        return {
            "game": setup.game,
            "date": self.date,
            "color": "black" if is_black else "white",
            "opponent": self.opponent,
            "rating": setup.black_rating if is_black else setup.white_rating,
            "opponent_rating": setup.white_rating if is_black else setup.black_rating,
            "result": over.result,
            "reason": over.reason,
            "won": won_by(over.result, self.color),
            "moves": len(self.moves),
            "least_seconds_left": None if self.least_left is None else self.least_left / 1000,
            "reconnections": self.num_reconnections,
        }

    def _take(self, moves: tuple[TimedMove, ...]) -> None:
        for number, move in enumerate(moves):
            self.add(WHITE if number % 2 else BLACK, move)


def sgf_result(result: str) -> str:
    """Return SGF's `RE` for the server's result: `B+R` for `B+Resign`, `0` for a draw, `?` for what is none."""
    winner, plus, how = result.partition("+")
    if result.lower() in ("draw", "0"):
        return "0"
    if not plus or winner.upper() not in ("B", "W"):
        return "?"
    try:
        return f"{winner.upper()}+{float(how):g}"
    except ValueError:
        return f"{winner.upper()}+{_WORDS_OF_RESULT.get(how.lower(), '')}"


def won_by(result: str, color: int) -> bool | None:
    """Tell whether a colour won by the server's result; None for a draw or no result."""
    winner = result[:2].upper()
    return None if winner not in ("B+", "W+") else (winner == "B+") == (color == BLACK)


class GameFolder:
    """The folder of a player's games; one program at a time writes there.

    FOLDER/games/NUMBER.sgf   a game, while it is played too
    FOLDER/results.jsonl      a line of JSON for each finished game
    FOLDER/cgos.log           what was said between the server and us, without the password
    FOLDER/.lock              held while miai plays
    """

    def __init__(self, settings: CgosSettings) -> None:
        """Make the folder and lock it.

        Raises:
            FolderInUse: if another program has locked it.
            OSError: if it cannot be made.
        """
        self.path = Path(settings.folder)
        (self.path / "games").mkdir(parents=True, exist_ok=True)
        lock = take_lock(self.path / ".lock", "games")
        if lock is None:
            raise FolderInUse(f"{self.path} is in use by another miai cgos")
        self._lock: BaseFileLock = lock
        self._place = f"{settings.server} port {settings.port}"
        self._paths: dict[str, Path] = {}

    def __enter__(self) -> "GameFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def save(self, record: ServerGame, over: GameOver | None = None) -> Path:
        """Write a game's file; with `over`, its line too. Return the file."""
        number = record.setup.game
        path = self._paths.setdefault(number, self._free_path(number))
        write_file(path, record.to_sgf(over, self._place))
        if over is not None:
            self._paths.pop(number)
            with open(self.path / "results.jsonl", "ab") as lines:
                lines.write((json.dumps(record.summarise(over), ensure_ascii=False) + "\n").encode())
                lines.flush()
                os.fsync(lines.fileno())
        return path

    def _free_path(self, number: str) -> Path:
        """Return where a game is kept: not where an earlier one of the same number is that has ended."""
        path, copy = self.path / "games" / f"{number}.sgf", 1
        while _has_ended(path):
            copy += 1
            path = path.with_name(f"{number}-{copy}.sgf")
        return path


def _has_ended(path: Path) -> bool:
    with contextlib.suppress(SgfError):
        return path.exists() and load_game(path)[1].result != "?"
    return True
