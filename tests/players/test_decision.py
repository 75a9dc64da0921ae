"""What is played after a search: never a lost pass, no stones into a settled board, no resignation when ahead."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE, move_at, vertex_of
from miai.engine.search.report import MoveReport, SearchReport
from miai.players.decision import decide, decide_by_agreement, margin_of, sample_move
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Decision, Player

SIZE = 7
D4 = move_at("D4", SIZE)


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(PlayerOptions(seed=3, memory=16))


def choose(player: Player, game: Game, color: int, simulations: int = 1000) -> Decision:
    player.new_game()
    return player.choose(game, color, Budget(simulations))


SETTLED = """
    . X X . X O .
    X X X X X O O
    X X . X X O O
    X X X X X O O
    X X X X O O O
    . X X X O O .
    X X X X O O O
"""
"""Black 32, White 17."""

DEAD_STONES = """
    . X X X O . O
    X . . X O O O
    X O . X O O O
    X X . X O O .
    . X X X O O O
    X X X X O O O
    X X . X O O O
"""
"""One white stone is dead. As it stands Black 23, White 22 and nobody 4; with it taken Black 27."""

NEUTRAL_POINT = """
    . X X X . O .
    X X X X X O O
    X X X X X O O
    X X X X O O O
    X X X X O O O
    . X X X O O .
    X X X X O O O
