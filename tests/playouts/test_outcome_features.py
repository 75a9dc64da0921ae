"""Features of positions that outcomes are estimated from: diagrams with what must be counted. X is to move."""

import numpy as np
import pytest

from miai.engine.go.board import play
from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK
from miai.engine.go.scoring import area_score
from miai.playouts.outcome_features import FEATURES, features_dtype, find_outcome_features
from tests.board_diagram import boards_from_diagram
from tests.playouts.transform import SYMMETRIES, playout_positions, transformed

CASES = [
    ("own.stones", 2, ". . . . . / . X . X . / . . . . . / . . . . . / . . O . ."),
    ("own.line_1", 3, "X . O . . / . . . . . / X . X . . / . O . O . / . . . . X"),
    ("other.line_1", 1, "X . O . . / . . . . . / X . X . . / . O . O . / . . . . X"),
    ("other.line_2", 2, "X . O . . / . . . . . / X . X . . / . O . O . / . . . . X"),
    ("own.line_3", 1, "X . O . . / . . . . . / X . X . . / . O . O . / . . . . X"),
    ("own.near_1", 4, ". . . . . / . . . . . / . . X . . / . . . . . / . . . . ."),
    ("own.near_2", 8, ". . . . . / . . . . . / . . X . . / . . . . . / . . . . ."),
    ("own.near_3", 12, ". . . . . / . . . . . / . . X . . / . . . . . / . . . . ."),
    ("own.near_1", 3, ". . . . . / . . . . . / . X . O . / . . . . . / . . . . ."),
    ("other.atari_largest", 2, ". X X . . / X O O . . / . X X . . / . . . . . / . . . . ."),
    ("other.area_0", 0, ". X X . . / X O O . . / . X X . . / . . . . . / . . . . ."),
    ("own.atari_largest", 1, ". O . . . / O X . . . / . O . . . / . . . . . / . . . . ."),
    ("own.atari_stuck", 0, ". O . . . / O X . . . / . O . . . / . . . . . / . . . . ."),
    ("own.atari_stuck", 1, ". O O . . / O X . O . / . O O . . / . . . . . / . . . . ."),
    ("own.atari_others", 1, "X O . . . / . . . . . / . . . . . / . . . . . / . . . O X"),
    ("own.two_liberties", 3, "O X X . . / . . O . . / . . . . . / . O . . . / X . . . ."),
    ("own.two_largest", 2, "O X X . . / . . O . . / . . . . . / . O . . . / X . . . ."),
    ("other.three_liberties", 2, ". . . . . / O O X . . / . X . . . / . . . . . / . . . . ."),
    ("own.alive", 8, ". X . X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("own.area_3", 8, ". X . X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("own.alive", 0, ". . X X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("own.area_1", 8, ". . X X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("own.area_2", 0, ". . X X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("other.area_2", 25, ". . X X O / X X X X O / O O O O O / . . . . . / . . . . ."),
    ("own.room_below_6", 11, "X X X X X / . . . . . / . . X . . / O O O O O / . . . . ."),
    ("ko", 0, ". X O . . / X O . O . / . X O . . / . . . . . / . . . . ."),
    ("turn", 1, ". . . . . / . . . . . / . . . . . / . . . . . / . . . . ."),
]


def features_of(board: np.void) -> dict[str, float]:
    found = np.zeros(1, dtype=features_dtype(len(board["width_marker"]) - 1))[0]
    find_outcome_features(board, found)
    return dict(zip(FEATURES, found["values"].tolist(), strict=True))


@pytest.mark.parametrize(("feature", "expected", "diagram"), CASES)
def test_a_feature_counts(feature: str, expected: int, diagram: str) -> None:
    assert features_of(boards_from_diagram(diagram.replace("/", "\n"))[0])[feature] == expected


def test_the_player_who_may_not_retake_a_ko_has_the_feature() -> None:
    text = ". X O . . / X O a O . / . X O . . / . . . . . / . . . . .".replace("/", "\n")
    boards = boards_from_diagram(text, BLACK)
    play(boards[0], read_diagram(text).marked())
    assert features_of(boards[0])["ko"] == 1


@pytest.mark.parametrize("size", [2, 9, 19])
def test_features_do_not_depend_on_how_the_board_lies_or_on_colours(size: int) -> None:
    num_positions = 0
    for number, board in enumerate(playout_positions(size, 5)):
        if number % (3 * size) == 0:
            expected = features_of(board[0])
            for symmetry in SYMMETRIES:
                for exchange in (False, True):
                    assert features_of(transformed(board[0], symmetry, exchange)[0]) == expected
            num_positions += 1
    assert num_positions >= 1


def test_the_area_of_a_board_played_to_the_end_is_its_score() -> None:
    num_equal = 0
    for seed in range(8):
        *_, board = playout_positions(9, seed)
        found = features_of(board[0])
        score = area_score(board[0]) * (1 if board[0]["to_play"] == BLACK else -1)
        num_equal += found["own.area_0"] - found["other.area_0"] == score
    assert num_equal == 8


def test_all_points_of_a_player_are_stones_or_near_or_weak() -> None:
    for board in playout_positions(9, 3):
        found = features_of(board[0])
        for side in ("own", "other"):
            rooms = sum(value for name, value in found.items() if name.startswith(f"{side}.room"))
            assert rooms == found[f"{side}.area_2"]
            assert found[f"{side}.alive"] <= rooms
