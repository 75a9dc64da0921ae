"""Tactical questions: a diagram and the answer, together. `a` marks the point asked about, `b` a forbidden ko."""

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE, all_points
from miai.engine.go.tactics import (
    append_captures,
    captures_at,
    count_neighbors,
    count_surrounding,
    gains_liberties,
    in_atari,
    liberties_after,
    next_liberty,
    self_atari,
)
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace
from tests.board_diagram import boards_from_diagram


def _position(text: str, to_play: int = BLACK) -> tuple[np.ndarray, int]:
    diagram = read_diagram(text)
    boards = boards_from_diagram(text, to_play)
    for point in diagram.marks.get("b", []):
        boards[0]["ko_point"] = point
    return boards, diagram.marked("a")


LIBERTIES_AFTER = [
    ("a stone alone in the middle", BLACK, ". . . / . a . / . . .", 4),
    ("a stone in the corner", BLACK, "a . . / . . . / . . .", 2),
    ("joining two stones that share liberties", BLACK, ". . . . / X a X . / . . . . / . . . .", 7),
    ("an extension at the edge", BLACK, "O X a . / O O . . / . . . . / . . . .", 2),
    ("the last liberty of a block: suicide", BLACK, "a X O . / X X O . / O O O . / . . . .", 0),
    ("one stone taken gives one liberty", BLACK, "a O X / O X . / X . .", 2),
    ("a capture that touches the new block twice", BLACK, "a O X . / O O X . / X X . . / . . . .", 2),
    ("liberties that a capture gives to a joined block", BLACK, "X a O X / O O O X / X X X . / . . . .", 3),
    ("a ko capture keeps one liberty", BLACK, ". X O . / X O a O / . X O . / . . . .", 1),
    ("the same taken block on two sides", BLACK, "O O X . / O a X . / X X . . / . . . .", 7),
]


@pytest.mark.parametrize(("situation", "color", "diagram", "expected"), LIBERTIES_AFTER)
def test_liberties_after(situation: str, color: int, diagram: str, expected: int) -> None:
    boards, point = _position(diagram.replace("/", "\n"))
    assert liberties_after(boards[0], point, color) == expected, situation


def test_liberties_after_agrees_with_playing_the_move() -> None:
    workspace = new_playout_workspace(7, 5)
    choose = make_policy("random").choose
    num_captures = 0
    for size in (2, 5, 7, 9, 13):
        workspace = new_playout_workspace(size, size)
        board = new_board(size)
        for _ in range(150):
            for point in all_points(size):
                if board[0]["color"][point] == EMPTY:
                    for color in (BLACK, WHITE):
                        after = board.copy()
                        after[0]["to_play"] = color
                        play(after[0], point)
                        if after[0]["color"][point] == EMPTY:
                            expected = 0  # suicide
                        else:
                            expected = int(after[0]["num_liberties"][after[0]["head"][point]])
                        assert liberties_after(board[0], point, color) == expected
                        assert self_atari(board[0], point, color) == (expected < 2)
                        taken = after[0]["num_captured"][3 - color] > board[0]["num_captured"][3 - color]
                        assert captures_at(board[0], point, color) == taken
                        num_captures += int(taken)
            move = choose(board[0], workspace[0])
            play(board[0], move)
            if move == PASS:
                board = new_board(size)
    assert num_captures > 500


SELF_ATARI = [
    ("into the corner between two stones", ". O . / a . . / O . .", False),
    ("a throw-in", "a O . / . O . / O O .", True),
    ("extending a stone on the first line under a wall", "X a . / O O O / . . .", True),
    ("connecting to a block that is safe", "X a O . / . X O . / . X . . / . O . .", False),
    ("connecting to a block with no other liberty", "X a O / O X O / . O O", True),
    ("taking one stone, no ko shape", "a O X / O X . / X . .", False),
    ("a ko capture", ". X O . / X O a O / . X O . / . . . .", True),
    ("the first stone of a snapback", ". O X . / a O X . / O O X . / X X X .", True),
]


@pytest.mark.parametrize(("situation", "diagram", "expected"), SELF_ATARI)
def test_self_atari(situation: str, diagram: str, expected: bool) -> None:
    boards, point = _position(diagram.replace("/", "\n"))
    assert self_atari(boards[0], point, BLACK) == expected, situation


GAINS = [
    ("running into the open", ". . . . / . X a . / . O . . / . . . .", True),
    ("creeping along the edge", "O X a . / . O O . / . . . . / . . . .", False),
    ("joining a block that has liberties", "O X a X . / O O O . . / . . . . . / . . . . . / . . . . .", True),
]


@pytest.mark.parametrize(("situation", "diagram", "expected"), GAINS)
def test_gains_liberties(situation: str, diagram: str, expected: bool) -> None:
    boards, point = _position(diagram.replace("/", "\n"))
    head = int(boards[0]["head"][point - 1])
    assert gains_liberties(boards[0], head, point) == expected, situation


def test_next_liberty_enumerates_every_liberty_in_order_on_every_size() -> None:
    for size in (2, 7, 9, 19):
        board = new_board(size)
        corner = all_points(size)[0]
        row = [corner + column for column in range(size)]
        board[0]["to_play"] = BLACK
        for point in row:
            board[0]["to_play"] = BLACK
            play(board[0], point)
        head = int(board[0]["head"][corner])
        found = []
        point = next_liberty(board[0], head, PASS)
        while point != PASS:
            found.append(point)
            point = next_liberty(board[0], head, point)
        assert found == [point + size + 1 for point in row]


def test_neighbors_are_counted_by_colour_at_the_corner() -> None:
    boards, point = _position("a X .\nO X .\n. . .")
    assert [count_neighbors(boards[0], point, color) for color in range(4)] == [0, 1, 1, 2]
    assert [count_surrounding(boards[0], point, color) for color in range(4)] == [0, 2, 1, 5]


def test_captures_beside_a_block_are_distinct_and_leave_out_the_ko() -> None:
    text = """
        . . . . .
        O X O . .
        b O X X O
        . X O O c
        . . X X X
        """
    diagram = read_diagram(text)
    boards = boards_from_diagram(text)
    workspace = new_playout_workspace(5)[0]
    head = int(boards[0]["head"][diagram.marked("c") - 7])
    assert boards[0]["color"][head] == BLACK
    assert in_atari(boards[0], diagram.marked("c") - 1)
    count = append_captures(boards[0], head, workspace, 0)
    assert set(workspace["moves"][:count].tolist()) == {diagram.marked("c"), diagram.marked("b")}
    boards[0]["ko_point"] = diagram.marked("b")
    count = append_captures(boards[0], head, workspace, 0)
    assert workspace["moves"][:count].tolist() == [diagram.marked("c")]
