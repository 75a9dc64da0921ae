"""Symmetries: where each point goes, and back."""

import numpy as np
import pytest

from miai.engine.go.actions import action_of_move
from miai.engine.go.points import all_points
from miai.nets.symmetry import NUM_SYMMETRIES, inverse_symmetry_table, symmetry_table
from tests.nets.symmetric_planes import transform, transform_planes
from tests.playouts.transform import turned


@pytest.mark.parametrize("size", [2, 7, 9, 13, 19])
def test_points_go_where_a_turned_board_has_them_and_a_pass_stays(size: int) -> None:
    for symmetry in range(NUM_SYMMETRIES):
        targets = [action_of_move(turned(point, symmetry, size), size) for point in all_points(size)]
        assert inverse_symmetry_table(size)[symmetry].tolist() == [*targets, size * size]


@pytest.mark.parametrize("size", [7, 9])
def test_all_eight_are_different(size: int) -> None:
    assert len({row.tobytes() for row in symmetry_table(size)}) == 8


@pytest.mark.parametrize("size", [7, 9, 13])
@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_a_policy_and_ownership_come_back_as_they_were(size: int, symmetry: int) -> None:
    rng = np.random.default_rng(symmetry)
    for length in (size * size + 1, size * size):
        values = rng.normal(size=(3, length)).astype(np.float32)
        there = transform(values, symmetry, size)
        assert (np.sort(there) == np.sort(values)).all()
        assert (transform(there, symmetry, size, inverse=True) == values).all()


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_planes_turn_like_policies(symmetry: int) -> None:
    planes = np.random.default_rng(1).normal(size=(2, 3, 9, 9)).astype(np.float32)
    turned_planes = transform_planes(planes, symmetry)
    assert turned_planes.flags.c_contiguous
    assert (turned_planes.reshape(2, 3, 81) == transform(planes.reshape(2, 3, 81), symmetry, 9)).all()


def test_the_first_symmetry_mirrors_top_and_bottom_the_second_left_and_right_the_third_the_diagonal() -> None:
    corners = np.array([[[1, 2], [3, 4]]], dtype=np.float32)
    assert transform_planes(corners, 1).tolist() == [[[3, 4], [1, 2]]]
    assert transform_planes(corners, 2).tolist() == [[[2, 1], [4, 3]]]
    assert transform_planes(corners, 4).tolist() == [[[1, 3], [2, 4]]]
    assert transform_planes(corners, 5).tolist() == [[[3, 1], [4, 2]]]
