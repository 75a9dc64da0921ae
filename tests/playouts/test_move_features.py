"""Features of moves: diagrams with the feature that the move on `a` must have. See `situation.py` for the letters."""

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.go.points import PASS
from miai.playouts.move_features import FEATURES, GROUPS, find_features, mark_layers, move_strength, shipped_strengths
from miai.playouts.patterns import canonical_codes, pattern_code
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.situation import position

CASES = [
    ("layer.none", ". . . . . / . . . . . / . . a . . / . . . . . / . . . . ."),
    ("layer.atari_capture", ". X . . . / X l a . . / . X . . . / . . . . . / . . . . ."),
    ("layer.atari_defense", ". . . . . / . O . . . / O X a . . / . l . . . / . . . . ."),
    ("layer.low_lib", ". . . . . / . . . . . / . . X . . / . X l a . / . X . . ."),
    ("layer.nakade", ". . . . X / X X X X X / O O l O X / . a . O X / O O O O X"),
    ("capture.none", ". X . . . / X O . a . / . X . . . / . . . . . / . . . . ."),
    ("capture.one", ". X . . . / X O a . . / . X . . . / . . . . . / . . . . ."),
    ("capture.one_in_ko", ". . . . . / . X O . . / X O a O . / . X O . . / . . . . ."),
    ("capture.two", ". X X . . / X O O a . / . X X . . / . . . . . / . . . . ."),
    ("capture.more", ". X X X . / X O O O a / . X X X . / . . . . . / . . . . ."),
    ("capture.one_saving", ". . X . . / O X O a . / . O X . . / . . . . . / . . . . ."),
    ("liberties.none", ". . . . . / . . . . . / . . a . . / . . . . . / . . . . ."),
    ("liberties.two", "a . . . . / . . . . . / . . . . . / . . . . . / . . . . ."),
    ("liberties.self_atari_1", ". O . . . / a O . . . / O . . . . / . . . . . / . . . . ."),
    ("liberties.self_atari_2", "O O . . . / a O . . . / X O . . . / . O . . . / O . . . ."),
    ("liberties.escape_one_to_more", ". . . . . / . O . . . / O X a . . / . O . . . / . . . . ."),
    ("liberties.escape_one_to_two", ". . . . . / . O O . . / O X a . . / . O . . . / . . . . ."),
    ("liberties.escape_fails", ". . . . . / . O O . . / O X a . . / . O O . . / . . . . ."),
    ("atari.on_one", ". . X . . / . X O . . / . . a . . / . . . . . / . . . . ."),
    ("atari.on_two", ". X X . . / X O O . . / . X a . . / . . . . . / . . . . ."),
    ("atari.none", ". . . . . / . . O . . / . . a . . / . . . . . / . . . . ."),
    ("near_last.none", ". . . . . / . . O . . / . . a . . / . . . . . / . . . . ."),
    ("near_last.2", ". . . . . / . . l . . / . . a . . / . . . . . / . . . . ."),
    ("near_last.3", ". . . . . / . . l . . / . . . a . / . . . . . / . . . . ."),
    ("near_last.4", ". . l . . / . . . . . / . . a . . / . . . . . / . . . . ."),
    ("near_second_last.3", ". . k . . / . . . a . / . . l . . / . . . . . / . . . . ."),
    ("place.opening_1", ". . . . a / . . . . . / . . . . . / . . . . . / . . . . ."),
    ("place.opening_3", ". . . . . / . . . . . / . . a . . / . . . . . / . . . . ."),
    ("place.middle_2", ". . . . . / . a . . . / . . O . . / . . X O . / . . . . ."),
    ("place.end_1", ". . . a . / O O O . . / O O O X . / X X X X . / . . . . ."),
]


@pytest.mark.parametrize(("feature", "diagram"), CASES)
def test_a_move_has_the_feature(feature: str, diagram: str) -> None:
    boards, marks = position(diagram)
    workspace = new_playout_workspace(5)[0]
    mark_layers(boards[0], workspace)
    (point,) = marks.marks["a"]
    find_features(boards[0], workspace, point, 1)
    group, name = feature.split(".")
    found = int(workspace["features"][GROUPS.index(group)])
    if name == "none" and not group.startswith("near"):
        assert found == 0
    else:
        assert FEATURES[found].split("+")[0] == feature


def test_a_pass_has_only_the_feature_of_its_phase() -> None:
    boards = new_board(9)
    workspace = new_playout_workspace(9)[0]
    for expected in ("pass.opening", "pass.opening_after_pass"):
        mark_layers(boards[0], workspace)
        find_features(boards[0], workspace, PASS, int(boards[0]["to_play"]))
        assert [FEATURES[feature] for feature in workspace["features"] if feature] == [expected]
        play(boards[0], PASS)


def test_the_strength_of_a_move_is_the_product_of_its_features() -> None:
    boards, marks = position(". . . . . / . O . . . / O X a . . / . l . . . / . . . . .")
    workspace = new_playout_workspace(5)[0]
    mark_layers(boards[0], workspace)
    (point,) = marks.marks["a"]
    find_features(boards[0], workspace, point, 1)
    strengths = shipped_strengths()
    code = int(pattern_code(boards[0], point))
    expected = float(strengths.shapes.strengths[strengths.shapes.levels[code]])
    for feature in workspace["features"]:
        expected *= float(strengths.features[feature])
    assert move_strength(boards[0], workspace, point) == pytest.approx(expected, rel=1e-5)
    canonical = int(canonical_codes(np.array([code]))[0])
    assert strengths.shapes.levels[canonical] == strengths.shapes.levels[code]


def test_each_feature_belongs_to_a_known_group() -> None:
    assert len(set(FEATURES)) == len(FEATURES)
    assert {name.split(".")[0] for name in FEATURES[1:]} == {*GROUPS, "pass"}


def test_the_shipped_strengths_prefer_to_escape_and_shun_self_atari() -> None:
    features = dict(zip(FEATURES, shipped_strengths().features, strict=True))
    assert features["liberties.escape_more_to_more"] > 2.0
    assert features["liberties.self_atari_1"] < 0.3
    assert features["none"] == 1.0
