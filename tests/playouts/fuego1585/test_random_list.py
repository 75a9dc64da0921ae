"""Random moves by the order of a shuffled list: which point comes next, and what waits at the end of the list."""

import numpy as np
import pytest
from scipy.stats import chisquare

from miai.engine.go.board import new_board, play
from miai.engine.go.points import EMPTY, PASS
from miai.playouts.fuego1585.random_list import begin_list, sample_listed
from miai.playouts.fuego1585.rules import is_playable
from miai.playouts.playout import make_playout
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.situation import position


@pytest.mark.parametrize("size", [2, 5, 9])
def test_each_move_is_the_last_playable_point_of_the_list(size: int) -> None:
    workspace = new_playout_workspace(size, 1)[0]
    for _ in range(20):
        board = new_board(size)[0]
        begin_list(workspace)
        for _ in range(3 * size * size):
            is_empty = board["color"] == EMPTY
            move, color = int(sample_listed(board, workspace)), int(board["to_play"])
            listed = workspace["listed_points"][: workspace["list_length"]].tolist()
            assert len(set(listed)) == len(listed) and set(np.flatnonzero(is_empty)) <= set(listed)
            assert sorted(listed) == np.flatnonzero(workspace["is_listed"]).tolist()
            behind = listed[listed.index(move) + 1 :] if move != PASS else listed
            assert all(is_empty[point] and not is_playable(board, point, color) for point in behind)
            assert move == PASS or is_playable(board, move, color)
            play(board, move)
            if board["num_passes"] == 2:
                break
        assert board["num_passes"] == 2 or size == 2


def test_the_first_move_of_a_playout_is_any_but_the_point_listed_last_with_the_same_chance() -> None:
    choose, workspace = make_policy("fuego1585_listed_random").choose_in_playout, new_playout_workspace(5, 2)[0]
    counts = np.zeros(len(new_board(5)[0]["color"]), dtype=np.int64)
    for _ in range(5000):
        begin_list(workspace)
        counts[int(choose(new_board(5)[0], workspace))] += 1
    counts = counts[new_board(5)[0]["color"] == EMPTY]
    assert len(counts) == 25 and counts[-1] == 0 and chisquare(counts[:-1]).pvalue > 0.001


def test_a_point_that_waits_is_played_as_soon_as_it_may() -> None:
    boards, diagram = position(". . . . . / . . . . . / O O O . . / X X O . . / a X O . .")
    board, workspace = boards[0], new_playout_workspace(5, 3)[0]
    (eye,) = diagram.marks["a"]
    begin_list(workspace)
    order = [int(point) for point in np.flatnonzero(board["color"] == EMPTY) if point != eye] + [eye]
    workspace["listed_points"][: len(order)] = order
    workspace["is_listed"][order] = 1
    workspace["list_length"] = len(order)
    move = int(sample_listed(board, workspace))
    assert move == order[-2]  # X fills no own eye, and takes the point before it
    play(board, move)
    assert int(sample_listed(board, workspace)) == eye  # which O may play: it takes three stones


def test_policies_without_the_list_draw_as_before_in_a_playout() -> None:
    for name in ("fuego", "random", "fuego1585", "fuego1585_only_ac"):
        assert make_policy(name).choose_in_playout is make_policy(name).choose
    listed = make_policy("fuego1585_listed_only_ac")
    assert listed.choose is not listed.choose_in_playout


def test_a_list_is_forgotten_when_the_next_playout_begins() -> None:
    play_out, workspace = make_playout("fuego1585_listed_random"), new_playout_workspace(9, 4)[0]
    openings = set()
    for _ in range(20):
        board = new_board(9)[0]
        play_out(board, workspace)
        openings.add(tuple(workspace["playout_moves"][:3].tolist()))
    assert len(openings) == 20