"""
"""Black 30, White 18, and one point that nobody owns yet."""


def reply_to_a_pass(player: Player, text: str, color: int, komi: float) -> str:
    game = game_from_diagram(text, 3 - color, komi)
    game.play(3 - color, PASS)
    return vertex_of(choose(player, game, color).move, game.size)


@pytest.mark.parametrize("komi", [14.5, 7.0, -40.0])
def test_a_settled_board_that_is_won_is_passed_not_filled(player: Player, komi: float) -> None:
    game = game_from_diagram(SETTLED, BLACK, komi)
    assert margin_of(game, BLACK) > 0
    assert choose(player, game, BLACK, 300).move == PASS
    assert reply_to_a_pass(player, SETTLED, BLACK, komi) == "pass"


def test_a_settled_board_that_is_lost_is_resigned_or_passed_but_no_eye_is_filled() -> None:
    game = game_from_diagram(SETTLED, WHITE, 7.0)
    for resign_below, expected in ((0.05, RESIGN), (0.0, PASS)):
        loser = Player(PlayerOptions(seed=1, memory=16, resign_below=resign_below))
        assert choose(loser, game, WHITE, 300).move == expected


def test_a_dead_stone_is_taken_before_passing_if_the_score_needs_it(player: Player) -> None:
    game = game_from_diagram(DEAD_STONES, BLACK, 5.5)
    assert margin_of(game, BLACK) < 0
    inside = {move_at(vertex, SIZE) for vertex in ("B6", "C6", "C5", "C4")}
    assert choose(player, game, BLACK).move in inside
    game.play(BLACK, PASS)
    assert choose(player, game, WHITE).move == PASS  # takes the win that Black threw away
    assert move_at(reply_to_a_pass(player, DEAD_STONES, BLACK, 5.5), SIZE) in inside


def test_a_game_with_dead_stones_on_the_board_is_won_to_the_end(player: Player) -> None:
    game = game_from_diagram(DEAD_STONES, BLACK, 5.5)
    player.new_game()
    while not game.is_over and len(game.moves) < 30:
        color = game.to_play
        move = player.choose(game, color, Budget(600)).move if color == BLACK else PASS
        assert move != RESIGN
        game.play(color, move)
    assert game.is_over and game.score() > 0


def test_a_dead_stone_may_stay_if_the_score_does_not_need_it(player: Player) -> None:
    assert reply_to_a_pass(player, DEAD_STONES, BLACK, 0.5) == "pass"


@pytest.mark.parametrize(("komi", "expected"), [(12.5, "E7"), (11.5, "pass")])
def test_the_last_neutral_point_is_taken_before_answering_a_pass_if_it_decides(
    player: Player, komi: float, expected: str
) -> None:
    assert reply_to_a_pass(player, NEUTRAL_POINT, BLACK, komi) == expected


def test_the_last_neutral_point_is_not_left_to_the_opponent(player: Player) -> None:
    for color, komi in ((BLACK, 11.5), (WHITE, 12.5)):  # ahead now, behind if the opponent takes it
        game = game_from_diagram(NEUTRAL_POINT, color, komi)
        assert margin_of(game, color) > 0
        assert vertex_of(choose(player, game, color).move, SIZE) == "E7"


def test_a_draw_is_taken_rather_than_a_loss_and_left_for_a_win(player: Player) -> None:
    assert reply_to_a_pass(player, NEUTRAL_POINT, BLACK, 13.0) == "E7"  # from a loss to a draw
    assert reply_to_a_pass(player, NEUTRAL_POINT, BLACK, 12.0) == "E7"  # from a draw to a win
    game = game_from_diagram(SETTLED, BLACK, 15.0)
    choice = choose(player, game, BLACK, 300)
    assert choice.move == PASS and choice.report.value == pytest.approx(0.5)
    assert choice.report.score == pytest.approx(0.0)


def test_somebody_who_is_asked_after_the_end_gets_an_answer(player: Player) -> None:
    for text, komi in ((SETTLED, 7.0), (DEAD_STONES, 5.5)):
        game = game_from_diagram(text, BLACK, komi)
        game.play(BLACK, PASS)
        game.play(WHITE, PASS)
        for color in (BLACK, WHITE):
            move = choose(player, game, color).move
            assert move in (PASS, RESIGN) or game.is_legal(color, move)
            if margin_of(game, color) > 0:
                assert move == PASS


def test_a_tree_in_which_the_game_has_ended_is_not_kept_for_who_is_asked_on(player: Player) -> None:
    game = game_from_diagram(SETTLED, WHITE, 7.0)
    player.new_game()
    for color in (WHITE, BLACK, WHITE):  # nothing but passes is searched
        choice = player.choose(game, color, Budget(300))
        assert [move.move for move in choice.report.moves] == [PASS]
        game.play(color, PASS)


# The rules themselves, on reports made up.


def report(*moves: tuple[int, int, float], owners: np.ndarray | None = None) -> SearchReport:
    """Return a report on (move, visits, value), best first, without opinion on ownership unless given."""
    found = tuple(MoveReport(move, visits, value, 0.1, value, 0.0, (move,), (visits,)) for move, visits, value in moves)
    ownership = np.zeros(SIZE * SIZE, dtype=np.float32) if owners is None else owners
    return SearchReport(BLACK, found, moves[0][2], 0.0, sum(move[1] for move in moves), 0, 0.0, ownership)


def never() -> float:
    raise AssertionError("the position after a pass need not be searched")


def board_worth(margin: float, has_passed: bool = False) -> Game:
    """Return a game in which the board as it stands is worth this to Black."""
    game = game_from_diagram(SETTLED, WHITE, 0.0)
    game.komi = game.score() - margin
    game.play(WHITE, PASS) if has_passed else None
    assert margin_of(game, BLACK) == margin
    return game


@pytest.mark.parametrize("margin", [0.5, 30.0])
def test_a_pass_is_answered_with_a_pass_when_ahead_whatever_the_search_says(margin: float) -> None:
    assert decide(board_worth(margin, True), BLACK, report((D4, 900, 0.99), (PASS, 1, 0.0)), 0.05, never) == PASS


@pytest.mark.parametrize("margin", [0.0, -0.5, -30.0])
def test_a_pass_is_not_answered_with_a_pass_that_loses_while_there_is_a_better_move(margin: float) -> None:
    assert decide(board_worth(margin, True), BLACK, report((D4, 900, 0.8), (PASS, 100, 0.0)), 0.05, never) == D4


def test_behind_on_the_board_a_pass_that_seems_as_good_is_not_trusted() -> None:
    found = report((PASS, 500, 0.8), (D4, 400, 0.75))
    assert decide(board_worth(-0.5), BLACK, found, 0.05, never) == D4
    assert decide(board_worth(-0.5, True), BLACK, found, 0.05, never) == D4
    worse = report((PASS, 500, 0.8), (D4, 400, 0.3))
    assert decide(board_worth(-0.5), BLACK, worse, 0.05, never) == PASS


@pytest.mark.parametrize("has_passed", [False, True])
def test_a_policy_alone_plays_on_where_it_seems_ahead_but_is_behind_on_the_board(has_passed: bool) -> None:
    unsearched = report((PASS, 0, 0.0), (D4, 0, 0.0))
    ahead, behind = replace(unsearched, value=0.9), replace(unsearched, value=0.2)
    assert decide(board_worth(-0.5, has_passed), BLACK, ahead, 0.05, never) == D4
    assert decide(board_worth(-0.5, has_passed), BLACK, behind, 0.05, never) == PASS
    assert decide(board_worth(0.0, has_passed), BLACK, ahead, 0.05, never) == PASS
    assert decide(board_worth(-0.5, has_passed), BLACK, replace(ahead, moves=ahead.moves[:1]), 0.05, never) == PASS


def test_a_draw_in_hand_is_kept_if_every_other_move_is_worth_less() -> None:
    assert decide(board_worth(0.0, True), BLACK, report((PASS, 500, 0.5), (D4, 400, 0.45)), 0.05, never) == PASS


def test_a_settled_board_is_passed_only_if_a_search_after_the_pass_finds_it_won() -> None:
    game = board_worth(3.0)
    owners = game.area().astype(np.float32)
    found = report((D4, 900, 0.97), (PASS, 10, 0.9), owners=owners)
    assert decide(game, BLACK, found, 0.05, lambda: 0.99) == PASS
    assert decide(game, BLACK, found, 0.05, lambda: 0.6) == D4
    unsettled = owners.copy()
    unsettled[20] *= 0.5
    assert decide(game, BLACK, report((D4, 900, 0.97), owners=unsettled), 0.05, never) == D4
    assert decide(board_worth(-3.0), BLACK, found, 0.05, never) == D4


def test_ownership_is_read_from_the_players_view() -> None:
    game = board_worth(-5.5)
    assert margin_of(game, WHITE) == 5.5
    owners = -game.area().astype(np.float32)
    assert decide(game, WHITE, report((D4, 900, 0.97), owners=owners), 0.05, lambda: 0.99) == PASS
    assert decide(game, WHITE, report((D4, 900, 0.97), owners=-owners), 0.05, never) == D4


@pytest.mark.parametrize(
    ("value", "threshold", "margin", "visits", "resigns"),
    [
        (0.04, 0.05, -5.0, 900, True),
        (0.06, 0.05, -5.0, 900, False),
        (0.19, 0.2, -5.0, 900, True),
        (0.0, 0.0, -5.0, 900, False),  # 0 = never
        (0.04, 0.05, 5.0, 900, False),  # won as the board is counted
        (0.0, 0.5, 0.5, 900, False),
        (0.04, 0.05, -5.0, 20, False),  # too little known
    ],
)
def test_resignation(value: float, threshold: float, margin: float, visits: int, resigns: bool) -> None:
    move = decide(board_worth(margin), BLACK, report((D4, visits, value)), threshold, never)
    assert move == (RESIGN if resigns else D4)


def test_a_hopeless_game_is_resigned_by_a_search(player: Player) -> None:
    text = """
        . X . X . X .
        X X X X X X X
        . . . . . . .
        . X . X . X .
        X X X X X X X
        . . . . . . .
        . . . . . O .
    """
    assert choose(player, game_from_diagram(text, WHITE, 7.0), WHITE).move == RESIGN
    stubborn = Player(PlayerOptions(seed=1, memory=16, resign_below=0.0))
    move = choose(stubborn, game_from_diagram(text, WHITE, 7.0), WHITE).move
    assert move != RESIGN
    assert choose(player, game_from_diagram(text, WHITE, 40.0), WHITE).move != RESIGN  # won on komi


# By agreement on dead stones.


def by_agreement(
    found: SearchReport, margin: float | None, has_passed: bool = False, after_pass: float = 0.99, least: float = 0.0
) -> int:
    """Decide on a board worth -3 to Black as it stands and `margin` as judged; None = must not be judged."""

    def judge() -> float:
        assert margin is not None
        return margin

    return decide_by_agreement(board_worth(-3.0, has_passed), found, least, judge, lambda: after_pass)


ALL_DECIDED = np.ones(SIZE * SIZE, dtype=np.float32)


def test_by_agreement_a_pass_wins_as_judged_and_if_play_goes_on() -> None:
    found = report((D4, 900, 0.97), (PASS, 10, 0.9), owners=ALL_DECIDED)
    assert by_agreement(found, 2.0) == PASS
    assert by_agreement(found, 2.0, after_pass=0.6) == D4
    assert by_agreement(found, -2.0) == D4
    assert by_agreement(found, 2.0, has_passed=True, after_pass=0.6) == D4


def test_by_agreement_nothing_is_judged_while_much_is_open() -> None:
    found = report((D4, 900, 0.97), (PASS, 10, 0.9))
    assert by_agreement(found, None) == D4
    assert by_agreement(found, 2.0, has_passed=True) == PASS  # the opponent asks


@pytest.mark.parametrize(
    ("value", "has_passed", "expected"), [(0.08, False, PASS), (0.4, False, D4), (0.4, True, PASS), (0.08, True, PASS)]
)
def test_by_agreement_what_is_settled_and_lost_comes_to_an_end(value: float, has_passed: bool, expected: int) -> None:
    assert by_agreement(report((D4, 900, value), owners=ALL_DECIDED), -2.0, has_passed) == expected
    assert by_agreement(report((D4, 900, value)), -2.0 if has_passed else None, has_passed) == D4


def test_by_agreement_a_lost_game_is_resigned_though_the_board_as_it_stands_is_won() -> None:
    hopeless = report((D4, 900, 0.04))
    assert by_agreement(hopeless, None, least=0.05) == RESIGN
    game = board_worth(5.0)
    assert decide(game, BLACK, hopeless, 0.05, never) == D4
    assert decide_by_agreement(game, hopeless, 0.05, never, never) == RESIGN


def test_by_agreement_a_pass_that_loses_is_not_trusted() -> None:
    assert by_agreement(report((PASS, 500, 0.8), (D4, 400, 0.75)), -2.0) == D4
    assert by_agreement(report((PASS, 500, 0.8), (D4, 400, 0.3)), -2.0) == PASS


# Moves that are drawn.


def moves_of(*visits: int, prior: float = 0.0) -> list[MoveReport]:
    return [MoveReport(place, number, 0.5, prior, 0.5, 0.0, (), ()) for place, number in enumerate(visits)]


@pytest.mark.parametrize(("temperature", "expected"), [(1.0, [0.6, 0.3, 0.1]), (0.5, [36 / 46, 9 / 46, 1 / 46])])
def test_moves_are_drawn_by_their_visits(temperature: float, expected: list[float]) -> None:
    rng = np.random.default_rng(1)
    draws = [sample_move(moves_of(600, 300, 100), temperature, 0.02, rng).move for _ in range(4000)]
    assert np.bincount(draws, minlength=3) / 4000 == pytest.approx(expected, abs=0.03)


def test_without_visits_moves_are_drawn_by_their_prior_probabilities() -> None:
    moves = [*moves_of(0, prior=0.75), *moves_of(0, prior=0.25)]
    rng = np.random.default_rng(1)
    draws = [sample_move(moves, 1.0, 0.02, rng) is moves[0] for _ in range(4000)]
    assert sum(draws) / 4000 == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(("min_visit_ratio", "expected"), [(0.02, {0, 1}), (0.0, {0, 1, 2}), (1.0, {0})])
def test_what_hardly_any_simulation_tried_is_never_drawn(min_visit_ratio: float, expected: set[int]) -> None:
    rng = np.random.default_rng(1)
    drawn = {sample_move(moves_of(1000, 21, 19, 0), 100.0, min_visit_ratio, rng).move for _ in range(1000)}
    assert drawn == expected


def test_a_small_temperature_is_that_of_the_best_move() -> None:
    rng = np.random.default_rng(1)
    assert all(sample_move(moves_of(1000, 900), 1e-3, 0.02, rng).move == 0 for _ in range(100))


def test_only_moves_on_the_board_are_drawn_and_only_where_neither_a_pass_nor_giving_up_is_due() -> None:
    seen: list[MoveReport] = []

    def draw_last(moves: Sequence[MoveReport]) -> MoveReport:
        seen.extend(moves)
        return moves[-1]

    other = D4 + 1
    found = report((D4, 500, 0.6), (PASS, 300, 0.5), (other, 200, 0.5))
    assert decide(board_worth(-5.0), BLACK, found, 0.05, never, draw_last) == other
    assert [move.move for move in seen] == [D4, other]
    assert decide(board_worth(5.0, True), BLACK, found, 0.05, never, draw_last) == PASS
    hopeless = report((D4, 500, 0.01), (other, 200, 0.01))
    assert decide(board_worth(-5.0), BLACK, hopeless, 0.05, never, draw_last) == RESIGN


def test_a_player_with_a_temperature_varies_its_games_and_repeats_them_from_a_seed() -> None:
    def first_moves(seed: int) -> list[int]:
        varied = Player(PlayerOptions(select="puct", simulations=40, seed=seed, memory=16, temperature=1.0))
        return [choose(varied, Game(SIZE), BLACK, 40).move for _ in range(6)]

    assert len(set(first_moves(1))) > 1
    assert first_moves(1) == first_moves(1)
