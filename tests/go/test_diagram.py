"""Positions as text."""

import random

import pytest

from miai.engine.go.diagram import DiagramError, game_from_diagram, read_diagram
from miai.engine.go.drawing import draw
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, WHITE, move_at
from tests.board_diagram import boards_from_diagram


def test_labels_spaces_and_other_signs_are_understood() -> None:
    plain = read_diagram("X.O\n.a.\n#b+")
    assert plain.stones == {move_at("A3", 3): BLACK, move_at("C3", 3): WHITE, move_at("A1", 3): BLACK}
    assert plain.marks == {"a": [move_at("B2", 3)], "b": [move_at("B1", 3)]}
    assert plain.marked() == move_at("B2", 3)
    labelled = read_diagram("\n   A B C\n 3 X . O 3\n 2 . a . 2\n 1 # b + 1\n   A B C\n")
    assert labelled == plain


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_what_is_drawn_is_read_back(size: int) -> None:
    rng = random.Random(size)
    game = Game(size)
    for _ in range(size):
        game.play(game.to_play, rng.choice(game.legal_points(game.to_play)))
    assert read_diagram(draw(game.board)).stones == game.stones()


def test_drawing_shows_coordinates_and_marks() -> None:
    game = game_from_diagram("X.O\n...\n.X.")
    assert draw(game.board, {move_at("B2", 3): "a"}) == ("   A B C\n 3 X . O 3\n 2 . a . 2\n 1 . X . 1\n   A B C")


def test_a_board_of_a_diagram_has_player_and_stones() -> None:
    board = boards_from_diagram("X.O\n...\n.X.", WHITE)[0]
    assert board["to_play"] == WHITE and board["color"][move_at("A3", 3)] == BLACK
    assert board["color"][move_at("B2", 3)] == EMPTY and board["num_empty"] == 6


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "2 to 19 rows, not 0"),
        ("X", "not 1"),
        ("X.\nX", "row 2 from the top has 1 points, not 2"),
        ("X?\n..", r"unknown sign '\?'"),
        ("XY\n..", "unknown sign 'Y'"),
        ("..\n" * 20, "not 20"),
    ],
)
def test_wrong_diagrams_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(DiagramError, match=complaint):
        read_diagram(text)


def test_a_mark_must_be_there_once_to_be_asked_for() -> None:
    with pytest.raises(DiagramError, match="'a' marks 2 points"):
        read_diagram("aa\n..").marked()


def test_a_block_without_liberties_is_refused() -> None:
    with pytest.raises(ValueError, match="liberty"):
        game_from_diagram("XX\nXX")
