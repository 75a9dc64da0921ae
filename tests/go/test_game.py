"""A game's own promises: legality by rule, undo, set-up, score, copies."""

import random

import numpy as np
import pytest

from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.drawing import draw
from miai.engine.go.game import CannotUndo, Game, IllegalMove
from miai.engine.go.points import BLACK, EMPTY, PASS, RESIGN, WHITE, move_at
from miai.engine.go.rules import RULES, Rules

CHINESE = RULES["chinese"]


def at(vertex: str, size: int = 5) -> int:
    return move_at(vertex, size)


def play(game: Game, *moves: str) -> Game:
    """Play moves such as `B C4`."""
    for move in moves:
        letter, vertex = move.split()
        game.play(BLACK if letter == "B" else WHITE, move_at(vertex, game.size))
    return game


KO = """
    . X O . .
    X . X O .
    . X O . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize("rules", [CHINESE, RULES["tromp-taylor"]], ids=["simple ko", "superko"])
def test_ko_may_not_be_retaken_at_once_but_after_a_threat(rules: Rules) -> None:
    game = play(game_from_diagram(KO, WHITE, rules=rules), "W B4")
    assert game.num_captured == {BLACK: 1, WHITE: 0}
    assert game.why_illegal(BLACK, at("C4")) == "ko"
    assert at("C4") not in game.legal_points(BLACK)
    with pytest.raises(IllegalMove, match="C4 is illegal: ko"):
        game.play(BLACK, at("C4"))
    play(game, "B E1", "W D1")
    assert game.is_legal(BLACK, at("C4"))


def test_the_taker_may_fill_the_ko_even_if_the_turn_was_set() -> None:
    game = play(game_from_diagram(KO, WHITE, rules=CHINESE), "W B4")
    game.to_play = WHITE
    assert game.is_legal(WHITE, at("C4"))
    assert game.why_illegal(BLACK, at("C4")) == "ko"


def test_passing_lifts_a_simple_ko_but_not_superko() -> None:
    game = play(game_from_diagram(KO, WHITE, rules=CHINESE), "W B4", "B pass", "W pass")
    assert game.is_legal(BLACK, at("C4"))
    game = play(game_from_diagram(KO, WHITE), "W B4", "B pass", "W pass")
    assert game.why_illegal(BLACK, at("C4")) == "superko"


@pytest.mark.parametrize(("rules", "expected"), [(CHINESE, None), (RULES["cgos"], "superko")], ids=str)
def test_sending_two_returning_one_is_forbidden_by_superko_only(rules: Rules, expected: str | None) -> None:
    game = game_from_diagram(
        """
        . . . . .
        . . . . .
        O O X . .
        O O X X .
        . X . X .
        """,
        rules=rules,
    )
    play(game, "B A1", "W C1")
    assert game.num_captured == {BLACK: 2, WHITE: 0}
    assert game.why_illegal(BLACK, at("B1")) == expected


def test_multi_stone_suicide_follows_the_rules() -> None:
    text = """
        X . O . .
        O O O . .
        . . . . .
        . . . . .
        . . . . .
    """
    assert game_from_diagram(text).why_illegal(BLACK, at("B5")) == "suicide"
    game = game_from_diagram(text, rules=Rules("positional", suicide=True))
    play(game, "B B5")
    assert game.stones() == {point: WHITE for point, color in read_diagram(text).stones.items() if color == WHITE}
    assert game.num_captured == {BLACK: 2, WHITE: 0}


def test_single_stone_suicide_is_legal_only_without_superko() -> None:
    text = """
        . O . . .
        O O . . .
        . . . . .
        . . . . .
        . . . . .
    """
    assert game_from_diagram(text, rules=Rules("positional", True)).why_illegal(BLACK, at("A5")) == "superko"
    game = game_from_diagram(text, rules=Rules("none", True))
    play(game, "B A5")
    assert game.stones() == read_diagram(text).stones and game.to_play == WHITE


def test_suicide_back_to_the_empty_board_is_forbidden_by_superko() -> None:
    for rules, expected in ((Rules("positional", True), "superko"), (Rules("none", True), None)):
        game = play(Game(2, rules=rules), "B A1", "W pass", "B A2", "W pass", "B B1", "W pass")
        assert game.why_illegal(BLACK, at("B2", 2)) == expected


def test_a_capture_is_no_suicide() -> None:
    game = game_from_diagram(". X O\nX O .\nO . .", WHITE)
    assert game.is_legal(WHITE, at("A3", 3))
    play(game, "W A3")
    assert game.num_captured == {BLACK: 2, WHITE: 0}


def test_snapback() -> None:
    game = game_from_diagram(
        """
        . X O O .
        X X O . .
        X O O . .
        X . O . .
        X X O . .
        """,
        WHITE,
    )
    assert game.why_illegal(WHITE, at("A5")) == "suicide"
    play(game, "W B2")
    assert game.num_captured == {BLACK: 0, WHITE: 0}


def test_either_colour_may_play_at_any_time() -> None:
    game = play(Game(5), "W A1", "W B1", "B C1", "B D1")
    assert game.moves == [(WHITE, at("A1")), (WHITE, at("B1")), (BLACK, at("C1")), (BLACK, at("D1"))]
    assert game.to_play == WHITE


def test_two_passes_end_the_game_and_play_may_go_on() -> None:
    game = play(Game(5), "B pass")
    assert not game.is_over
    play(game, "W pass")
    assert game.is_over
    play(game, "B C3")
    assert not game.is_over
    game.undo()
    assert game.is_over


@pytest.mark.parametrize("move", [RESIGN, -1, 1, 6, 10_000])
def test_what_is_no_point_is_a_mistake_of_the_caller(move: int) -> None:
    game = Game(5)
    with pytest.raises(ValueError, match="no point of a 5x5 board"):
        game.is_legal(BLACK, move)
    with pytest.raises(ValueError, match="no point"):
        game.play(BLACK, move)
    with pytest.raises(ValueError, match="no player's colour"):
        game.play(EMPTY, at("A1"))
    assert game.moves == []


@pytest.mark.parametrize("size", [-1, 0, 1, 20])
def test_impossible_sizes_are_named(size: int) -> None:
    with pytest.raises(ValueError, match=f"unacceptable size {size}: allowed are 2 to 19"):
        Game(size)


def test_komi_counts_and_is_bounded() -> None:
    game = play(Game(5, komi=0.5), "B C3")
    assert game.score() == 24.5
    game.komi = -3
    assert game.score() == 28.0
    for komi in (float("nan"), float("inf"), 1e308, -1000.5):
        with pytest.raises(ValueError, match=r"komi .* is not allowed \(allowed: a number from -1000 to 1000\)"):
            game.komi = komi
        with pytest.raises(ValueError, match="komi"):
            Game(5, komi=komi)
    assert game.komi == -3.0


def test_points_may_be_given_as_text() -> None:
    game = Game(5)
    game.play(BLACK, "C3")
    game.play(WHITE, "d4")
    game.play(BLACK, "pass")
    assert game.moves == [(BLACK, at("C3")), (WHITE, at("D4")), (BLACK, PASS)]
    assert game.color_at("C3") == BLACK
    assert not game.is_legal(WHITE, "c3") and game.is_legal(WHITE, "E5")
    assert game.why_illegal(WHITE, "C3") == "occupied"
    with pytest.raises(IllegalMove, match="^D4 is illegal: occupied$"):
        game.play(BLACK, "d4")
    for wrong in ("F1", "resign", "", "33"):
        with pytest.raises(ValueError, match="no point of a 5x5 board"):
            game.play(BLACK, wrong)
    with pytest.raises(ValueError, match="pass is no point"):
        game.color_at("pass")
    assert len(game.moves) == 3

    game.set_up({"A1": BLACK, at("B1"): WHITE}, BLACK)
    assert game.stones() == {at("A1"): BLACK, at("B1"): WHITE}
    with pytest.raises(ValueError, match="twice"):
        game.set_up({"A2": BLACK, at("A2"): WHITE}, BLACK)

    game = Game(5)
    game.place_handicap(["B2", at("D4")])
    assert game.stones() == {at("B2"): BLACK, at("D4"): BLACK}
    with pytest.raises(ValueError, match="repeated"):
        Game(5).place_handicap(["B2", at("B2")])


def test_a_printed_game_shows_the_board() -> None:
    game = play(Game(3, komi=0.5), "B B2", "W A1")
    assert str(game) == draw(game.board)
    assert repr(game) == "<Game 3x3, komi 0.5, 2 moves, black to play>"


def test_area_counts_stones_and_what_only_one_colour_reaches() -> None:
    game = game_from_diagram(". X . O .\nX X . O O\n. . . . .\nX X X X X\n. . . . .", komi=0.0)
    expected = "1 1 0 -1 -1\n1 1 0 -1 -1\n0 0 0 0 0\n1 1 1 1 1\n1 1 1 1 1"
    assert game.area().reshape(5, 5).tolist() == [[int(x) for x in row.split()] for row in expected.splitlines()]
    assert game.score() == 14 - 4
    assert Game(5, komi=1.0).score() == -1.0


def fields_of(game: Game) -> dict[str, object]:
    return {name: game.board[name].tolist() for name in game.board.dtype.names}


def test_undo_returns_to_every_earlier_state_and_stops_at_the_setup() -> None:
    rng = random.Random(8)
    game = game_from_diagram("X O .\n. . .\n. . X", rules=Rules("positional", True))
    seen: list[tuple[object, bytes, list[tuple[int, int]]]] = []
    for _ in range(700):
        color = rng.choice((BLACK, WHITE))
        legal = game.legal_points(color)
        seen.append((fields_of(game), game.history[0].tobytes(), game.moves.copy()))
        game.play(color, rng.choice([*legal, PASS]))
    while seen:
        game.undo()
        board, history, moves = seen.pop()
        assert fields_of(game) == board and game.moves == moves
        if len(history) == game.history[0].nbytes:
            assert game.history[0].tobytes() == history
    with pytest.raises(CannotUndo):
        game.undo()


def test_a_copy_that_takes_moves_back_and_plays_on_changes_nothing_here() -> None:
    game = Game(5)
    game.play(BLACK, "C3")
    copy = game.copy()
    copy.undo()
    copy.play(BLACK, "A1")
    game.undo()
    assert game.stones() == {}
    assert copy.stones() == {move_at("A1", 5): BLACK}


def test_a_copy_goes_its_own_way() -> None:
    game = play(Game(5, 0.5), "B C3", "W C4")
    other = game.copy()
    play(other, "B B2")
    other.undo()
    other.undo()
    other.undo()
    other.komi = 9.0
    assert len(game.moves) == 2 and game.color_at(at("C4")) == WHITE and game.komi == 0.5
    game.undo()
    assert game.color_at(at("C3")) == BLACK and other.moves == []


def test_setting_up_replaces_the_game_or_changes_nothing() -> None:
    game = play(Game(3), "B A1", "W B2")
    before = draw(game.board)
    stones = {at("A1", 3): BLACK, at("A2", 3): WHITE, at("B1", 3): WHITE}
    with pytest.raises(ValueError, match="without a liberty"):
        game.set_up(stones, BLACK)
    with pytest.raises(ValueError, match="no player's colour"):
        game.set_up({at("A1", 3): 7}, BLACK)
    with pytest.raises(ValueError, match="no point"):
        game.set_up({0: BLACK}, BLACK)
    assert draw(game.board) == before and len(game.moves) == 2
    stones[at("A1", 3)] = EMPTY
    game.set_up(stones, WHITE)
    assert game.moves == [] and game.to_play == WHITE
    assert game.stones() == game.setup_stones == {at("A2", 3): WHITE, at("B1", 3): WHITE}
    assert game.why_illegal(BLACK, at("A1", 3)) == "suicide"


def test_setup_order_does_not_matter_even_where_stones_would_take_each_other() -> None:
    diagram = read_diagram(". X X X X\nX O O O X\nX O . O X\nX O O O X\nX X X X .")
    rng = random.Random(1)
    for _ in range(50):
        points = rng.sample(sorted(diagram.stones), len(diagram.stones))
        game = Game(5)
        game.set_up({point: diagram.stones[point] for point in points}, BLACK)
        assert game.stones() == diagram.stones


def test_legal_points_are_those_that_are_legal() -> None:
    rng = random.Random(4)
    game = Game(3)
    for _ in range(100):
        for color in (BLACK, WHITE):
            empty = np.flatnonzero(game.board["color"] == EMPTY).tolist()
            assert game.legal_points(color) == [point for point in empty if game.is_legal(color, point)]
        game.play(game.to_play, rng.choice([*game.legal_points(game.to_play), PASS]))
