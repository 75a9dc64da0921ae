"""3x3 patterns around an empty point: the shapes, their codes and learned strengths, the test for a match.

A neighbourhood's code has two bits (EMPTY, BLACK, WHITE, BORDER) for each of its nine points, column by column,
lowest bits first:

    0 3 6
    1 4 7        point 4 is the move, always EMPTY
    2 5 8

always as the player to move sees it: if White moves, black and white are exchanged, which in this coding
swaps the two bits of each pair. Columns come first because three rows of the board, loaded as three words, combine
into the columns of all the points of a row in a few instructions.

The shapes are those that made MoGo's playouts strong (Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT
with Patterns in Monte-Carlo Go", section 3.2): hane, cut and edge shapes, turned and mirrored, for either
player unless said otherwise. A shape never matches where the move would fill an eye of the player's own.
"""

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from miai.engine.go.points import BLACK, BORDER, EMPTY, WHITE
from miai.engine.intrinsics import instruction
from miai.engine.jit import compiled

NUM_CODES = 1 << 18
NUM_LEVELS = 256
STRENGTHS_FILE = Path(__file__).with_name("pattern_strengths.txt")
"""Learned strengths: lines `code strength`, one for each shape up to symmetry, written by `miai fit-patterns`."""


class Shape(NamedTuple):
    """A pattern as text: three rows, `*` the move.

    `X` and `O` are stones of different players, `.` is empty, `#` the border, `?` anything on the board or
    beyond it, `x` and `o` anything but an `X` and an `O`. `side` tells for whom it matches.
    """

    name: str
    rows: str
    side: str = "either"  # "either", or "X": only if X is to move


SHAPES = (
    Shape("hane: enclosing the head of a stone", "XOX .*. ???"),
    Shape("hane: around the head, no cutting stone near", "XO. .*. ?.?"),
    Shape("hane: thin, against two stones in a row", "XOO .*. ?.?", "X"),
    Shape("hane: turning beside the own stone", "XO? X*. x.?"),
    Shape("shoulder hit: diagonal to a stone beside the own one", ".O. X*. ..."),
    Shape("cut: crosswise, not protected", "XO? O*o ?o?"),
    Shape("cut: crosswise, with a peep", "XO? O*X ???"),
    Shape("cut: pushing in between two stones", "?X? O*O ooo"),
    Shape("edge: chase along the side", "X.? O*? ###"),
    Shape("edge: stop a stone that crawls", "?X? x*O ###"),
    Shape("edge: descend beside a stone", "?XO x*x ###"),
)

