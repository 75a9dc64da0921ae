"""Many games at once: each is the single environment's, and begins anew as Gymnasium's modes say."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.vector import AutoresetMode

import miai.environment  # noqa: F401
from miai.engine.go.game import IllegalMove
from miai.environment.env import GoEnv
from miai.environment.vector_env import GoVectorEnv
from miai.players.option_kinds import OptionError


def make(number, **options):
    return gymnasium.make_vec("miai/Go-v0", num_envs=number, vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_each_game_is_the_single_environments(opponent, mode):
    options = {"size": 3, "opponent": opponent, "agent_color": "random"}
    envs = make(5, autoreset_mode=mode, **options)
    singles = [GoEnv(**options) for _ in range(5)]
    observations, info = envs.reset(seed=11)
    begun = [env.reset(seed=11 + index) for index, env in enumerate(singles)]
    is_over = [False] * 5
    num_ended = 0
    for _ in range(120):
        for index, (observation, single_info) in enumerate(begun):
            assert np.array_equal(observations[index], observation)
            assert np.array_equal(info["action_mask"][index], single_info["action_mask"])
        actions = envs.sample_actions()
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for index, env in enumerate(singles):
            if is_over[index]:
                begun[index] = env.reset()
                is_over[index] = False
                assert (rewards[index], terminated[index], truncated[index]) == (0.0, False, False)
                continue
            assert env.sample_action() == actions[index]
            *view, single_info = env.step(int(actions[index]))
            assert view[1:] == [rewards[index], terminated[index], truncated[index]]
            begun[index] = (view[0], single_info)
            if terminated[index] or truncated[index]:
                num_ended += 1
                end = info["final_info"] if mode == "SameStep" else info
                assert end["_score"][index] and end["score"][index] == single_info["score"]
                assert np.array_equal(end["ownership"][index], single_info["ownership"])
                if mode == "SameStep":
                    assert np.array_equal(info["final_obs"][index], view[0])
                    begun[index] = env.reset()
                else:
                    is_over[index] = True
    assert num_ended > 10


def test_disabled_resets_are_the_callers():
    envs = make(3, size=3, autoreset_mode=AutoresetMode.DISABLED)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    envs.reset(seed=1)
    envs.step(np.array([9, 9, 0]))
    _, _, terminated, _, _ = envs.step(np.array([9, 9, 1]))
    assert terminated.tolist() == [True, True, False]
    with pytest.raises(ValueError, match="game 0 is over"):
        envs.step(np.array([0, 0, 2]))
    _, info = envs.reset(options={"reset_mask": terminated})
    assert info["action_mask"].sum(axis=1).tolist() == [10, 10, 8]
    envs.step(np.array([0, 0, 2]))
    with pytest.raises(ValueError, match="reset_mask is int64"):
        envs.reset(options={"reset_mask": np.array([1, 0, 0])})


def test_a_seed_is_for_the_games_that_are_reset():
    both = [make(3, size=3, opponent="random", autoreset_mode=AutoresetMode.DISABLED) for _ in range(2)]
    for envs in both:
        envs.reset(seed=1)
        envs.step(np.array([0, 9, 0]))
    both[0].reset(seed=77, options={"reset_mask": np.array([True, False, False])})
    seen = [envs.step(np.array([4, 4, 9]))[0][1:] for envs in both]
    assert np.array_equal(*seen)


def test_the_first_reset_begins_all_games():
    envs = make(2, size=3, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="the first reset begins all games: leave reset_mask out"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(options={"reset_mask": np.array([True, True])})
    envs.reset(options={"reset_mask": np.array([True, False])})


def test_one_illegal_action_stops_all_games():
    envs = make(3, size=3)
    envs.reset(seed=1)
    envs.step(np.array([0, 1, 2]))
    with pytest.raises(IllegalMove, match="game 2: action 2 \\(C3\\) is illegal: occupied"):
        envs.step(np.array([1, 2, 2]))
    envs.step(np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="game 1: action 10 is not allowed"):
        envs.step(np.array([9, 10, 9]))
    with pytest.raises(ValueError, match="not integers \\[3\\]"):
        envs.step(np.zeros(3))


def test_illegal_actions_lose_if_that_was_asked_for():
    envs = make(2, size=3, illegal="loss")
    envs.reset(seed=1)
    envs.step(np.array([0, 0]))
    _, rewards, terminated, _, info = envs.step(np.array([0, 1]))
    assert rewards.tolist() == [-1.0, 0.0] and terminated.tolist() == [True, False]
    assert info["illegal_action"].tolist() == [True, False]


def test_actions_are_drawn_from_all_legal_ones_alike():
    envs = make(8000, size=2, observe=False)
    _, info = envs.reset(seed=5)
    counts = np.bincount(envs.sample_actions(), minlength=5)
    assert info["action_mask"].all()
    assert np.all(np.abs(counts - 1600) < 6 * np.sqrt(1600 * 0.8))


def test_restored_states_go_on_as_the_first_time():
    envs = make(4, size=5, opponent="random")
    envs.reset(seed=2)
    for _ in range(5):
        envs.step(envs.sample_actions())
    state = envs.clone_state()
    runs = []
    for _ in range(2):
        envs.restore_state(state)
        runs.append([[part.tolist() for part in envs.step(envs.sample_actions())[:4]] for _ in range(30)])
    assert runs[0] == runs[1]


def test_wrong_options_are_named():
    with pytest.raises(OptionError, match="autoreset_mode: 'Never'"):
        GoVectorEnv(2, autoreset_mode="Never")
    with pytest.raises(OptionError, match="num_envs: 0"):
        GoVectorEnv(0)
    envs = make(3, size=3)
    with pytest.raises(ValueError, match="call reset"):
        envs.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        envs.reset(seed=[1, 2])
