"""The lines of CGOS's server, as its clients read them.

    protocol [genmove_analyze]      asks who speaks; the answer is `e1 PROGRAM [genmove_analyze]`
    username, password              ask for the account
    setup GAME SIZE KOMI MILLISECONDS WHITE(RATING) BLACK(RATING) [MOVE MILLISECONDS]…
                                    a game begins, or goes on after the moves named, Black's first
    play COLOUR MOVE MILLISECONDS   the opponent moved, and has so much time left
    genmove COLOUR MILLISECONDS     asks for a move, with the time left; the answer is `MOVE [JSON]`
    gameover DATE RESULT [REASON]   the game has ended; the answer is `ready` for another one, or `quit`
    info TEXT                       is for people
    Error: TEXT                     ends the connection

Source: the protocol of the client `e1` by Don Dailey and Christian Nentwich, with Kensuke Matsuzaki's extension
`genmove_analyze`; https://github.com/zakki/cgos.
"""

import math
import re
from typing import NamedTuple

from miai.engine.go.points import BLACK, MAX_KOMI, MAX_SIZE, MIN_SIZE, WHITE, VertexError, move_at, vertex_of

_MAX_MILLISECONDS = 1 << 40
_COLORS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_PLAYER = re.compile(r"([^()]+)(?:\(([^()]*)\))?")
_GAME = re.compile(r"[0-9A-Za-z_-]{1,40}")


class Malformed(ValueError):
    """A line that the protocol does not allow; the text says why."""


class Protocol(NamedTuple):
    """The server asks which program speaks."""

    takes_analysis: bool
    """Whether moves may come with an analysis."""


class NameWanted(NamedTuple):
    """The server asks for the account's name."""


class PasswordWanted(NamedTuple):
    """The server asks for the password."""


class TimedMove(NamedTuple):
    """A move and the time that its player has left after it."""

    vertex: str
    """As GTP writes it, in capitals; `pass`."""
    milliseconds: int


class Setup(NamedTuple):
    """A game begins or goes on."""

    game: str
    """The server's number of it."""
    size: int
    komi: float
    milliseconds: int
    """Each side's time for the game."""
    white: str
    white_rating: str
    black: str
    black_rating: str
    moves: tuple[TimedMove, ...]
    """Moves made so far, Black's first."""


class OpponentPlayed(NamedTuple):
    """The opponent has moved."""

    color: int
    vertex: str
    milliseconds: int
    """The opponent's time left; below zero if it is overstepped."""


class MoveWanted(NamedTuple):
    """The server asks for a move."""

    color: int
    milliseconds: int
    """Our time left."""


class GameOver(NamedTuple):
    """The game has ended."""

    date: str
    result: str
    """As the server writes it: `B+3.5`, `W+Resign`, `B+Time`, `W+Illegal`, `Draw`."""
    reason: str
    """The server's words, such as on what was illegal."""


class Info(NamedTuple):
    """Words for people."""

    text: str


class Refusal(NamedTuple):
    """The server wants nothing to do with this client."""

    text: str


class Unknown(NamedTuple):
    """A line of another kind."""

    text: str


Message = (
    Protocol | NameWanted | PasswordWanted | Setup | OpponentPlayed | MoveWanted | GameOver | Info | Refusal | Unknown
)


def read_message(line: str, size: int) -> Message:
    """Read a line of the server's.

    Args:
        line: without its newline.
        size: of the board that is played on.

    Raises:
        Malformed: if it is of a known kind, but wrong.
    """
    name, _, rest = line.strip().partition(" ")
    words = rest.split()
    if line.lower().startswith("error"):
        return Refusal(line.partition(":")[2].strip() or line.strip())
    try:
        match name:
            case "protocol":
                return Protocol("genmove_analyze" in words)
            case "username":
                return NameWanted()
            case "password":
                return PasswordWanted()
            case "setup":
                return _read_setup(words)
            case "play":
                color, vertex, milliseconds = words
                return OpponentPlayed(_color(color), _vertex(vertex, size), _milliseconds(milliseconds))
            case "genmove":
                color, milliseconds = words
                return MoveWanted(_color(color), _milliseconds(milliseconds))
            case "gameover":
                date, result, *reason = words
                return GameOver(date, result, " ".join(reason))
            case "info":
                return Info(rest.strip())
    except Malformed:
        raise
    except ValueError:
        raise Malformed(f"{line[:80]!r} has too few or too many words") from None
    return Unknown(line.strip())


def _read_setup(words: list[str]) -> Setup:
    game, size_text, komi_text, time_text, white, black, *moves = words
    if not _GAME.fullmatch(game):
        raise Malformed(f"{game[:40]!r} is no number of a game")
    size = int(size_text) if size_text.isascii() and size_text.isdigit() and len(size_text) < 4 else 0
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise Malformed(f"{size_text[:20]!r} is no board size from {MIN_SIZE} to {MAX_SIZE}")
    try:
        komi = float(komi_text)
    except ValueError:
        komi = math.nan
    if not abs(komi) <= MAX_KOMI:
        raise Malformed(f"{komi_text[:20]!r} is no komi")
    if len(moves) % 2:
        raise Malformed("a move without its time")
    timed = (TimedMove(_vertex(moves[at], size), _milliseconds(moves[at + 1])) for at in range(0, len(moves), 2))
    return Setup(game, size, komi, _milliseconds(time_text), *_player(white), *_player(black), tuple(timed))


def _player(text: str) -> tuple[str, str]:
    """Return name and rating of `NAME(RATING)`; the rating may be missing."""
    if (found := _PLAYER.fullmatch(text)) is None:
        raise Malformed(f"{text[:40]!r} is no player")
    return found[1], found[2] or ""


def _color(text: str) -> int:
    if text.lower() not in _COLORS:
        raise Malformed(f"{text[:20]!r} is no colour")
    return _COLORS[text.lower()]


def _vertex(text: str, size: int) -> str:
    try:
        return vertex_of(move_at(text, size), size)
    except VertexError as error:
        raise Malformed(str(error)) from None


def _milliseconds(text: str) -> int:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) <= _MAX_MILLISECONDS:
        raise Malformed(f"{text[:20]!r} is no time in milliseconds")
    return int(number)
