"""Positions as text, to read and to write.

      A B C
    3 . X .
    2 X O a
    1 . X .

X (or #) is Black, O White, . (or +) empty; a lower-case letter marks an empty point. Column letters, row numbers and
spaces may be left out when a diagram is read.
"""

from dataclasses import dataclass, field

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, COLUMN_LETTERS, EMPTY, MAX_SIZE, MIN_SIZE, WHITE, point_at
from miai.engine.go.rules import RULES, Rules

_COLORS = {"X": BLACK, "#": BLACK, "O": WHITE, ".": EMPTY, "+": EMPTY}


class DiagramError(ValueError):
    """A text that shows no position."""


@dataclass(frozen=True)
class Diagram:
    """What a diagram shows."""

    size: int
    """The number of rows and columns."""
    stones: dict[int, int]
    """Point to colour of the stones."""
    marks: dict[str, list[int]] = field(default_factory=dict)
    """Lower-case letter to the empty points it marks, row-major."""

    def marked(self, letter: str = "a") -> int:
        """Return the one point that `letter` marks.

        Raises:
            DiagramError: if it marks none or several.
        """
        points = self.marks.get(letter, [])
        if len(points) != 1:
            raise DiagramError(f"{letter!r} marks {len(points)} points, not one")
        return points[0]


def read_diagram(text: str) -> Diagram:
    """Return what a diagram shows.

    Raises:
        DiagramError: if it is no square of 2 to 19 rows of known signs.
    """
    rows = [_strip_labels(line) for line in text.splitlines()]
    rows = [row for row in rows if row]
    size = len(rows)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise DiagramError(f"a diagram has {MIN_SIZE} to {MAX_SIZE} rows, not {size}")
    stones: dict[int, int] = {}
    marks: dict[str, list[int]] = {}
    for row, signs in enumerate(rows):
        if len(signs) != size:
            raise DiagramError(f"row {row + 1} from the top has {len(signs)} points, not {size}")
        for column, sign in enumerate(signs):
            point = point_at(row, column, size)
            if _COLORS.get(sign, EMPTY) != EMPTY:
                stones[point] = _COLORS[sign]
            elif sign not in _COLORS:
                if not (sign.isascii() and sign.islower()):
                    raise DiagramError(f"unknown sign {sign!r}: allowed are X # O . + and a to z")
                marks.setdefault(sign, []).append(point)
    return Diagram(size, stones, marks)


def _strip_labels(line: str) -> str:
    """Return the signs of a line: without row numbers and spaces, and nothing for a line of column letters."""
    signs = line.split("|")[0].strip().strip("0123456789").replace(" ", "")
    if len(signs) >= MIN_SIZE and COLUMN_LETTERS.startswith(signs):
        return ""
    return signs


def game_from_diagram(text: str, to_play: int = BLACK, komi: float = 7.0, rules: Rules = RULES["tromp-taylor"]) -> Game:
    """Return a game that begins with the position shown.

    Raises:
        DiagramError: as `read_diagram`.
        ValueError: if a block has no liberty.
    """
    diagram = read_diagram(text)
    game = Game(diagram.size, komi, rules)
    game.set_up(diagram.stones, to_play)
    return game
