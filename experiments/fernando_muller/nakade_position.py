"""A position in which one point kills or saves, and how often playouts see it (Fernando & Müller 2013, figure 5).

The paper's figure is a game's position; this one is made to have what the text says of that: Black has just played near
the bottom right corner, and the point a is the only move that does not lose, for both sides. White there has two eyes,
Black there kills; the game turns on it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from miai.engine.go.board import copy_board, play
from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, WHITE, location_of, opponent
from miai.experiments.plots import drawing
from miai.experiments.report_tables import markdown_table
from miai.playouts.distribution import distribution
from miai.playouts.playout import playout_score
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KOMI = 6.5
DIAGRAM = """
   A B C D E F G H J
9  . O . O . O . O .
8  O O O O O O O O O
7  O O O O O O O O O
6  O O O O O O O O O
5  X X . X X X X X X
4  X X X X X X X X X
3  X X X X X X X X b
2  X . X . X O O O w
1  X X X X X O . a .
"""
"""b is Black's marked move, w a stone of White's: where that came last, the layer `nakade` looks at the space."""


class Sight(NamedTuple):
    """What playouts of a policy do with the vital point."""

    at_once: float
    """Chance that it is the first move."""
    by_mover: float
    """Share of the playouts in which the player to move takes it before anybody plays beside it in the space."""
    by_opponent: float
    """The same of the opponent."""
    black_wins: float


def vital_point() -> int:
    """Return the point a."""
    return read_diagram(DIAGRAM).marked("a")


def position(to_play: int) -> Game:
    """Return the position: after Black's marked move if White is to play, after White's last stone if Black is."""
    marks = read_diagram(DIAGRAM).marks
    last, other = ("b", "w") if to_play == WHITE else ("w", "b")
    text = DIAGRAM.replace(f" {last}\n", " .\n").replace(f" {other}\n", " X\n" if other == "b" else " O\n")
    game = game_from_diagram(text, opponent(to_play), KOMI)
    game.play(opponent(to_play), marks[last][0])
    return game


def sight_of(policy_name: str, to_play: int, playouts: int, seed: int = 0) -> Sight:
    """Play out the position and tell how often the vital point is seen."""
    game = position(to_play)
    policy = make_policy(policy_name)
    vital = vital_point()
    space = [point for point in (vital - 1, vital + 1) if game.board["color"][point] == EMPTY]
    workspace = new_playout_workspace(game.size, seed)
    board = np.array([game.board])
    by = {BLACK: 0, WHITE: 0}
    wins = 0
    for _ in range(playouts):
        copy_board(board[0], game.board)
        mover, is_open = to_play, True
        for _ in range(3 * game.size**2):
            if board[0]["num_passes"] >= 2:
                break
            move = int(policy.choose(board[0], workspace[0]))
            if is_open and move == vital:
                by[mover] += 1
            is_open = is_open and move != vital and move not in space
            play(board[0], move)
            mover = opponent(mover)
        wins += int(playout_score(board[0])) > KOMI
    first = float(distribution(policy, game.board)[vital])
    return Sight(first, by[to_play] / playouts, by[opponent(to_play)] / playouts, wins / playouts)


def sight_table(policies: Sequence[str], playouts: int) -> str:
    """Return how often playouts of each policy see the point, whoever is to play."""
    rows = []
    for to_play, name in ((WHITE, "White, after Black's marked move"), (BLACK, "Black, after White's w")):
        for policy in policies:
            sight = sight_of(policy, to_play, playouts)
            rows.append([name, f"`{policy}`", *(f"{100 * share:.1f}" for share in sight)])
    headers = ["to play", "policy", "a at once, %", "a taken by mover, %", "by the opponent, %", "Black wins, %"]
    return markdown_table(headers, rows)


def draw_position(path: Path) -> None:
    """Draw the diagram with the marked move and the point A."""
    game = position(WHITE)
    with drawing(path, 4, 4) as figure:
        axes = figure.subplots()
        _draw_board(axes, game)
        row, column = location_of(game.moves[-1][1], game.size)
        axes.plot(column, row, "o", color="white", markersize=5)
        row, column = location_of(vital_point(), game.size)
        axes.text(column, row, "A", ha="center", va="center", color="black", fontsize=11, fontweight="bold")


def _draw_board(axes: "Axes", game: Game) -> None:
    from matplotlib.patches import Circle, Rectangle

    size = game.size
    axes.add_patch(Rectangle((-0.7, -0.7), size + 0.4, size + 0.4, facecolor="#dcb35c"))
    for line in range(size):
        axes.plot([0, size - 1], [line, line], [line, line], [0, size - 1], color="#5a4a2a", linewidth=0.7, zorder=1)
    for point, color in game.stones().items():
        row, column = location_of(point, size)
        face = "black" if color == BLACK else "white"
        axes.add_patch(Circle((column, row), 0.46, facecolor=face, edgecolor="black", linewidth=0.7, zorder=2))
    axes.set(aspect="equal", xlim=(-0.7, size - 0.3), ylim=(size - 0.3, -0.7))
    axes.set_axis_off()
