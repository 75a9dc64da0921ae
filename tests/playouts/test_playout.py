"""Whole playouts: they end, their score is the area score, and a seed fixes them."""

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.go.points import BLACK, PASS, WHITE
from miai.engine.go.scoring import area_score
from miai.playouts.playout import PlayoutParameters, make_playout, playout_score, run_playouts
from miai.playouts.workspace import NO_MERCY, new_playout_workspace
from tests.board_diagram import boards_from_diagram


@pytest.mark.parametrize("policy", ["random", "fuego", "crazystone"])
@pytest.mark.parametrize("size", [2, 9])
def test_playouts_end_with_two_passes_and_their_moves_lead_to_the_final_board(policy: str, size: int) -> None:
    play_out = make_playout(policy)
    workspace = new_playout_workspace(size, 4)
    for _ in range(20):
        board = new_board(size)
        count = play_out(board[0], workspace[0])
        assert count <= 3 * size * size
        moves = workspace[0]["playout_moves"][:count].tolist()
        again = new_board(size)
        for move in moves:
            play(again[0], move)
        assert (again[0]["color"] == board[0]["color"]).all()
        if count < 3 * size * size:
            assert moves[-2:] == [PASS, PASS]


def test_the_score_is_the_area_score_where_only_eyes_are_left() -> None:
    play_out = make_playout("random")
    workspace = new_playout_workspace(9, 6)
    num_equal = 0
    for _ in range(200):
        board = new_board(9)
        play_out(board[0], workspace[0])
        num_equal += int(playout_score(board[0]) == area_score(board[0]))
    assert num_equal >= 198  # the others: a point that is suicide for both, or a playout cut short


def test_playouts_know_who_owns_a_settled_board() -> None:
    boards = boards_from_diagram(
        """
        . X . X O . . O .
        X X X X O O O O O
        . . . X O . . . .
        X X X X O O O O O
        X X X X O O O O O
        X X X X O O O O O
        X X X X O O O O O
        . X . X O O O O O
        X X X X O . O . O
        """,
        BLACK,
    )
    summary = run_playouts(boards[0], "fuego", number=300, komi=0.5, seed=2)
    ownership = summary.ownership.reshape(9, 9)
    assert (ownership[:, :4] > 0.9).all()
    assert (ownership[:, 4:] < -0.9).all()
    assert summary.black_wins < 0.1
    assert summary.score == pytest.approx(-9.5, abs=2)


def test_a_seed_fixes_the_playouts_and_another_changes_them() -> None:
    board = new_board(9)
    first = run_playouts(board[0], "fuego", number=50, seed=3)
    second = run_playouts(board[0], "fuego", number=50, seed=3)
    other = run_playouts(board[0], "fuego", number=50, seed=4)
    assert (first.scores == second.scores).all()
    assert not (first.scores == other.scores).all()
    assert board.tobytes() == new_board(9).tobytes()


def test_the_shares_of_a_summary_fit_its_scores() -> None:
    summary = run_playouts(new_board(5)[0], "random", number=400, komi=1.0, seed=5)
    assert summary.black_wins == np.mean(summary.scores > 1)
    assert summary.draws == np.mean(summary.scores == 1)
    assert summary.score == pytest.approx(summary.scores.mean() - 1.0)
    assert summary.ownership.sum() == pytest.approx(summary.scores.mean(), abs=1e-3)


def test_no_playouts_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        run_playouts(new_board(5)[0], "random", number=0)


@pytest.mark.parametrize(
    ("share", "size", "komi", "stones"),
    [(0.3, 9, 7.5, 24), (0.3, 9, -6.5, 24), (0.3, 9, 40.5, 81), (0.3, 19, 7.5, 108), (0.1, 2, 0.0, 1)],
)
def test_the_mercy_rule_asks_for_a_share_of_the_board_and_twice_komi(
    share: float, size: int, komi: float, stones: int
) -> None:
    assert PlayoutParameters(share).lead(size, komi) == stones
    assert PlayoutParameters().lead(size, komi) == NO_MERCY


def _lead(board: np.void) -> int:
    return int((board["color"] == BLACK).sum()) - int((board["color"] == WHITE).sum())


def _taken(board: np.void) -> int:
    return int(board["num_captured"][WHITE]) - int(board["num_captured"][BLACK])


@pytest.mark.parametrize("policy", ["fuego", "fuego1585_listed_random"])
def test_mercy_ends_a_playout_at_the_lead_and_not_before_and_tells_the_winner(policy: str) -> None:
    play_out = make_playout(policy)
    ended = right = 0
    for seed in range(200):
        merciful, whole, again = new_board(9), new_board(9), new_board(9)
        workspaces = [new_playout_workspace(9, seed)[0] for _ in range(2)]
        for point in [24, 25, 35, 36][: seed % 5]:  # stones that are there before count too
            for board in (merciful, whole, again):
                play(board[0], point)
                board[0]["to_play"] = BLACK
        before = _lead(again[0])
        workspaces[0]["mercy_lead"] = 24
        count = play_out(merciful[0], workspaces[0])
        moves = workspaces[0]["playout_moves"][:count].tolist()
        play_out(whole[0], workspaces[1])
        assert moves == workspaces[1]["playout_moves"][:count].tolist()
        for move in moves:
            assert abs(before + _taken(again[0])) < 24
            play(again[0], move)
        lead = before + _taken(again[0])
        assert abs(lead) >= 24 or moves[-2:] == [PASS, PASS]
        if abs(lead) >= 24:
            ended += 1
            assert (playout_score(merciful[0]) > 7.5) == (lead > 0), "the board as it stands has the same winner"
            right += int((playout_score(whole[0]) > 7.5) == (lead > 0))
    assert ended > 40 and right >= ended - 1
