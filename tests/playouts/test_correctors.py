"""Correctors: `m` is the move chosen, `a` the move it becomes; without `a` it stays. X is to move."""

import pytest

from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, vertex_of
from miai.playouts.correctors import clump_correction, false_eye_to_capture, self_atari_correction
from tests.board_diagram import boards_from_diagram

FALSE_EYE = [
    ("take the stone on the diagonal", ". a . . . / X O X . . / . X m X . / . . X . . / . . . . ."),
    ("the stone on the diagonal is not in atari", ". . . . . / . O X . . / . X m X . / . . X . . / . . . . ."),
    ("a point beside the opponent is no eye", ". X . . . / X O X . . / . O m X . / . . X . . / . . . . ."),
    ("at the edge", "X O a . . / m X X . . / X . . . . / . . . . . / . . . . ."),
]

SELF_ATARI = [
    ("the other liberty is safe", "m X a . . / O O . . . / . . . . . / . . . . . / . . . . ."),
    ("the other liberty is self-atari too", "m X O . . / X O . . . / . O . . . / O . . . . / . . . . ."),
    ("a stone moves away from a wall", "m a . . . / O . . . . / . . . . . / . . . . . / . . . . ."),
    ("a throw-in without a way out stays", "m O . . . / . O . . . / O O . . . / . . . . . / . . . . ."),
    ("a move that takes a stone stays", "m O X . . / O X . . . / . O . . . / . . . . . / . . . . ."),
    ("a move with two liberties stays", "m . . . . / . O . . . / . . . . . / . . . . . / . . . . ."),
]

CLUMP = [
    ("packed in the middle: the empty neighbour", ". . . . . / . . . . . / X X X . . / X m a . . / X X . . . "),
    ("loose: stays", ". . . . . / . . . . . / . X . . . / X m . . . / . X . . ."),
    ("packed at the edge", ". . . . . / . . . . . / . . . . . / X X X X . / . X m a ."),
    ("the neighbour is packed more: stays", ". . . . . / X X X X X / X m . X X / . X X X X / . . . . ."),
    ("two ways out: stays", ". . . . . / . . . . . / X X . . . / X m . . . / X . . . ."),
]


def _check(correct, text: str) -> None:  # type: ignore[no-untyped-def]
    rows = text.replace("/", "\n")
    diagram = read_diagram(rows)
    boards = boards_from_diagram(rows, BLACK)
    before = boards.tobytes()
    expected = diagram.marks.get("a", diagram.marks["m"])[0]
    found = correct(boards[0], diagram.marked("m"))
    assert vertex_of(int(found), diagram.size) == vertex_of(expected, diagram.size)
    assert boards.tobytes() == before


@pytest.mark.parametrize(("situation", "diagram"), FALSE_EYE)
def test_false_eye_to_capture(situation: str, diagram: str) -> None:
    _check(false_eye_to_capture, diagram)


@pytest.mark.parametrize(("situation", "diagram"), SELF_ATARI)
def test_self_atari_correction(situation: str, diagram: str) -> None:
    _check(self_atari_correction, diagram)


@pytest.mark.parametrize(("situation", "diagram"), CLUMP)
def test_clump_correction(situation: str, diagram: str) -> None:
    _check(clump_correction, diagram)


def test_a_capture_that_ko_forbids_does_not_replace_a_false_eye() -> None:
    rows = ". a . . .\nX O X . .\n. X m X .\n. . X . .\n. . . . ."
    diagram = read_diagram(rows)
    boards = boards_from_diagram(rows, BLACK)
    boards[0]["ko_point"] = diagram.marked("a")
    assert false_eye_to_capture(boards[0], diagram.marked("m")) == diagram.marked("m")
