"""What KataGo's networks see of a position: version 7 of its inputs, 22 planes and 19 numbers.

Read from KataGo's `cpp/neuralnet/nninputs.cpp` (`fillRowV7`); D. J. Wu 2019, "Accelerating Self-Play Learning in Go",
appendix A. The numbers are planes of one value behind the others. Area is scored, so what belongs to KataGo's territory
scoring is always 0, as are the planes of rules that we do not have. Rules without superko are taken for KataGo's
`chinese`, where players pass before dead stones are off: after one pass its networks are shown neither that a second
would end the game nor any moves.

KataGo plays on differently where a long cycle comes back under simple ko: it takes a position's third time for the end
of the game, and a player's second pass in one position too. Our games go on, and the inputs say so.
"""

import math

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.benson import area_without_dead
from miai.engine.go.ladders import mark_ladders
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE
from miai.engine.jit import compiled
from miai.nets.recent_positions import is_banned, num_passes_in_turn

_ORDINALS = ("", "second ", "third ", "fourth ", "fifth ")
KATAGO_PLANES = (
    "on the board",
    "own stones",
    "opponent's stones",
    "stones of blocks with 1 liberty",
    "stones of blocks with 2 liberties",
    "stones of blocks with 3 liberties",
    "points forbidden by ko or superko",
    "points where a ko may not be retaken again (territory scoring)",
    "points where a pass is needed for a ko (territory scoring)",
    *(f"{ordinal}last move" for ordinal in _ORDINALS),
    "stones caught in a ladder",
    "stones caught in a ladder, 1 move ago",
    "stones caught in a ladder, 2 moves ago",
    "moves that catch the opponent's stones in a ladder",
    "own area",
    "opponent's area",
    "own stones when play ended (territory scoring)",
    "opponent's stones when play ended (territory scoring)",
    *(f"{ordinal}last move was a pass" for ordinal in _ORDINALS),
    "komi for the player to move, in units of 20 points",
    "superko",
    "superko: 0.5 positional, -0.5 situational",
    "suicide allowed",
    "territory scoring",
    "tax on seki",
    "tax on every group",
    "first stage of an encore (territory scoring)",
    "second stage of an encore (territory scoring)",
    "a pass would end the game",
    "unequal playouts",
    "doublings of playouts, in units of 2",
    "button",
    "parity wave of the komi for the player to move",
)
"""The planes by name, in order; the numbers begin with the pass."""

_OWN, _LIBERTIES, _KO, _MOVES, _LADDERS, _AREA, _PASSES = 1, 3, 6, 9, 14, 18, 22
_WORKING = np.uint64(17)
_KOMI = np.uint64(27)
_SUPERKO = np.uint64(28)
_PASS_ENDS = np.uint64(36)
_WAVE = np.uint64(40)
_KOMI_SCALE = np.float32(20.0)
_KOMI_BEYOND = np.float32(20.0)
_ONE = np.uint64(1)


@compiled
def _num_moves_shown(recent, to_play):
    """Return how many of the last moves belong to this game and were made by the players in turn."""
    most = 1 if num_passes_in_turn(recent) >= 2 else np.int64(recent.num_moves)
    count = 0
    mover = BLACK + WHITE - to_play
    while count < most and recent.movers[np.uint64(count)] == mover:
        count += 1
        mover = BLACK + WHITE - mover
    return count


