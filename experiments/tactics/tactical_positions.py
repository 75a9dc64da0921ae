"""Hard positions on the 9x9 board, each with one task: whoever finds a marked move wins, any other move loses.

To add one, draw it, mark every right move by a lower-case letter, and choose the komi between what the right moves and
what the best wrong move lead to, under area scoring.

All were drawn by hand or by filling a hand-made frame with chance stones, and kept only if

- the default player, 50,000 simulations from each of three seeds, chose a marked move with a value above 0.8;
- from the position after any other move worth searching the same player, 5,000 simulations, and 50,000 where those left
  doubt, gave the mover less than 0.25;
- GNU Go 3.8, level 10, playing both sides, won after a marked move and lost after a wrong one. It did not punish three
  wrong moves of `net` and one of `second-line`; the default player, 5,000 simulations, punished each of these.
"""

from dataclasses import dataclass

from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE

SIZE = 9


@dataclass(frozen=True)
class TacticalPosition:
    """A position, who is to move, and the moves that win."""

    name: str
    theme: str
    color: int
    """The player to move."""
    komi: float
    """Such that the right moves win and all others lose."""
    text: str
    """A diagram in which lower-case letters mark the right moves."""

    @property
    def right_moves(self) -> frozenset[int]:
        """The points that win."""
        return frozenset(point for points in read_diagram(self.text).marks.values() for point in points)

    def game(self) -> Game:
        """Return a game that begins here, under Tromp-Taylor rules."""
        return game_from_diagram(self.text, self.color, self.komi)


