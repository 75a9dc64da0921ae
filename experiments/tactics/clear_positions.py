"""Clear positions on the 9x9 board: everything is settled but for a few points, and one move there wins.

They test that rules are right, not how strong they are: as neither player's moves in settled territory are searched, a
search that converges at all goes through what is left soon. To add one, draw it so that all else is pass-alive, and
choose the komi two points or more from what the right move and the best other lead to.
`tests/experiments/test_clear_positions.py` proves each position by trying all moves.
"""

from miai.engine.go.points import BLACK, WHITE
from miai.experiments.tactics.tactical_positions import TacticalPosition

CLEAR_POSITIONS = (
    TacticalPosition(
        "capture-two",
        "capture",
        BLACK,
        -42.5,
        """
        . X X O X . X . X
        X X X O X X X X .
        O O O a X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "capture-for-eye",
        "capture",
        BLACK,
        17.5,
        """
        . X O a O . O . O
        X X X X O O O O O
        O O O O O . O O O
        O O O O O O O O O
        X X X X X X X X X
        X . X . X . X . X
        X X X X X X X X X
        X X X X X X X X X
        X . X . X . X . X
        """,
    ),
    TacticalPosition(
        "short-net",
        "net",
        BLACK,
        -26.5,
        """
        . X O O O . . X .
        X X X X . a O X X
        . X X X . X O X .
        X X X X O O O X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "short-ladder",
        "ladder",
        BLACK,
        -27.5,
        """
        . X O O O . . X .
        X X X X a . . X X
        . X O O O . X X .
        X X O O O X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "escape",
        "ladder",
        WHITE,
        -30.5,
        """
        . X O O O . . X .
        X X X X a . . X X
        . X O O O . X X .
        X X O O O X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "kill-three",
        "nakade",
        BLACK,
        -35.5,
        """
        . a . O X . X . X
        O O O O X X X X .
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "live-three",
        "nakade",
        WHITE,
        -35.5,
        """
        . a . O X . X . X
        O O O O X X X X .
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "kill-bent-three",
        "nakade",
        BLACK,
        -17.5,
        """
        a . O X X . X . X
        . O O X X X X X X
        O O X X X X . X X
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "live-bent-three",
        "nakade",
        WHITE,
        -17.5,
        """
        a . O X X . X . X
        . O O X X X X X X
        O O X X X X . X X
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "false-eye",
        "eye",
        BLACK,
        -34.5,
        """
        . O . O X . X . X
        O O O a X X X X .
        X X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "edge-ko",
        "ko",
        BLACK,
        -40.5,
        """
        . X X O X X . X X
        X X O a O X X X X
        O O O O O X . X X
        O O O O O X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "short-race",
        "race",
        BLACK,
        27.5,
        """
        O . X O a X . X X
        O . X O a X X X .
        O O X O X X . X X
        . O X O X X X X .
        O O X O X X . X X
        . O O X X X X X .
        O O O X X . X X X
        . O O X X X X . X
        O . O X . X X X X
        """,
    ),
    TacticalPosition(
        "shared-liberty",
        "race",
        BLACK,
        25.5,
        """
        O . X . O a X . X
        O O X X O X X X X
        . O X O O X X . X
        O O O X X X X X X
        . O O X X X . X X
        O O O X X X X X .
        . O O X X . X X X
        O O O X X X X . X
        O . O X . X X X X
        """,
    ),
    TacticalPosition(
        "short-seki",
        "seki",
        BLACK,
        20.5,
        """
        O O X . O a X . X
        O O X . O X X X X
        . O X O O X X . X
        O O O X X X X X X
        . O O X X X . X X
        O O O X X X X X .
        . O O X X . X X X
        O O O X X X X . X
        O . O X . X X X X
        """,
    ),
    TacticalPosition(
        "small-snapback",
        "snapback",
        BLACK,
        -38.5,
        """
        . O O X X . X . X
        a O O X X X X X .
        O X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "no-snapback",
        "snapback",
        WHITE,
        -38.5,
        """
        . O O X X . X . X
        a O O X X X X X .
        O X X X X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "connect-and-lose",
        "connect-and-die",
        BLACK,
        -30.5,
        """
        . O O . O O a O O
        X X X X O O X O .
        X . X . X X X O O
        X X X X X X X O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "save-two",
        "connect-and-die",
        WHITE,
        -30.5,
        """
        . O O . O O a O O
        X X X X O O X O .
        X . X . X X X O O
        X X X X X X X O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        """,
    ),
    TacticalPosition(
        "link",
        "connection",
        BLACK,
        -44.5,
        """
        . X X a . X X . X
        X X O O X X . X X
        O O O O X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
    TacticalPosition(
        "cut",
        "connection",
        WHITE,
        -44.5,
        """
        . X X a . X X . X
        X X O O X X . X X
        O O O O X X X X X
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        O O O O O O O O O
        O . O . O . O . O
        O O O O O O O O O
        """,
    ),
)
