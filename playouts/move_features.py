"""Features of moves and their learned strengths: prior knowledge of a move for the search.

A move has one feature of each group at most; its strength is the product of theirs, and the probability that a strong
player chooses it is its strength divided by the sum over all moves (Coulom 2007, "Computing Elo ratings of move
patterns in the game of Go", section 2: a Bradley-Terry model of teams). The groups:

* `shape`: the 3x3 neighbourhood, turned and mirrored forms being one; all shapes, not only those of the playouts;
* `layer`: which of the playouts' local layers propose the move;
* `capture`: whether it takes a block, of how many stones, and whether that saves a block of its own;
* `liberties`: how many liberties the played block then has, if few, and whether the move was an escape;
* `atari`: whether it puts a block in atari;
* `near_last`, `near_second_last`: the distance to the last two moves;
* `place`: the line from the edge, by phase of the game; for a pass, whether the opponent passed.

A feature is a number: place in `FEATURES`; 0 is no feature and has strength 1. Strengths are written by
`miai fit-moves`.
"""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.go.points import PASS
from miai.engine.go.tactics import borders_atari, liberties_after
from miai.engine.jit import compiled
from miai.playouts.atari import propose_atari_capture, propose_atari_defense
from miai.playouts.low_liberties import propose_low_lib
from miai.playouts.nakade import propose_nakade
from miai.playouts.patterns import PatternTable, all_forms, make_table, pattern_code
from miai.playouts.random_moves import is_playable

STRENGTHS_FILE = Path(__file__).with_name("move_strengths.txt")
"""Learned strengths: lines `shape CODE STRENGTH …` and `FEATURE STRENGTH …`, written by `miai fit-moves`."""

_LAYER_NAMES = ("nakade", "atari_capture", "atari_defense", "low_lib")
_PHASES = ("opening", "middle", "end")
FARTHEST = 20
"""Distances from here on are one feature."""
NO_SHAPE = -1
"""In place of the code of a pass."""


def _layer_features() -> list[str]:
    sets = [[name for bit, name in enumerate(_LAYER_NAMES) if number >> bit & 1] for number in range(1, 16)]
    return ["layer." + "+".join(names) for names in sets]


def _all_features() -> tuple[str, ...]:
    names = ["none", *_layer_features()]
    names += [f"capture.{what}" for what in ("one_in_ko", "one", "two", "more", "one_saving", "more_saving")]
    names += [f"liberties.self_atari_{size}" for size in ("1", "2", "3", "4_or_more")]
    names += ["liberties.two", "liberties.escape_fails"]
    names += [f"liberties.escape_{size}_to_{count}" for size in ("one", "more") for count in ("two", "more")]
    names += [f"atari.on_{size}{risk}" for risk in ("", "_in_self_atari") for size in ("one", "two", "more")]
    for which in ("last", "second_last"):
        names += [f"near_{which}.{distance}" for distance in ("none", *range(2, FARTHEST + 1))]
    names += [f"place.{phase}_{line}" for phase in _PHASES for line in range(1, 6)]
    names += [f"pass.{phase}{after}" for after in ("", "_after_pass") for phase in _PHASES]
    return tuple(names)


FEATURES = _all_features()
"""The names of all features but shapes."""

_AT = {name: index for index, name in enumerate(FEATURES)}
_LAYER = _AT["layer.nakade"] - 1
_CAPTURE = _AT["capture.one_in_ko"]
_SAVING = _AT["capture.one_saving"]
_SELF_ATARI = _AT["liberties.self_atari_1"]
_TWO_LIBERTIES = _AT["liberties.two"]
_ESCAPE_FAILS = _AT["liberties.escape_fails"]
_ESCAPE = _AT["liberties.escape_one_to_two"]
_ATARI = _AT["atari.on_one"]
_NEAR_LAST = _AT["near_last.none"]
_NEAR_SECOND_LAST = _AT["near_second_last.none"]
_PLACE = _AT["place.opening_1"]
_PASS = _AT["pass.opening"]

GROUPS = ("layer", "capture", "liberties", "atari", "near_last", "near_second_last", "place")
"""The groups beside `shape`, in the order of `workspace.features`; `pass` is in the place of `place`."""


class MoveStrengths(NamedTuple):
    """What compiled code needs to know."""

    shapes: PatternTable
    features: np.ndarray
    """float32 [len(FEATURES)]: the strength of each feature."""


def read_strengths(path: Path) -> tuple[dict[int, float], dict[str, float]]:
    """Return strengths in a file of `miai fit-moves`: of shapes by canonical code, of features by name."""
    shapes, features = {}, {}
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "shape":
            shapes[int(words[1])] = float(words[2])
        elif words[0] != "#":
            features[words[0]] = float(words[1])
    return shapes, features


@functools.cache
def shipped_strengths() -> MoveStrengths:
    """Return the learned strengths that come with the program; what was never seen has strength 1."""
    shapes, features = read_strengths(STRENGTHS_FILE) if STRENGTHS_FILE.exists() else ({}, {})
    by_feature = np.array([features.get(name, 1.0) for name in FEATURES], dtype=np.float32)
    codes = all_forms(np.array(list(shapes), dtype=np.int64))
    return MoveStrengths(make_table(shapes, codes, elsewhere=1.0), by_feature)


