"""Actions: moves numbered without the border."""

import pytest

from miai.engine.go.actions import action_of_move, move_of_action
from miai.engine.go.points import PASS, all_points


@pytest.mark.parametrize("size", [2, 9, 19])
def test_points_are_numbered_row_by_row_and_the_pass_last(size: int) -> None:
    moves = [*all_points(size), PASS]
    assert [action_of_move(move, size) for move in moves] == list(range(size * size + 1))
    assert [move_of_action(action, size) for action in range(size * size + 1)] == moves
