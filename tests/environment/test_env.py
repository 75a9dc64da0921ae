"""The environment as Gymnasium asks for it: spaces, seeds, options, illegal actions, states, opponents."""

import copy
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env

import miai.environment
from miai.engine.go.game import IllegalMove
from miai.engine.go.points import WHITE
from miai.environment.env import GoEnv
from miai.players.option_kinds import OptionError

PASS_9X9 = 81
TAIL = 30
ROOT = Path(__file__).parents[2]


def play_on(env, number=TAIL):
    """Return what comes of some drawn actions, as lists."""
    seen = []
    for _ in range(number):
        action = env.unwrapped.sample_action()
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append((action, observation.tolist(), reward, terminated, truncated, info["action_mask"].tolist()))
        if terminated or truncated:
            env.reset()
    return seen


@pytest.mark.parametrize(
    "options",
    [{}, {"opponent": "random", "agent_color": "random"}, {"observe": False}, {"illegal": "loss"}],
    ids=str,
)
def test_gymnasium_finds_nothing_wrong(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("miai/Go9x9-v0", **options).unwrapped)


def test_gymnasium_finds_the_names_in_a_fresh_process():
    code = "import gymnasium; print(gymnasium.make('miai.environment:miai/Go9x9-v0').action_space)"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (run.stdout, run.stderr) == ("Discrete(82)\n", "")


def test_names_are_registered_once_and_say_the_size():
    miai.environment.register_environments()
    assert gymnasium.make("miai/Go13x13-v0").action_space.n == 170
    assert gymnasium.make("miai/Go-v0", size=5).action_space.n == 26


def test_the_mask_fits_the_action_space():
    env = gymnasium.make("miai/Go9x9-v0")
    _, info = env.reset(seed=1)
    for _ in range(60):
        action = env.action_space.sample(info["action_mask"])
        assert info["action_mask"].dtype == np.int8 and info["action_mask"][action]
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()


@pytest.mark.parametrize("opponent", [None, "random", "policy:fuego"])
def test_the_same_seed_gives_the_same_games(opponent):
    first, second = (GoEnv(opponent=opponent) for _ in range(2))
    for env in (first, second):
        env.reset(seed=7)
    assert play_on(first) == play_on(second)
    first.reset(seed=8)
    second.reset(seed=9)
    assert play_on(first) != play_on(second)


def test_both_players_are_rewarded_from_their_own_view():
    env = GoEnv(komi=0.5)
    env.reset(seed=1)
    env.step(0)
    assert env.to_play == "white"
    env.step(PASS_9X9)
    _, reward, terminated, truncated, info = env.step(PASS_9X9)
    assert (reward, terminated, truncated, info["score"]) == (1.0, True, False, 80.5)
    assert info["ownership"].tolist() == np.ones((9, 9)).tolist()
    env.reset()
    env.step(PASS_9X9)
    _, reward, *_, info = env.step(PASS_9X9)
    assert (reward, info["score"]) == (1.0, -0.5)


def test_the_agent_is_rewarded_also_when_the_opponent_ends_the_game():
    env = GoEnv(size=3, opponent="random", agent_color="white", move_limit=9, komi=20)
    for seed in range(20):
        env.reset(seed=seed)
        over = False
        while not over:
            assert env.to_play == "white"
            _, reward, terminated, truncated, _ = env.step(9)
            over = terminated or truncated
        assert reward == 1.0


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = GoEnv()
    env.reset(seed=1)
    env.step(40)
    with pytest.raises(IllegalMove, match="action 40 \\(E5\\) is illegal: occupied"):
        env.step(40)
    for wrong in (-1, 82):
        with pytest.raises(ValueError, match="allowed: 0 to 81"):
            env.step(wrong)
    with pytest.raises(TypeError):
        env.step(3.5)
    assert env.to_play == "white"
    env.step(41)


def test_an_illegal_action_loses_if_that_was_asked_for():
    env = GoEnv(illegal="loss")
    env.reset(seed=1)
    env.step(40)
    _, reward, terminated, truncated, info = env.step(40)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)


def test_a_game_that_is_over_cannot_go_on():
    env = GoEnv()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    env.reset()
    env.step(PASS_9X9)
    env.step(PASS_9X9)
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


def test_a_restored_state_goes_on_as_the_first_time():
    env = GoEnv(opponent="random", agent_color="random")
    env.reset(seed=3)
    play_on(env)
    state = env.clone_state()
    text = env._batch.to_game(0).stones()
    first = play_on(env)
    observation, info = env.restore_state(state)
    assert env._batch.to_game(0).stones() == text
    assert observation.shape == env.observation_space.shape and info["action_mask"].any()
    assert play_on(env) == first
    other = GoEnv(opponent="random", agent_color="random")
    other.restore_state(state)
    assert play_on(other) == first


def test_a_copy_plays_on_by_itself():
    env = GoEnv()
    env.reset(seed=3)
    play_on(env)
    twin = copy.deepcopy(env)
    assert play_on(env) == play_on(twin)
    env.reset(seed=4)
    assert env._batch.to_game(0).stones() != twin._batch.to_game(0).stones()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sise": 9}, "did you mean 'size'"),
        ({"size": 20}, "size: '20' is not allowed"),
        ({"rules": "japanese"}, "rules: 'japanese'"),
        ({"illegal": "pass"}, "illegal: 'pass' is not allowed"),
        ({"move_limit": 0}, "move-limit: '0'"),
        ({"draw_reward": 2}, "draw-reward: '2'"),
        ({"opponent": "fuegoo"}, "opponent: 'fuegoo' is neither random"),
        ({"opponent": "policy:fog"}, "opponent: there is no policy 'fog'"),
        ({"opponent": 3}, "opponent: '3' is not a text"),
        ({"opponent": "random", "agent_color": "red"}, "agent-color: 'red'"),
        ({"render_mode": "human"}, "render_mode: 'human'"),
    ],
    ids=str,
)
def test_wrong_options_are_named_with_what_is_allowed(options, message):
    with pytest.raises(OptionError, match=message):
        GoEnv(**options)


def test_a_search_opponent_beats_random_play():
    env = GoEnv(opponent="fuego:simulations=30", agent_color="white")
    env.reset(seed=1)
    assert env._games["agent"][0] == WHITE and env._games["num_moves"][0] == 1
    over = False
    while not over:
        _, reward, terminated, truncated, _ = env.step(env.sample_action())
        over = terminated or truncated
    env.close()
    assert reward == -1.0


def test_a_policy_obeys_superko_on_the_smallest_boards():
    """Replies are legal moves, or the records would fall into disorder."""
    env = GoEnv(size=3, opponent="random", move_limit=200)
    for seed in range(30):
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.sample_action())
            over = terminated or truncated
        env._batch.to_game(0)  # raises for an illegal move
