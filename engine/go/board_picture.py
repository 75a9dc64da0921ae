"""The board as people see it in a terminal."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from miai.engine.go.points import BLACK, COLUMN_LETTERS, EMPTY, PASS, WHITE, point_at, vertex_of

if TYPE_CHECKING:
    from miai.engine.go.game import Game

STONES = {BLACK: "X", WHITE: "O"}
"""The signs of the two colours' stones in plain ASCII."""
_ROUND_STONES = {BLACK: "●", WHITE: "○"}

_RESET = "\033[0m"
_WOOD = "\033[48;5;179m"
_GRID = _WOOD + "\033[38;5;94m"
_PAINT = {EMPTY: _GRID, BLACK: _WOOD + "\033[1;38;5;16m", WHITE: _WOOD + "\033[1;38;5;231m"}
_MARK = _WOOD + "\033[1;38;5;124m"


def can_write(text: str, stream: TextIO) -> bool:
    """Tell whether a stream's encoding knows all signs of a text."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def choose_stones(stream: TextIO) -> dict[int, str]:
    """Return round stones for a terminal that can show them, letters for all else."""
    can_show = stream.isatty() and can_write("".join(_ROUND_STONES.values()), stream)
    return _ROUND_STONES if can_show else STONES


def star_points(size: int) -> set[tuple[int, int]]:
    """Return row and column of the points that a board of `size` marks."""
    if size < 5:
        return set()
    edge = 2 if size < 12 else 3
    lines = {edge, size - 1 - edge}
    middle = size // 2
    stars = {(row, column) for row in lines for column in lines} if size >= 7 else set()
    if size % 2 == 1:
        stars.add((middle, middle))
        if size >= 15:
            stars |= {(middle, line) for line in lines} | {(line, middle) for line in lines}
    return stars


def draw_board(
    game: "Game",
    use_color: bool = False,
    stones: Mapping[int, str] = STONES,
    marks: Mapping[int, str] | None = None,
) -> str:
    """Return the position with coordinates; the last move stands in parentheses.

    Args:
        game: it stays as it is.
        use_color: whether to paint with terminal colours.
        stones: the signs of the two colours.
        marks: signs on empty points.
    """
    letters = "   " + "".join(f" {letter}" for letter in COLUMN_LETTERS[: game.size])
    rows = [_draw_row(game, row, use_color, stones, marks or {}) for row in range(game.size)]
    return "\n".join([letters, *rows, letters])


def _draw_row(game: "Game", row: int, use_color: bool, stones: Mapping[int, str], marks: Mapping[int, str]) -> str:
    """Return one row: each point with the gap to its left, then the gap at the right edge."""
    size = game.size
    last = game.moves[-1][1] if game.moves else PASS
    stars = star_points(size)
    text = ""
    for column in range(size):
        point = point_at(row, column, size)
        color = game.color_at(point)
        sign = stones.get(color) or marks.get(point) or ("+" if (row, column) in stars else ".")
        before = " "
        if last != PASS:
            before = "(" if point == last else ")" if column > 0 and point - 1 == last else " "
        paint = _MARK if color == EMPTY and point in marks else _PAINT[color]
        text += f"{_PAINT[EMPTY]}{before}{paint}{sign}{_RESET}" if use_color else before + sign
    edge = ")" if last != PASS and point == last else " "
    number = size - row
    return f"{number:3d}{text}{f'{_GRID}{edge}{_RESET}' if use_color else edge}{number}"


def describe_state(game: "Game", names: dict[int, str], stones: Mapping[int, str] = STONES) -> str:
    """Return whose turn it is, the last move and the stones taken; `names` says who plays a colour."""
    captures = "  ".join(
        f"{label} {stones[color]} ({names[color]}) took {game.num_captured[BLACK + WHITE - color]}"
        for color, label in ((BLACK, "Black"), (WHITE, "White"))
    )
    turn = f"Move {len(game.moves) + 1}: {'Black' if game.to_play == BLACK else 'White'} to play"
    if game.moves:
        color, move = game.moves[-1]
        turn += f" (last: {'Black' if color == BLACK else 'White'} {vertex_of(move, game.size)})"
    return f"{captures}\n{turn}"
