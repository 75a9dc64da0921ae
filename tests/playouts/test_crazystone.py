"""Crazy Stone's urgencies and replacements. X is to move; `m` is the move asked about, `a` what it becomes."""

import numpy as np
import pytest

from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, vertex_of
from miai.playouts.crazystone import extra_urgency, is_candidate, replace_useless
from miai.playouts.distribution import _after_repeats, distribution
from miai.playouts.policy import make_policy
from tests.board_diagram import boards_from_diagram

URGENCIES = [
    ("an ordinary move", ". . . . . / . m . . . / . . . . . / . . . . . / . . . . .", 1),
    ("save two stones", "O X X m . / . O O . . / . . . . . / . . . . . / . . . . .", 2001),
    ("a hopeless extension at the edge", "X m . . . / O O . . . / . . . . . / . . . . . / . . . . .", 1),
    ("an extension that joins a safe block", "X m X . . / O O . . . / . . . . . / . . . . . / . . . . .", 1001),
    ("take two stones", ". O X . . / X O m . . / . X . . . / . . . . . / . . . . .", 1),
    ("take two stones that could run", ". X . . . / X O m . . / X O X . . / . X . . . / . . . . .", 20001),
    (
        "take a stone that holds an own one in atari",
        "m O X O . / . X . . . / . . . . . / . . . . . / . . . . .",
        100001,
    ),
    ("a filled eye", "X X X . . / X m X . . / X X X . . / . . . . . / . . . . .", 0),
    ("an eye whose wall is in atari", "m X O . . / X O . . . / O . . . . / . . . . . / . . . . .", 0),
    ("suicide", "m O . . . / O . . . . / . . . . . / . . . . . / . . . . .", 0),
]

REPLACED = [
    ("make an eye instead of filling it", "X m a . . / X X X . . / . . . . . / . . . . . / . . . . ."),
    ("two blocks around: stays", "X m . . . / . X . . . / . . . . . / . . . . . / . . . . ."),
    ("out of the opponent's mouth", ". O . . . / O m a . . / . O . . . / . . . . . / . . . . ."),
    ("a peep that gives atari stays", ". . . . . / . . O . . / X O m . . / . X O . . / . . . . ."),
    ("the other liberty, not self-atari", "m X X a . / O O O . . / . . . . . / . . . . . / . . . . ."),
    ("take the stone in atari instead", "m X O . . / O X . . . / a O X . . / . X . . . / . . . . ."),
]


def _position(text: str):  # type: ignore[no-untyped-def]
    rows = text.replace("/", "\n")
    return boards_from_diagram(rows, BLACK), read_diagram(rows)


@pytest.mark.parametrize(("situation", "diagram", "expected"), URGENCIES)
def test_urgency(situation: str, diagram: str, expected: int) -> None:
    boards, seen = _position(diagram)
    point = seen.marked("m")
    if expected == 0:
        assert not is_candidate(boards[0], point, BLACK)
    else:
        assert is_candidate(boards[0], point, BLACK)
        assert 1 + extra_urgency(boards[0], point, BLACK) == expected


@pytest.mark.parametrize(("situation", "diagram"), REPLACED)
def test_replacement(situation: str, diagram: str) -> None:
    boards, seen = _position(diagram)
    expected = seen.marks.get("a", seen.marks["m"])[0]
    found = int(replace_useless(boards[0], seen.marked("m")))
    assert vertex_of(found, seen.size) == vertex_of(expected, seen.size)


def test_a_move_drawn_again_keeps_its_small_chance() -> None:
    # urgencies 1, 1 and 8, the last lowered when drawn first: 1/10 + 8/10 · 1/3 each, and 8/10 · 1/3 for the last
    expected = [0.1 + 0.8 / 3, 0.1 + 0.8 / 3, 0.8 / 3]
    assert _after_repeats(np.array([1.0, 1.0, 8.0]), [2]) == pytest.approx(expected)


def test_repeated_draws_of_two_moves_follow_both_orders() -> None:
    found = _after_repeats(np.array([1.0, 2.0, 3.0]), [1, 2])
    first_one, first_two = 2 / 6, 3 / 6
    both = np.array([1.0, 1.0, 1.0]) / 3
    after_one = np.array([1 / 5, 1 / 5, 0]) + 3 / 5 * both
    after_two = np.array([1 / 4, 0, 1 / 4]) + 2 / 4 * both
    assert found == pytest.approx(np.array([1 / 6, 0, 0]) + first_one * after_one + first_two * after_two)


def test_the_policy_prefers_the_capture_that_saves() -> None:
    boards, seen = _position(". . X . . / . X O m . / . O X O . / . . . . . / . . . . .")
    found = distribution(make_policy("crazystone"), boards[0])
    assert found[seen.marked("m")] > 0.9
