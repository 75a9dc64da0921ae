"""What people see: text and pictures."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from miai.environment.env import GoEnv
from miai.environment.rendering import cell_side


@pytest.mark.parametrize("size", [3, 9, 19])
def test_stones_lie_where_they_were_played(size):
    env = GoEnv("rgb_array", size=size)
    env.reset(seed=1)
    empty = env.render()
    env.step(0)
    env.step(size + 1)
    picture = env.render()
    cell = cell_side(size)
    assert picture.dtype == np.uint8 and picture.shape == (cell * (size + 1), cell * (size + 1), 3)
    changed = (picture != empty).any(axis=2)
    assert not changed[int(3.2 * cell) :].any() and not changed[:, int(3.2 * cell) :].any()
    quarter = cell // 3
    black, white = (
        picture[cell * k - quarter : cell * k + quarter, cell * k - quarter : cell * k + quarter] for k in (1, 2)
    )
    assert black.mean() < 80 < 170 < white.mean()


def test_the_text_shows_the_last_move_and_whose_turn_it_is():
    env = GoEnv("ansi", size=5)
    env.reset(seed=1)
    env.step(12)
    assert "3 . .(X). . 3" in env.render()
    assert "White to play (last: Black C3)" in env.render()
