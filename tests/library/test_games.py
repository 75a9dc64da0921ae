"""Games through the front door: texts for moves, arrays for boards, pictures in notebooks."""

import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest

import miai


def test_players_take_turns_and_moves_are_texts() -> None:
    game = miai.Game(size=5, komi=0.5)
    assert game.to_play == "black"
    game.play("c3", "D4").play("pass")
    assert game.moves == (("black", "C3"), ("white", "D4"), ("black", "pass"))
    assert game.to_play == "white"
    assert not game.is_over
    assert game.play("pass").is_over


def test_one_colour_may_move_alone() -> None:
    game = miai.Game(5).play("A1", "B1", color="white")
    assert game.moves == (("white", "A1"), ("white", "B1"))


def test_the_board_is_an_array_with_its_first_row_at_the_top() -> None:
    board = miai.Game(5).play("A5", "E1").board
    assert board.dtype == np.int8
    assert board[0, 0] == 1 and board[4, 4] == 2
    assert np.count_nonzero(board) == 2


def test_of_several_moves_all_are_made_or_none() -> None:
    game = miai.Game(5).play("C3")
    with pytest.raises(miai.IllegalMove, match="C3"):
        game.play("D4", "C3")
    assert game.moves == (("black", "C3"),)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: miai.Game(20), "allowed"),
        (lambda: miai.Game(rules="ing"), "tromp-taylor"),
        (lambda: miai.Game(9, komi=float("inf")), "komi"),
        (lambda: miai.Game(size="nine"), "size: 'nine' is not allowed"),
        (lambda: miai.Game(komi="seven"), "komi: 'seven' is not allowed"),
        (lambda: miai.Game(5).undo(-1), "0 or more"),
        (lambda: miai.Game(5).save("/nowhere/game.sgf"), "/nowhere/game.sgf"),
        (lambda: miai.Game(5).play("F6"), "A1 to E5"),
        (lambda: miai.Game(5).play("A1", color="grey"), "black, white"),
        (lambda: miai.Game(5).undo(), "no move"),
        (lambda: miai.Game(5).set_up(["A1"], ["A1"]), "A1 is given to both"),
    ],
)
def test_what_is_wrong_is_named(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_legal_moves_leave_out_suicide_and_end_with_the_pass() -> None:
    game = miai.Game(3).set_up(black=["A2", "B1"], to_play="white")
    assert "A1" not in game.legal_moves()
    assert game.legal_moves()[-1] == "pass"
    assert not game.is_legal("A1") and game.is_legal("C3")


def test_a_copy_is_independent_and_undo_takes_moves_back() -> None:
    game = miai.Game(5).play("C3", "D4", "B2")
    other = game.copy().undo(2)
    assert len(game.moves) == 3 and other.moves == (("black", "C3"),)


def test_rules_that_only_a_file_has_keep_their_name(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[5]RU[NZ];B[cc])")
    game = miai.Game.load(tmp_path / "game.sgf")
    assert game.rules == "NZ" and game.state.rules.suicide


def test_a_file_keeps_a_game(tmp_path: Path) -> None:
    game = miai.Game(7, komi=5.5, rules="chinese").play("D4", "C3", "pass")
    game.save(tmp_path / "game.sgf", black="one", white="other")
    again = miai.Game.load(tmp_path / "game.sgf")
    assert (again.size, again.komi, again.rules, again.moves) == (7, 5.5, "chinese", game.moves)
    assert again.state.rules.removes_dead
    assert miai.Game.load(tmp_path / "game.sgf", move_number=2).moves == game.moves[:1]
    with pytest.raises(miai.SgfError):
        miai.Game.load(tmp_path / "none.sgf")


def test_the_score_counts_the_area_as_it_stands() -> None:
    assert miai.Game(3, komi=2.0).play("B2").score() == 9 - 2.0


def test_a_game_draws_itself() -> None:
    game = miai.Game(5).play("C3", "D4")
    picture = xml.etree.ElementTree.fromstring(game._repr_svg_())
    circles = [one.get("fill") for one in picture.iter("{http://www.w3.org/2000/svg}circle")]
    assert circles.count("#111") == 1 and circles.count("#fafafa") == 1
    assert "(O)" in str(game)
    assert repr(game) == "<Game 5x5, komi 7, 2 moves>"
