"""Points, colours, results and their names, defined once.

A board of `size` S is stored row by row with one border column between rows, so that a neighbour is a fixed
offset away and every point has four of them:

    index = (row + 1)·(S + 1) + column + 1        row 0 is the top, column 0 the left

         A B C            0  1  2  3      border
      3  . . .  3         4| 5  6  7
      2  . . .  2         8| 9 10 11
      1  . . .  1        12|13 14 15
         A B C           16 17 18 19 20   border

A *point* is such an index, a *vertex* its GTP text (`D4`), a *move* a point or `PASS`.
"""

import functools
from typing import NamedTuple

EMPTY = 0
BLACK = 1
WHITE = 2
BORDER = 3
"""Colour of what lies outside the board; `colour & BORDER` is not zero for a stone or the border."""

PASS = 0
"""The move that places no stone. Index 0 is never a point of the board."""
NO_MOVE = -1
"""Stands where no move was made yet."""
RESIGN = -2
"""A player's decision to give up; never played on a board."""

MIN_SIZE = 2
MAX_SIZE = 19
MAX_KOMI = 1000.0
"""The most points of komi for either player: more than any board has, and so few that no score overflows."""

COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRST"
"""GTP's column names: no I."""


class VertexError(ValueError):
    """A text that names no point of the board."""


def opponent(color: int) -> int:
    """Return the other player's colour."""
    return BLACK + WHITE - color


def color_name(color: int) -> str:
    """Return `black`, `white`, `empty` or `border`."""
    return ("empty", "black", "white", "border")[color]


def num_indices(size: int) -> int:
    """Return how many indices a board uses, border included."""
    return (size + 2) * (size + 1) + 1


def point_at(row: int, column: int, size: int) -> int:
    """Return the point in `row` (0 = top) and `column` (0 = left)."""
    return (row + 1) * (size + 1) + column + 1


class Location(NamedTuple):
    """Where a point lies; row 0 is the top, column 0 the left."""

    row: int
    column: int


def location_of(point: int, size: int) -> Location:
    """Return row and column of a point on the board."""
    row, column = divmod(point, size + 1)
    return Location(row - 1, column - 1)


def all_points(size: int) -> list[int]:
    """Return the points of the board, row-major from the top left."""
    return [point_at(row, column, size) for row in range(size) for column in range(size)]


@functools.cache
def vertex_of(move: int, size: int) -> str:
    """Return the GTP text of a move: `D4`, `pass`, or `resign`."""
    if move == PASS:
        return "pass"
    if move == RESIGN:
        return "resign"
    row, column = location_of(move, size)
    return f"{COLUMN_LETTERS[column]}{size - row}"


def format_score(score: float) -> str:
    """Return a result as GTP and SGF write it, `B+3.5`, `W+12`, or `0` for a draw; `score` is Black's minus White's."""
    if abs(score) < 1e-9:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):.10g}"


def move_at(vertex: str, size: int) -> int:
    """Return the move that a GTP vertex names; case does not matter.

    Raises:
        VertexError: if the text is neither `pass` nor a point of a board of this size.
    """
    text = vertex.strip().upper()
    if text == "PASS":
        return PASS
    column = COLUMN_LETTERS.find(text[:1]) if text else -1
    digits = text[1:]
    if 0 <= column < size and digits.isascii() and digits.isdigit() and len(digits) <= 2:
        row = size - int(digits)
        if 0 <= row < size:
            return point_at(row, column, size)
    last = f"{COLUMN_LETTERS[size - 1]}{size}"
    raise VertexError(f"{vertex[:20]!r} is no point of a {size}x{size} board (A1 to {last}, no I) and not 'pass'")