_ONE = np.uint64(1)
_MEANING = {
    "*": (EMPTY,),
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "#": (BORDER,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    "?": (EMPTY, BLACK, WHITE, BORDER),
}
_TURN = (2, 5, 8, 1, 4, 7, 0, 3, 6)  # the cell that comes to each place in a quarter turn
_MIRROR = (6, 7, 8, 3, 4, 5, 0, 1, 2)


def _symmetries() -> list[tuple[int, ...]]:
    found = []
    order: tuple[int, ...] = tuple(range(9))
    for _ in range(4):
        found += [order, tuple(order[cell] for cell in _MIRROR)]
        order = tuple(order[cell] for cell in _TURN)
    return found


SYMMETRIES = _symmetries()
"""The eight symmetries of a neighbourhood: which cell comes to each place."""


def _cells_of(rows: str) -> tuple[tuple[int, ...], ...]:
    """Return the colours that a shape allows in each place of a code."""
    lines = rows.split()
    return tuple(_MEANING[lines[row][column]] for column in range(3) for row in range(3))


def _codes_of_cells(cells: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return all codes whose cells have one of the given colours each."""
    codes = np.zeros(1, dtype=np.int64)
    for place, colors in enumerate(cells):
        codes = (codes[:, None] | (np.array(colors) << 2 * place)[None, :]).ravel()
    return codes


def exchange_colors(codes: np.ndarray) -> np.ndarray:
    """Return the codes with black and white exchanged."""
    return ((codes & 0x15555) << 1) | ((codes >> 1) & 0x15555)


def _is_filled_eye(codes: np.ndarray) -> np.ndarray:
    """Tell which codes are an eye of the player to move by the rule of `miai.engine.go.eyes.is_own_eye`."""
    cell = [(codes >> 2 * place) & 3 for place in range(9)]
    closed = (cell[1] & cell[3] & cell[5] & cell[7] & BLACK) != 0
    hostile = np.zeros(len(codes), dtype=np.int64)
    at_edge = np.zeros(len(codes), dtype=np.int64)
    for place in (0, 2, 6, 8):
        hostile += cell[place] == WHITE
        at_edge |= cell[place] == BORDER
    return closed & (hostile + at_edge < 2)


def codes_of_shape(shape: Shape) -> np.ndarray:
    """Return, ascending, the codes that a shape matches for the player to move (= BLACK)."""
    cells = _cells_of(shape.rows)
    turned = dict.fromkeys(tuple(cells[cell] for cell in symmetry) for symmetry in SYMMETRIES)
    codes = np.concatenate([_codes_of_cells(form) for form in turned])
    if shape.side == "either":
        codes = np.concatenate([codes, exchange_colors(codes)])
    return np.unique(codes)


@functools.cache
def shape_codes() -> dict[str, np.ndarray]:
    """Return, for each shape by name, the codes it matches for the player to move (= BLACK), eyes left out."""
    codes = {shape.name: codes_of_shape(shape) for shape in SHAPES}
    return {name: found[~_is_filled_eye(found)] for name, found in codes.items()}


@functools.cache
def matched_codes() -> np.ndarray:
    """Return, ascending, the codes that some shape matches."""
    return np.unique(np.concatenate(list(shape_codes().values())))


def _turned(codes: np.ndarray, symmetry: tuple[int, ...]) -> np.ndarray:
    turned = np.zeros_like(codes)
    for place, cell in enumerate(symmetry):
        turned |= ((codes >> 2 * cell) & 3) << 2 * place
    return turned


def canonical_codes(codes: np.ndarray) -> np.ndarray:
    """Return the smallest code among the eight turned and mirrored forms of each code."""
    smallest = codes.copy()
    for symmetry in SYMMETRIES:
        np.minimum(smallest, _turned(codes, symmetry), out=smallest)
    return smallest


class PatternTable(NamedTuple):
    """What compiled code needs to know about patterns."""

    levels: np.ndarray
    """uint8 [262144]: by code, 0 where no shape counts, else the level of its learned strength."""
    strengths: np.ndarray
    """float32 [256]: the strength of each level."""


def read_strengths(path: Path) -> dict[int, float]:
    """Return the strengths in a file of `miai fit-patterns` by canonical code; nothing if there is no such file."""
    if not path.exists():
        return {}
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return {int(line[0]): float(line[1]) for line in lines}


def all_forms(codes: np.ndarray) -> np.ndarray:
    """Return, ascending, the turned and mirrored forms of codes."""
    return np.unique([_turned(codes, symmetry) for symmetry in SYMMETRIES])


def make_table(strengths: dict[int, float], codes: np.ndarray, elsewhere: float = 0.0) -> PatternTable:
    """Return a table of those codes from strengths by canonical code; shapes without one have strength 1.

    All other codes have the strength `elsewhere`.

    Strengths are rounded to one of 255 levels, evenly spaced by their logarithm.
    """
    forms, form_of_code = np.unique(canonical_codes(codes), return_inverse=True)
    logarithms = np.log([strengths.get(int(form), 1.0) for form in forms])
    lowest, highest = logarithms.min(initial=0.0), logarithms.max(initial=0.0)
    step = max(highest - lowest, 1e-9) / (NUM_LEVELS - 2)
    levels = np.zeros(NUM_CODES, dtype=np.uint8)
    levels[codes] = (1 + np.rint((logarithms - lowest) / step)).astype(np.uint8)[form_of_code]
    values = np.exp(lowest + step * (np.arange(NUM_LEVELS) - 1)).astype(np.float32)
    values[0] = elsewhere
    return PatternTable(levels, values)


@functools.cache
def learned_strengths() -> dict[int, float]:
    """Return the learned strengths that come with the program, by canonical code."""
    return read_strengths(STRENGTHS_FILE)


@functools.cache
def shipped_table() -> PatternTable:
    """Return the table of the learned strengths that come with the program."""
    return make_table(learned_strengths(), matched_codes())


def code_text(code: int) -> str:
    """Return a code as three rows of text, X to move: `XO. .*. ...`."""
    cells = [".XO#"[(code >> 2 * place) & 3] for place in range(9)]
    cells[4] = "*"
    return " ".join("".join(cells[row::3]) for row in range(3))


_PAIRS = np.uint64(0x0303030303030303)
_LOW_BITS = np.uint64(0x5555555555555555)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)


@instruction
def _load_word(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the eight bytes of a uint8 array from `index` on as a uint64, the first lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(view.data, [arguments[1]])
        return builder.load(builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(array, types.int64), generate


@compiled
def pattern_columns(board, point):
    """Return the columns of the eight neighbourhoods' points from `point` to the right, a byte each.

    A byte holds the colours above, on and below a point as the player to move sees them, two bits each. The rows
    read may begin before and end behind the board: the record goes on there, and a code whose middle is
    on the board holds none of it.
    """
    width = board.width_marker.shape[0]
    above = _load_word(board.color, point - width) & _PAIRS
    beside = _load_word(board.color, point) & _PAIRS
    below = _load_word(board.color, point + width) & _PAIRS
    columns = above | (beside << _TWO) | (below << _FOUR)
    exchanged = ((columns & _LOW_BITS) << _ONE) | ((columns >> _ONE) & _LOW_BITS)
    return exchanged if board.to_play == WHITE else columns


@compiled
def code_of_columns(columns):
    """Return the code made of the three lowest columns."""
    code = columns & np.uint64(0x3F)
    code |= (columns >> _TWO) & np.uint64(0xFC0)
    code |= (columns >> _FOUR) & np.uint64(0x3F000)
    return code


@compiled
def pattern_code(board, point):
    """Return the code of the neighbourhood of a point on the board as the player to move sees it."""
    return code_of_columns(pattern_columns(board, point - 1))