HARD_POSITIONS = (
    TacticalPosition(
        "cutting-stones",
        "capture",
        BLACK,
        0.5,
        """
        . . . X . . . . .
        . O X X O . . O .
        . X O O a . . . .
        . . X X O . O . .
        . . . X O . . . O
        . . . X X O . . .
        . . X X X O . . .
        X X X . X O X . .
        . . . . X O . . .
        """,
    ),
    TacticalPosition(
        "net",
        "net",
        BLACK,
        16.5,
        """
        O . O O O . . O .
        . O O O X X X O O
        . X X O X X X O .
        . . . X O . . . .
        X . X X . a . . .
        . . X . . . O O O
        X . X O . . . O .
        X . . . O . . . O
        X . X X X . . O O
        """,
    ),
    TacticalPosition(
        "ladder",
        "ladder",
        BLACK,
        30.5,
        """
        O O . O O . . O .
        . O O O X X X O O
        . X X O X . O O .
        . . . X O a . O .
        X X X X . . . X .
        . X . . . . . . .
        X X . . . . . . X
        . X . . . X . . X
        X X . X . X . . X
        """,
    ),
    TacticalPosition(
        "broken-ladder",
        "ladder",
        WHITE,
        11.5,
        """
        O . O O O . . O .
        O O O O X X X O O
        . X X O X . O O X
        . . . X O X . . X
        X X X X a . . O .
        X . X . . O . . X
        . . O . X . O . X
        X X . O . X . . .
        . X . X X . X X X
        """,
    ),
    TacticalPosition(
        "kill-four",
        "nakade",
        WHITE,
        0.5,
        """
        . . O X . a . X O
        . . O X X . X X O
        . . O O X X X O O
        . . . O O O O O .
        O O O O . . . . .
        X X X O O O O O O
        X X X X X X X X X
        X . X X . X X . X
        . X X . X X . X .
        """,
    ),
    TacticalPosition(
        "kill-five",
        "nakade",
        BLACK,
        13.5,
        """
        X O . a . O X . .
        X O O . . O X . X
        X X O O O O X X .
        . X X X X X X . X
        X . X . X . X X .
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        . O . O . O . O .
        """,
    ),
    TacticalPosition(
        "live-five",
        "nakade",
        BLACK,
        -46.5,
        """
        . . . O X . X . .
        . . . O X X X X X
        O O O O O O O O O
        X X X O O O . . O
        . a X X O . . . O
        a a . X O . . . O
        X X X X O . . . O
        O O O O O O O O O
        . . . . . . . . .
        """,
    ),
    TacticalPosition(
        "kill-six",
        "nakade",
        BLACK,
        20.5,
        """
        X O O . . O X . X
        X O . a . O X X X
        X O O . O O X X X
        X X O O O X X . .
        . X X X X X X X X
        . . . X . . X . X
        X X X X X X O O O
        O O O O O O O . O
        . O . . . O . O .
        """,
    ),
    TacticalPosition(
        "ko",
        "ko",
        BLACK,
        -3.5,
        """
        . O O . O X . X .
        O O O O a O X . .
        X X X O O X X . .
        . . X X X . . X X
        X X X X X X X X X
        O O O O O O O O O
        O . O . . . O . .
        O O O . . . O O .
        . . O O O O O . .
        """,
    ),
    TacticalPosition(
        "race",
        "race",
        BLACK,
        4.5,
        """
        O . X O a X . X .
        O . X O a X X . .
        O . X O a X . X .
        O . X O a X X X X
        O O X O X X . X .
        O O X O X X X X X
        . O X O X X O O O
        O O O X X O O . O
        . O . O X O . O .
        """,
    ),
    TacticalPosition(
        "eye-race",
        "race",
        BLACK,
        30.5,
        """
        O X X X . O X X .
        O X . X . O . X .
        O O a X O O . X .
        . O O O X X X X .
        O O X X X . . X .
        . O X . . X . X .
        O O X X . X X X .
        . O O O X X X X .
        . . . O X . X . .
        """,
    ),
    TacticalPosition(
        "seki",
        "seki",
        BLACK,
        12.5,
        """
        . O O X . O X X .
        O . O X . O X . .
        O O O X O O a X .
        . O O O X X X X .
        O O X X X . . X .
        . O X . . X . X .
        O O X X . X X X .
        . O O O X X X X .
        . . . O X . X . .
        """,
    ),
    TacticalPosition(
        "throw-in",
        "throw-in",
        BLACK,
        0.5,
        """
        . O O O a . X . .
        O . O X O O X X .
        O O O X O O X . .
        X X X X O O X X .
        . . X . X X X . .
        X X X X X X X X X
        O O O O O O O O O
        . . O . . O . . .
        . . . . O . . . .
        """,
    ),
    TacticalPosition(
        "connect-and-die",
        "connect-and-die",
        BLACK,
        -3.5,
        """
        . O O . O a a . X
        O . O O X O O X X
        O O O X X O O X .
        X X X X X O O X .
        . . . X X X X X .
        X X X X X X X X X
        O O O O O O O O O
        . . O . . O . . .
        . . . . O . . . .
        """,
    ),
    TacticalPosition(
        "snapback",
        "snapback",
        BLACK,
        -5.5,
        """
        . . . . X O . . .
        . . . X X O O . .
        . . X . X O . . .
        . . . X X O O . .
        X X X . X X O O .
        X X X X X O O . .
        O O X X X O . . .
        O O X . X O O O .
        . a O O O O . . .
        """,
    ),
    TacticalPosition(
        "corner-live",
        "corner",
        WHITE,
        -3.5,
        """
        O . O . O . O . O
        O O O O O O O O O
        . O . O . O . O .
        O O O O O O O O O
        X X X X X X X X X
        . X X X X X X . X
        O O O O X X X X X
        . . . O X X X . X
        . a . . X X X X X
        """,
    ),
    TacticalPosition(
        "corner-kill",
        "corner",
        BLACK,
        2.5,
        """
        O . O . O . O . O
        O O O O O O O O O
        . O . O . O . O .
        O O O O O O O O O
        X X X X X X X X X
        . . . . X . X . X
        . O O . O X X X X
        a . O O . . X . X
        . O . . . X X X X
        """,
    ),
    TacticalPosition(
        "corner-hane",
        "corner",
        BLACK,
        2.5,
        """
        O . O . O . O . O
        O O O O O O O O O
        . O . O . O . O .
        O O O O O O O O O
        X X X X X X X X X
        . O O X . . X . X
        O O O O O O X X X
        . . X O . . X . X
        . . . a . X X X X
        """,
    ),
    TacticalPosition(
        "block",
        "endgame",
        BLACK,
        -5.5,
        """
        . X . X O . O . .
        X X X X O O O . .
        . X . X X O . . .
        X X X X X O O O O
        . . . . X O . O .
        . . X . X O O O O
        . . X X X O . . .
        . . a O O O O . .
        . . . . . . . . .
        """,
    ),
    TacticalPosition(
        "second-line",
        "endgame",
        WHITE,
        -5.5,
        """
        . X . X O . . O .
        X X X X O O O O O
        . X . X X . O O .
        X X X X X . O O O
        . X X O . X O O .
        X X X X . . O O O
        . X . O . . O . O
        X . a X . O . . O
        . . O O . . O O .
        """,
    ),
)
