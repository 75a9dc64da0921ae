"""3x3 patterns around an empty point: the shapes, their codes and learned strengths, the test for a match.

A neighbourhood's code has two bits (EMPTY, BLACK, WHITE, BORDER) for each of the eight points around, in the
order of `_OFFSETS` below, lowest bits first:

    0 1 2
    3 * 4
    5 6 7

always as the player to move sees it: if White moves, black and white are exchanged, which in this coding
swaps the two bits of each pair.

The shapes are those that made MoGo's playouts strong (Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT
with Patterns in Monte-Carlo Go", section 3.2): hane, cut and edge shapes, turned and mirrored, for either
player unless said otherwise. A shape never matches where the move would fill an eye of the player's own.
"""

import functools
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.go.points import BLACK, BORDER, EMPTY, WHITE
from engine.jit import compiled

NUM_CODES = 1 << 16
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
    Shape("edge: stop a cut", "OX? X*O ###"),
    Shape("edge: stop a stone that crawls", "?X? x*O ###"),
    Shape("edge: descend beside a stone", "?XO x*x ###"),
    Shape("edge: cut underneath", "?OX X*O ###"),
)

_MEANING = {
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "#": (BORDER,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    "?": (EMPTY, BLACK, WHITE, BORDER),
}
_TURN = (5, 3, 0, 6, 1, 7, 4, 2)  # the cell that comes to each place in a quarter turn
_MIRROR = (2, 1, 0, 4, 3, 7, 6, 5)


def _symmetries() -> list[tuple[int, ...]]:
    found = []
    order: tuple[int, ...] = tuple(range(8))
    for _ in range(4):
        found += [order, tuple(order[cell] for cell in _MIRROR)]
        order = tuple(order[cell] for cell in _TURN)
    return found


SYMMETRIES = _symmetries()
"""The eight symmetries of a neighbourhood: which cell comes to each place."""


def _codes_of_cells(cells: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return all codes whose cells have one of the given colours each."""
    codes = np.zeros(1, dtype=np.int64)
    for place, colors in enumerate(cells):
        codes = (codes[:, None] | (np.array(colors) << 2 * place)[None, :]).ravel()
    return codes


def exchange_colors(codes: np.ndarray) -> np.ndarray:
    """Return the codes with black and white exchanged."""
    return ((codes & 0x5555) << 1) | ((codes >> 1) & 0x5555)


def _is_filled_eye(codes: np.ndarray) -> np.ndarray:
    """Tell which codes are an eye of the player to move by the rule of `engine.go.board.is_own_eye`."""
    cell = [(codes >> 2 * place) & 3 for place in range(8)]
    closed = (cell[1] & cell[3] & cell[4] & cell[6] & BLACK) != 0
    diagonals = [cell[place] for place in (0, 2, 5, 7)]
    hostile = sum((diagonal == WHITE).astype(np.int64) for diagonal in diagonals)
    at_edge = np.any([diagonal == BORDER for diagonal in diagonals], axis=0)
    return closed & (hostile + at_edge < 2)


@functools.cache
def shape_codes() -> dict[str, np.ndarray]:
    """Return, for each shape by name, the codes it matches for the player to move (= BLACK), eyes left out."""
    result = {}
    for shape in SHAPES:
        text = shape.rows.replace(" ", "").replace("*", "")
        cells = tuple(_MEANING[character] for character in text)
        found = [
            _codes_of_cells(tuple(cells[cell] for cell in symmetry)) for symmetry in dict.fromkeys(SYMMETRIES)
        ]
        codes = np.unique(np.concatenate(found))
        if shape.side == "either":
            codes = np.union1d(codes, exchange_colors(codes))
        result[shape.name] = codes[~_is_filled_eye(codes)]
    return result


@functools.cache
def canonical_codes() -> np.ndarray:
    """Return, `uint16 [65536]`, the smallest code among the eight turned and mirrored forms of each code."""
    codes = np.arange(NUM_CODES, dtype=np.uint16)
    smallest = codes.copy()
    for symmetry in SYMMETRIES:
        turned = np.zeros_like(codes)
        for place, cell in enumerate(symmetry):
            turned |= ((codes >> np.uint16(2 * cell)) & np.uint16(3)) << np.uint16(2 * place)
        np.minimum(smallest, turned, out=smallest)
    return smallest


@functools.cache
def pattern_strengths() -> np.ndarray:
    """Return, `float32 [65536]`, the strength of each code: 0 where no shape matches, else learned, about 1."""
    strengths = np.zeros(NUM_CODES, dtype=np.float32)
    matched = np.concatenate(list(shape_codes().values()))
    learned = np.ones(NUM_CODES, dtype=np.float32)
    if STRENGTHS_FILE.exists():
        numbers = [line.split() for line in STRENGTHS_FILE.read_text().splitlines() if not line.startswith("#")]
        for code, strength in numbers:
            learned[int(code)] = float(strength)
    strengths[matched] = learned[canonical_codes()[matched]]
    return strengths


def code_text(code: int) -> str:
    """Return a code as three rows of text, X to move: `XO. .*. ?.?` without wildcards."""
    cells = [".XO#"[(code >> 2 * place) & 3] for place in range(8)]
    return "".join(itertools.chain(cells[:3], " ", cells[3:4], "*", cells[4:5], " ", cells[5:]))


@compiled
def pattern_code(board, point):
    """Return the code of the neighbourhood of a point as the player to move sees it."""
    width = board.width_marker.shape[0]
    colors = board.color
    code = np.int64(colors[point - width - 1])
    code |= np.int64(colors[point - width]) << 2
    code |= np.int64(colors[point - width + 1]) << 4
    code |= np.int64(colors[point - 1]) << 6
    code |= np.int64(colors[point + 1]) << 8
    code |= np.int64(colors[point + width - 1]) << 10
    code |= np.int64(colors[point + width]) << 12
    code |= np.int64(colors[point + width + 1]) << 14
    if board.to_play == WHITE:
        code = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555)
    return code


@compiled
def pattern_strength(board, scratch, point):
    """Return the learned strength of playing on an empty point by its 3x3 shape; 0 if no shape matches."""
    return scratch.pattern_strengths[pattern_code(board, point)]