@compiled
def _mark(workspace, count, bit):
    for index in range(count):
        workspace.layers_at[workspace.moves[index]] |= bit


@compiled
def mark_layers(board, workspace):
    """Note in `workspace.layers_at` which local layers propose which move, a bit each; call before `find_features`."""
    workspace.layers_at[:] = 0
    _mark(workspace, propose_nakade(board, workspace), 1)
    _mark(workspace, propose_atari_capture(board, workspace), 2)
    _mark(workspace, propose_atari_defense(board, workspace), 4)
    _mark(workspace, propose_low_lib(board, workspace), 8)


@compiled
def _near(point, other, width):
    """Return the feature's place in its group: 0 = no such move, else the playout distance |dx| + |dy| + max less 1."""
    if other <= 0:
        return np.int64(0)
    across = abs(point % width - other % width)
    along = abs(point // width - other // width)
    return max(np.int64(1), min(np.int64(FARTHEST), across + along + max(across, along)) - 1)


@compiled
def _phase(board):
    """Return 0 while fewer than a tenth of the points have stones, 1 up to three tenths, else 2."""
    points = np.int64(board.empty_points.shape[0])
    stones = points - np.int64(board.num_empty)
    return np.int64(10 * stones >= points) + np.int64(10 * stones >= 3 * points)


@compiled
def find_features(board, workspace, point, color):
    """Write the features of a legal move into `workspace.features`, one of each group, 0 for none.

    The shape of a move that is no pass is `pattern_code(board, point)`.
    """
    features = workspace.features
    features[:] = 0
    phase = _phase(board)
    if point == PASS:
        features[6] = _PASS + phase + 3 * np.int64(board.num_passes > 0)
        return
    width = np.int64(board.width_marker.shape[0])
    other = 3 - color
    num_taken, num_threatened, num_in_atari = np.int64(0), np.int64(0), np.int64(0)
    num_own = np.int64(1)
    saves = False
    for neighbor in (point - width, point - 1, point + 1, point + width):
        neighbor_color = board.color[neighbor]
        head = np.int64(board.head[neighbor])
        size = np.int64(board.block_size[head])
        if neighbor_color == other:
            if board.num_liberties[head] == 1:
                num_taken = max(num_taken, size)
                saves |= borders_atari(board, head)
            elif board.num_liberties[head] == 2:
                num_threatened = max(num_threatened, size)
        elif neighbor_color == color:
            num_own += size
            if board.num_liberties[head] == 1:
                num_in_atari = max(num_in_atari, size)
    num_liberties = liberties_after(board, point, color)
    features[0] = _LAYER + workspace.layers_at[point] if workspace.layers_at[point] else 0
    if num_taken > 0:
        if saves:
            features[1] = _SAVING + np.int64(num_taken > 1)
        else:
            features[1] = _CAPTURE + min(num_taken, 3) - np.int64(num_taken == 1 and num_liberties == 1)
    if num_liberties == 1:
        if num_in_atari > 0:
            features[2] = _ESCAPE_FAILS
        elif num_taken == 0:
            features[2] = _SELF_ATARI + min(num_own, 4) - 1
    elif num_in_atari > 0:
        features[2] = _ESCAPE + 2 * np.int64(num_in_atari > 1) + np.int64(num_liberties > 2)
    elif num_liberties == 2:
        features[2] = _TWO_LIBERTIES
    if num_threatened > 0:
        features[3] = _ATARI + min(num_threatened, 3) - 1 + 3 * np.int64(num_liberties == 1)
    features[4] = _NEAR_LAST + _near(point, np.int64(board.last_move), width)
    features[5] = _NEAR_SECOND_LAST + _near(point, np.int64(board.second_last_move), width)
    row, column = point // width, point % width
    line = min(min(row, width - row), min(column, width - column))
    features[6] = _PLACE + 5 * phase + min(line, 5) - 1


@compiled
def move_strength(board, workspace, point):
    """Return the product of the strengths of a move's features; call after `find_features`."""
    strength = np.float64(1.0)
    if point != PASS:
        strength = np.float64(workspace.shape_strengths[workspace.shape_levels[pattern_code(board, point)]])
    for group in range(workspace.features.shape[0]):
        strength *= workspace.feature_strengths[workspace.features[group]]
    return strength


@compiled
def list_featured_moves(board, workspace, moves, codes, features):
    """Fill, a row for each playable move and the pass: move, code of its shape, features; return how many there are.

    `moves` int64 [rows], `codes` int32 [rows], `features` int32 [rows, groups].
    """
    color = np.int64(board.to_play)
    mark_layers(board, workspace)
    count = np.int64(0)
    for index in range(np.int64(board.num_empty) + 1):
        point = np.int64(PASS)
        if index < np.int64(board.num_empty):
            point = np.int64(board.empty_points[index])
            if not is_playable(board, np.uint64(point), np.uint8(color)):
                continue
        find_features(board, workspace, point, color)
        moves[count] = point
        codes[count] = NO_SHAPE if point == PASS else np.int64(pattern_code(board, point))
        for group in range(features.shape[1]):
            features[count, group] = workspace.features[group]
        count += 1
    return count
