"""The number of legal positions, counted by setting every colouring up on the board.

Tromp and Farnebäck, "Combinatorics of Go" (2006), table 2: 57 on 2x2, 12,675 on 3x3, 24,318,165 on 4x4. The large
count:  pytest -m slow tests/go/test_positions.py
"""

import itertools

import numpy as np
import pytest

from miai.engine.go.board import new_board, place_stone
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, all_points
from miai.engine.jit import compiled


@compiled
def count_positions(boards, points):
    """Count the colourings of the board, one depth of `boards` a point, in which every block has a liberty.

    A stone that leaves any block without a liberty makes the board take stones off. A block without liberties in
    part of a colouring has none in the whole: what follows is left out.
    """
    num_points = len(points)
    choice = np.zeros(num_points + 1, dtype=np.int64)
    count = 0
    depth = 0
    while depth >= 0:
        if depth == num_points:
            count += 1
            depth -= 1
            continue
        color = choice[depth]
        choice[depth] += 1
        if color > 2:
            choice[depth] = 0
            depth -= 1
            continue
        boards[depth + 1] = boards[depth]
        if color != 0:
            below = boards[depth + 1]
            place_stone(below, points[depth], np.uint8(color))
            if below.num_captured[1] + below.num_captured[2] > 0:
                continue
        depth += 1
    return count


def num_positions(size: int) -> int:
    boards = np.repeat(new_board(size), size * size + 1)
    return int(count_positions(boards, np.array(all_points(size), dtype=np.int64)))


@pytest.mark.parametrize(("size", "expected"), [(2, 57), (3, 12_675)])
def test_number_of_legal_positions(size: int, expected: int) -> None:
    assert num_positions(size) == expected


@pytest.mark.slow
def test_number_of_legal_positions_on_4x4() -> None:
    assert num_positions(4) == 24_318_165


def test_every_colouring_is_accepted_or_refused_by_set_up() -> None:
    game, points, num_legal = Game(2), all_points(2), 0
    for colors in itertools.product(range(3), repeat=4):
        try:
            game.set_up(dict(zip(points, colors, strict=True)), BLACK)
        except ValueError:
            continue
        num_legal += 1
        assert [game.color_at(point) for point in points] == list(colors)
    assert num_legal == 57


def test_no_two_positions_of_3x3_share_a_key() -> None:
    keys = set()
    game, points = Game(3), all_points(3)
    for colors in itertools.product(range(3), repeat=9):
        try:
            game.set_up(dict(zip(points, colors, strict=True)), BLACK)
        except ValueError:
            continue
        keys.add(int(game.board["key"]))
    assert len(keys) == 12_675
