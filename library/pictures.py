"""Positions as pictures (SVG): stones, the last move, and what a search says of the best points."""

from miai.engine.go.board_picture import star_points
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, COLUMN_LETTERS, PASS, location_of
from miai.engine.search.report import SearchReport

CELL = 60
"""Pixels from one line to the next, before scaling."""


def draw_svg(game: Game, report: SearchReport | None = None, num_labels: int = 6, width: int = 420) -> str:
    """Return a position as SVG text.

    Args:
        game: whose position it is.
        report: of a search of it: shows expected owners as squares, win rate and visits on the best moves.
        num_labels: how many moves are labelled.
        width: of the picture in pixels.
    """
    size = game.size
    side = CELL * (size + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" viewBox="0 0 {side} {side}" '
        'font-family="sans-serif" text-anchor="middle" role="img">',
        f"<title>{size}x{size} board after {len(game.moves)} moves</title>",
        f'<rect width="{side}" height="{side}" fill="#e3b869"/>',
        *_draw_lines(size),
    ]
    if report is not None:
        parts += _draw_owners(report, size)
    for point, color in game.stones().items():
        parts.append(_circle(point, size, 0.46, "#111" if color == BLACK else "#fafafa"))
    if game.moves and game.moves[-1][1] != PASS:
        parts.append(_circle(game.moves[-1][1], size, 0.14, "#d33"))
    if report is not None:
        parts += _draw_labels(report, size, num_labels)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_lines(size: int) -> list[str]:
    side, first, last = CELL * (size + 1), CELL, CELL * size
    parts = []
    for index in range(size):
        line = CELL * (index + 1)
        parts.append(f'<path d="M{first} {line}H{last}M{line} {first}V{last}" stroke="#5a4320" fill="none"/>')
        parts.append(f'<text x="{line}" y="{side - 8}" font-size="15">{COLUMN_LETTERS[index]}</text>')
        parts.append(f'<text x="12" y="{line + 5}" font-size="15">{size - index}</text>')
    for row, column in sorted(star_points(size)):
        parts.append(f'<circle cx="{CELL * (column + 1)}" cy="{CELL * (row + 1)}" r="4" fill="#5a4320"/>')
    return parts


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


def _draw_labels(report: SearchReport, size: int, number: int) -> list[str]:
    parts = []
    labelled = [move for move in report.moves if move.move != PASS and move.visits > 0][:number]
    for order, move in enumerate(labelled):
        x, y = _center(move.move, size)
        parts.append(_circle(move.move, size, 0.44, "#3fa34d" if order == 0 else "#6fb7e9"))
        parts.append(f'<text x="{x}" y="{y - 2}" font-size="16" font-weight="bold">{move.value:.0%}</text>')
        parts.append(f'<text x="{x}" y="{y + 15}" font-size="12">{move.visits}</text>')
    return parts


def _center(point: int, size: int) -> tuple[int, int]:
    row, column = location_of(point, size)
    return CELL * (column + 1), CELL * (row + 1)


def _circle(point: int, size: int, radius: float, fill: str) -> str:
    x, y = _center(point, size)
    return f'<circle cx="{x}" cy="{y}" r="{CELL * radius:.1f}" fill="{fill}" stroke="#222"/>'