@compiled
def _write_history(board, recent, num_moves, planes):
    size = np.uint64(board.width_marker.shape[0]) - _ONE
    for age in range(num_moves):
        age = np.uint64(age)
        move = np.int64(recent.moves[age])
        if move == PASS:
            planes[np.uint64(_PASSES) + age] = np.float32(1.0)
        else:
            index = np.uint64(action_of_move(move, np.int64(size)))
            planes[np.uint64(_MOVES) + age, index // size, index % size] = np.float32(1.0)


@compiled
def _write_stones(board, recent, has_superko, ko_point, planes):
    size = np.uint64(board.width_marker.shape[0]) - _ONE
    own = np.uint8(board.to_play)
    for row in range(size):
        row = np.uint64(row)
        first = (row + _ONE) * (size + _ONE) + _ONE
        for column in range(size):
            column = np.uint64(column)
            point = first + column
            color = board.color[point]
            if color == EMPTY:
                if point == np.uint64(ko_point) or (has_superko and is_banned(recent, point)):
                    planes[np.uint64(_KO), row, column] = np.float32(1.0)
            else:
                planes[np.uint64(_OWN) + np.uint64(color != own), row, column] = np.float32(1.0)
                liberties = np.uint64(board.num_liberties[np.uint64(board.head[point])])
                if liberties <= np.uint64(3):
                    planes[np.uint64(_LIBERTIES) + liberties - _ONE, row, column] = np.float32(1.0)


@compiled
def _write_marked(marks, bits, plane):
    """Write 1 to a plane of 0 where a mark has one of the bits."""
    size = np.uint64(plane.shape[0])
    for row in range(size):
        row = np.uint64(row)
        first = (row + _ONE) * (size + _ONE) + _ONE
        for column in range(size):
            column = np.uint64(column)
            if marks[first + column] & bits != 0:
                plane[row, column] = np.float32(1.0)


@compiled
def write_ladders(board, planes):
    """Write the stones caught in ladders, and the moves that catch the opponent's in one, to two planes of 0."""
    caught = np.empty(board.head.shape[0], dtype=np.uint8)
    working = np.empty(board.head.shape[0], dtype=np.uint8)
    mark_ladders(board, board.color, np.int64(board.ko_point), caught, working)
    _write_marked(caught, np.uint8(1), planes[0])
    _write_marked(working, np.uint8(BLACK + WHITE - board.to_play), planes[1])


@compiled
def _write_ladders(board, recent, ko_point, num_moves, planes):
    """Write the ladders of the position, one and two moves ago; a move that is not shown changed nothing."""
    opponent = np.uint8(BLACK + WHITE - board.to_play)
    caught = np.empty(board.head.shape[0], dtype=np.uint8)
    working = np.empty(board.head.shape[0], dtype=np.uint8)
    for age in range(3):
        plane = np.uint64(_LADDERS + age)
        if age > num_moves:
            planes[plane] = planes[plane - _ONE]
            continue
        ko_then = ko_point if age == 0 else np.int64(recent.ko_points[np.uint64(age)])
        mark_ladders(board, recent.colors[np.uint64(age)], ko_then, caught, working)
        _write_marked(caught, np.uint8(1), planes[plane])
        if age == 0:
            _write_marked(working, opponent, planes[_WORKING])


@compiled
def write_area(board, suicide, planes):
    """Write the player's own and the opponent's area to two planes of 0; see `area_without_dead`."""
    size = np.uint64(board.width_marker.shape[0]) - _ONE
    owners = np.empty(size * size, dtype=np.int8)
    area_without_dead(board, owners, suicide)
    own = 1 if board.to_play == BLACK else -1
    for row in range(size):
        row = np.uint64(row)
        for column in range(size):
            column = np.uint64(column)
            owner = owners[row * size + column]
            if owner != 0:
                planes[np.uint64(owner != own), row, column] = np.float32(1.0)


@compiled
def _parity_wave(own_komi, size):
    """Return what a little komi is worth beyond its points: it rises where the game can be drawn, falls where not."""
    parity = np.float32(size * size % 2)
    above = own_komi - (np.float32(math.floor((own_komi - parity) / np.float32(2.0))) * np.float32(2.0) + parity)
    if above < np.float32(0.5):
        return above
    if above < np.float32(1.5):
        return np.float32(1.0) - above
    return above - np.float32(2.0)


@compiled
def write_katago(board, recent, komi, has_superko, planes):
    """Write the planes `KATAGO_PLANES` of a position; see `miai.nets.planes.make_write_planes`."""
    _write(board, recent, komi, has_superko, False, planes)


@compiled
def write_katago_suicide(board, recent, komi, has_superko, planes):
    """As `write_katago`, but what is pass-alive is so even if suicide were allowed."""
    _write(board, recent, komi, has_superko, True, planes)


@compiled
def _write(board, recent, komi, has_superko, suicide, planes):
    size = np.int64(board.width_marker.shape[0]) - 1
    planes[:] = np.float32(0.0)
    planes[0] = np.float32(1.0)
    is_in_turn = recent.movers[0] != board.to_play
    num_passes = min(np.int64(board.num_passes), num_passes_in_turn(recent)) if is_in_turn else 0
    is_hidden = num_passes == 1 and not has_superko
    num_moves = 0 if is_hidden else _num_moves_shown(recent, np.int64(board.to_play))
    ko_point = np.int64(board.ko_point) if is_in_turn else PASS  # nobody retakes from himself
    _write_stones(board, recent, has_superko, ko_point, planes)
    _write_history(board, recent, num_moves, planes)
    _write_ladders(board, recent, ko_point, num_moves, planes)
    write_area(board, suicide, planes[_AREA : _AREA + 2])
    most = np.float32(size * size) + _KOMI_BEYOND
    own_komi = min(max(np.float32(-komi if board.to_play == BLACK else komi), -most), most)
    planes[_KOMI] = own_komi / _KOMI_SCALE
    if has_superko:
        planes[_SUPERKO] = np.float32(1.0)
        planes[_SUPERKO + _ONE] = np.float32(0.5)
    if num_passes >= 1 and not is_hidden:
        planes[_PASS_ENDS] = np.float32(1.0)
    planes[_WAVE] = _parity_wave(own_komi, size)
