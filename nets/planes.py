"""What a network sees of a position: input planes, written by compiled code, and the order of the policy.

Planes are seen by the player to move, "own" are that player's stones. Rows run from the top, columns from the left. A
policy's index is `row·size + column`; `size·size` stands for a pass.
"""

from typing import Any

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.legality import key_after, leaves_liberty, retakes_ko
from miai.engine.go.points import BLACK, EMPTY, PASS
from miai.engine.jit import compiled
from miai.nets.katago.inputs import KATAGO_PLANES, write_area, write_katago, write_katago_suicide, write_ladders
from miai.nets.recent_positions import NUM_RECENT

KOMI_SCALE = 15.0
"""Points of komi for which the plane holds 1."""

_AGES = ("", *(f", {age} move{'s' if age > 1 else ''} ago" for age in range(1, NUM_RECENT)))
_MIAI_PLANES = (
    "own stones",
    "opponent's stones",
    "stones of blocks with 1 liberty",
    "stones of blocks with 2 liberties",
    "stones of blocks with 3 or more liberties",
    "empty points where the player may not play",
    "last move",
    *(f"{ordinal} last move" for ordinal in ("second", "third", "fourth", "fifth")),
    "last move was a pass",
    "komi for the player to move, in units of 15 points",
    "on the board",
)
_TACTICS = (
    "stones caught in a ladder",
    "moves that catch the opponent's stones in a ladder",
    "own area",
    "opponent's area",
)
PLANES: dict[str, tuple[str, ...]] = {
    "li-lim": tuple(f"{whose} stones{age}" for age in _AGES for whose in ("own", "opponent's")),
    "miai": _MIAI_PLANES,
    "tactics": _MIAI_PLANES + _TACTICS,
    "katago": KATAGO_PLANES,
    "katago-suicide": KATAGO_PLANES,
}
"""The planes of each kind by name, in order."""

_OWN, _LIBERTIES = 0, 2
_ILLEGAL = PLANES["miai"].index("empty points where the player may not play")
_MOVES = PLANES["miai"].index("last move")
_PASS = PLANES["miai"].index("last move was a pass")
KOMI_PLANE = _PASS + 1
"""Where `miai` and `tactics` have the komi."""
_ON_BOARD = _PASS + 2
_LADDERS = len(_MIAI_PLANES)
_AREA = _LADDERS + 2
_ONE = np.uint64(1)


def num_planes(kind: str) -> int:
    """Return how many planes a position has in this kind."""
    return len(PLANES[kind])


def needs_whole_game(kind: str) -> bool:
    """Tell whether planes of this kind show more than the last positions and moves: superko over the whole game."""
    return kind in ("katago", "katago-suicide")


@compiled
def _repeats_recent(board, recent, point):
    """Tell whether a move makes one of the remembered positions again."""
    key = key_after(board, point, np.int64(board.to_play))
    for age in range(1, recent.num_positions):
        if recent.keys[np.uint64(age)] == key:
            return True
    return False


@compiled
def _is_forbidden(board, recent, has_superko, point):
    """Tell whether the player to move may not play on an empty point, as far as the last positions show."""
    color = np.int64(board.to_play)
    if not leaves_liberty(board, point, color) or retakes_ko(board, point, color):
        return True
    # a position can only come again after a capture
    captured = board.num_captured[np.uint64(1)] + board.num_captured[np.uint64(2)] > 0
    return has_superko and captured and _repeats_recent(board, recent, point)


@compiled
def _write_li_lim(board, recent, komi, has_superko, planes):
    size = np.uint64(board.width_marker.shape[0]) - _ONE
    own = np.uint8(board.to_play)
    other = np.uint8(3) - own
    for age in range(NUM_RECENT):
        age = np.uint64(age)
        for row in range(size):
            row = np.uint64(row)
            point = (row + _ONE) * (size + _ONE) + _ONE
            for column in range(size):
                column = np.uint64(column)
                color = recent.colors[age, point + column]
                planes[age + age, row, column] = np.float32(color == own)
                planes[age + age + _ONE, row, column] = np.float32(color == other)


@compiled
def _write_miai(board, recent, komi, has_superko, planes):
    size = np.uint64(board.width_marker.shape[0]) - _ONE
    own = np.uint8(board.to_play)
    signed_komi = -komi if own == BLACK else komi
    planes[: np.uint64(KOMI_PLANE)] = np.float32(0.0)
    planes[np.uint64(KOMI_PLANE)] = np.float32(signed_komi / KOMI_SCALE)
    planes[np.uint64(_ON_BOARD)] = np.float32(1.0)
    for row in range(size):
        row = np.uint64(row)
        first = (row + _ONE) * (size + _ONE) + _ONE
        for column in range(size):
            column = np.uint64(column)
            point = first + column
            color = board.color[point]
            if color == EMPTY:
                if _is_forbidden(board, recent, has_superko, np.int64(point)):
                    planes[np.uint64(_ILLEGAL), row, column] = np.float32(1.0)
            else:
                planes[np.uint64(_OWN) + np.uint64(color != own), row, column] = np.float32(1.0)
                liberties = min(np.uint64(board.num_liberties[np.uint64(board.head[point])]), np.uint64(3))
                planes[np.uint64(_LIBERTIES) + liberties - _ONE, row, column] = np.float32(1.0)
    for age in range(NUM_RECENT):
        age = np.uint64(age)
        move = np.int64(recent.moves[age])
        if move > PASS:
            index = np.uint64(action_of_move(move, np.int64(size)))
            planes[np.uint64(_MOVES) + age, index // size, index % size] = np.float32(1.0)
    if recent.moves[np.uint64(0)] == PASS:
        planes[np.uint64(_PASS)] = np.float32(1.0)


@compiled
def _write_tactics(board, recent, komi, has_superko, planes):
    _write_miai(board, recent, komi, has_superko, planes)
    planes[_LADDERS:] = np.float32(0.0)
    write_ladders(board, planes[_LADDERS:_AREA])
    write_area(board, False, planes[_AREA:])


_WRITERS = {
    "li-lim": _write_li_lim,
    "miai": _write_miai,
    "tactics": _write_tactics,
    "katago": write_katago,
    "katago-suicide": write_katago_suicide,
}


def make_write_planes(kind: str) -> Any:
    """Return compiled `write_planes(board, recent, komi, has_superko, planes)`.

    It writes the planes of one position, that of `board`, which `recent` ends with, for `board.to_play`.

    Args of it:
        komi: points that White gets.
        has_superko: whether a move that makes one of the remembered positions again is forbidden; for KataGo those of
            the whole game, as far as `mark_superko` was told of them.
        planes: float32 [num_planes(kind), size, size]; whatever it holds is overwritten.
    """
    return _WRITERS[kind]
