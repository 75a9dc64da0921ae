"""Draw a position with what a search of it found, as the figure in the README.

    python docs/draw_analysis.py docs/analysis.svg

Stones, the move last played, and on the best points their win rate, visits and place; empty points are shaded
by whom the playouts give them to.
"""

import sys
from pathlib import Path

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, COLUMN_LETTERS, PASS, location_of, move_at
from miai.engine.search.report import SearchReport
from miai.engine.search.search import Budget
from miai.players.options import PlayerOptions
from miai.players.player import Player

MOVES = "E5 G6 E7 G4 C4 F7 E6 F8 G3 H3 F3 H4 D8 C6"
"""The position of the figure."""
CELL = 60
NUM_LABELS = 6


def draw(game: Game, report: SearchReport) -> str:
    """Return the position and the report as SVG text."""
    size = game.size
    side = CELL * (size + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" font-family="sans-serif" '
        'text-anchor="middle">',
        f'<rect width="{side}" height="{side}" fill="#e3b869"/>',
    ]
    first, last = CELL, CELL * size
    for index in range(size):
        line = CELL * (index + 1)
        parts.append(f'<path d="M{first} {line}H{last}M{line} {first}V{last}" stroke="#5a4320" fill="none"/>')
        parts.append(f'<text x="{line}" y="{side - 8}" font-size="15">{COLUMN_LETTERS[index]}</text>')
        parts.append(f'<text x="12" y="{line + 5}" font-size="15">{size - index}</text>')
    parts += _draw_owners(report, size)
    for point, color in game.stones().items():
        parts.append(_circle(point, size, 0.46, "#111" if color == BLACK else "#fafafa"))
    if game.moves and game.moves[-1][1] != PASS:
        parts.append(_circle(game.moves[-1][1], size, 0.14, "#d33"))
    candidates = [move for move in report.moves if move.move != PASS and move.visits > 0][:NUM_LABELS]
    for order, move in enumerate(candidates):
        x, y = _center(move.move, size)
        parts.append(_circle(move.move, size, 0.44, "#3fa34d" if order == 0 else "#6fb7e9"))
        parts.append(f'<text x="{x}" y="{y - 2}" font-size="16" font-weight="bold">{move.value:.0%}</text>')
        parts.append(f'<text x="{x}" y="{y + 15}" font-size="12">{move.visits}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_owners(report: SearchReport, size: int) -> list[str]:
    squares = []
    for index, mean in enumerate(report.ownership):
        owner = mean if report.color == BLACK else -mean
        x, y = CELL * (index % size + 1), CELL * (index // size + 1)
        half = 0.3 * CELL * abs(owner)
        fill = "#000" if owner > 0 else "#fff"
        squares.append(
            f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}" '
            f'fill="{fill}" opacity="0.45"/>'
        )
    return squares


def _center(point: int, size: int) -> tuple[int, int]:
    row, column = location_of(point, size)
    return CELL * (column + 1), CELL * (row + 1)


def _circle(point: int, size: int, radius: float, fill: str) -> str:
    x, y = _center(point, size)
    return f'<circle cx="{x}" cy="{y}" r="{CELL * radius:.1f}" fill="{fill}" stroke="#222"/>'


def main() -> None:
    """Search the position and write the picture to the file that the first argument names."""
    game = Game(9)
    for vertex in MOVES.split():
        game.play(game.to_play, move_at(vertex, 9))
    player = Player(PlayerOptions(seed=1))
    report = player.choose(game, game.to_play, Budget(simulations=20_000)).report
    Path(sys.argv[1]).write_text(draw(game, report))


if __name__ == "__main__":
    main()
