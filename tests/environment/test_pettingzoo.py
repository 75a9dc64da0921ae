"""PettingZoo's own tests, and what the two agents see and get."""

import warnings

import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from miai.environment.pettingzoo_env import GoAECEnv
from miai.players.option_kinds import OptionError


def test_pettingzoo_finds_nothing_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(GoAECEnv(size=5), num_cycles=300)
        seed_test(lambda: GoAECEnv(size=5), num_cycles=100)


def test_agents_see_the_board_from_their_own_side_and_share_the_result():
    env = GoAECEnv(size=3, komi=0.5)
    env.reset(seed=1)
    env.step(4)
    black, white = env.observe("black_0"), env.observe("white_0")
    assert black["observation"][0, 1, 1] == 1 and white["observation"][1, 1, 1] == 1
    assert black["action_mask"].sum() == 0 and white["action_mask"].sum() == 9
    env.step(9)
    env.step(9)
    assert env.rewards == {"black_0": 1.0, "white_0": -1.0}
    assert env.infos["white_0"]["score"] == 8.5


def test_a_draw_is_worth_the_same_to_both():
    env = GoAECEnv(size=3, komi=0, draw_reward=-0.5)
    env.reset(seed=1)
    env.step(9)
    env.step(9)
    assert env.rewards == {"black_0": -0.5, "white_0": -0.5}


def test_an_opponent_is_refused():
    with pytest.raises(OptionError, match="two agents"):
        GoAECEnv(opponent="random")


def test_before_the_first_game_and_for_strangers_there_is_a_clear_error():
    env = GoAECEnv(size=3)
    for call in (lambda: env.step(0), lambda: env.observe("black_0")):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            call()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="allowed: black_0, white_0"):
        env.observe("x")
