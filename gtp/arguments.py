"""Arguments of GTP commands as colours, moves and numbers, and back."""

import math
import re

from miai.engine.go.points import BLACK, WHITE, VertexError, move_at, vertex_of
from miai.gtp.protocol import CommandError, Exchange, SyntaxFault

_COLORS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class VertexFault(CommandError):
    """A colour or a vertex that is none."""

    def __init__(self) -> None:
        super().__init__("invalid color or coordinate")


def is_color(text: str) -> bool:
    """Tell whether a text names a player."""
    return text.lower() in _COLORS


def read_color(text: str) -> int:
    """Return the player that `b`, `black`, `w` or `white` names, in any case.

    Raises:
        VertexFault: if it names none.
    """
    if not is_color(text):
        raise VertexFault
    return _COLORS[text.lower()]


def read_move(text: str, size: int) -> int:
    """Return the point or PASS that a vertex names.

    Raises:
        VertexFault: if it names none on this board; `resign` is no vertex.
    """
    try:
        return move_at(text, size)
    except VertexError:
        raise VertexFault from None


def read_colored_moves(exchange: Exchange, size: int) -> list[tuple[int, int]]:
    """Return the pairs of colour and move that an exchange's arguments name.

    Raises:
        SyntaxFault: if the last colour has no vertex.
        VertexFault: if a text is no colour or no vertex.
    """
    words = exchange.arguments
    if len(words) % 2:
        raise SyntaxFault
    return [(read_color(words[i]), read_move(words[i + 1], size)) for i in range(0, len(words), 2)]


def read_number(text: str) -> float:
    """Return a finite decimal number.

    Raises:
        SyntaxFault: if it is none.
    """
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise SyntaxFault
    return number


def write_vertices(moves: list[int] | tuple[int, ...], size: int) -> str:
    """Return moves as vertices with blanks between."""
    return " ".join(vertex_of(move, size) for move in moves)
