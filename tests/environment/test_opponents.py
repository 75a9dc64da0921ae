"""Networks as opponents: bare policies and searches, in one game and many, copied, and refused where they cannot be."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.engine.go.points import BLACK, PASS, RESIGN
from miai.environment.env import GoEnv
from miai.environment.vector_env import GoVectorEnv
from miai.match.contestants import read_contestant
from miai.players.option_kinds import OptionError
from miai.players.player import Player
from tests.nets.tiny import TINY_LI_LIM, save_tiny

SIZE = 5


@pytest.fixture(scope="module")
def net(tmp_path_factory) -> str:
    return save_tiny(tmp_path_factory.mktemp("net") / "tiny.safetensors")


def opponent(net: str, simulations: int) -> str:
    return f"puct:evaluator=net,net={net},net_backend=torch,memory=16,simulations={simulations}"


def play_game(env: GoEnv) -> list[int]:
    """Return both players' moves in a game from here on to the end."""
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(env.sample_action())
        over = terminated or truncated
    return [move for _, move in env._batch.to_game(0).moves]


@pytest.mark.parametrize("simulations", [1, 8])
def test_the_same_seed_gives_the_same_game_against_a_network(net, simulations):
    games = []
    for _ in range(2):
        env = GoEnv(size=SIZE, opponent=opponent(net, simulations), agent_color="random", move_limit=20)
        env.reset(seed=4)
        games.append(play_game(env))
        env.close()
    assert games[0] == games[1] and len(games[0]) > 3


def test_one_simulation_plays_the_networks_most_probable_move(net):
    player = Player(read_contestant(opponent(net, 1)).options)
    env = GoEnv(size=SIZE, opponent=opponent(net, 1), agent_color="white")
    env.reset(seed=1)
    for _ in range(4):
        game = env._batch.to_game(0)
        replied = game.moves[-1][1]
        game.undo()
        player.new_game()
        found = player.search_root(game, BLACK, 1, early_stop=False)
        assert replied in (PASS, found.moves[np.argmax(found.priors)])
        env.step(env.sample_action())
    env.close()
    player.close()


def test_an_opponent_that_would_resign_plays_its_best_move_and_does_not_pass(monkeypatch):
    monkeypatch.setattr("miai.players.player.decide", lambda *_: RESIGN)
    env = GoEnv(size=SIZE, opponent="uct:simulations=20,memory=16", agent_color="white")
    env.reset(seed=1)
    game = env._batch.to_game(0)
    assert len(game.moves) == 1 and game.moves[0][1] > PASS
    env.close()


def test_many_games_against_a_network(net):
    envs = GoVectorEnv(3, size=SIZE, opponent=opponent(net, 1), move_limit=12, agent_color="white")
    envs.reset(seed=1)
    assert envs._games["num_moves"].tolist() == [1, 1, 1]
    num_ended = 0
    for _ in range(20):
        _, rewards, terminated, truncated, _ = envs.step(envs.sample_actions())
        num_ended += np.count_nonzero(terminated | truncated)
        assert not rewards[~(terminated | truncated)].any()
    assert num_ended >= 6
    envs.close()


SEARCH = "uct:simulations=30,policy=random,memory=16"


def test_a_search_replies_alike_after_the_same_state():
    env = GoEnv(size=SIZE, opponent=SEARCH, agent_color="white")
    env.reset(seed=1)
    state = env.clone_state()
    games = []
    for _ in range(3):
        env.restore_state(state)
        for action in (3, 12, 16):
            env.step(action)
        games.append([move for _, move in env._batch.to_game(0).moves])
    assert games[0] == games[1] == games[2]
    env.close()


def test_games_against_a_search_do_not_hang_on_each_other():
    envs = GoVectorEnv(3, size=SIZE, opponent=SEARCH, agent_color="white")
    envs.reset(seed=5)
    envs.step(np.array([3, 3, 3]))
    for index in range(3):
        env = GoEnv(size=SIZE, opponent=SEARCH, agent_color="white")
        env.reset(seed=5 + index)
        env.step(3)
        assert env._batch.to_game(0).moves == envs._batch.to_game(index).moves
        env.close()
    envs.close()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_a_copy_has_a_network_of_its_own(net, duplicate):
    env = GoEnv(size=SIZE, opponent=opponent(net, 1), move_limit=20)
    env.reset(seed=2)
    env.step(env.sample_action())
    twin = duplicate(env)
    assert play_game(env) == play_game(twin)
    env.close()
    twin.reset(seed=2)
    play_game(twin)
    twin.close()


def test_what_cannot_be_an_opponent_is_refused_in_one_line(net, tmp_path: Path):
    other_size = save_tiny(tmp_path / "li-lim.safetensors", TINY_LI_LIM)
    (tmp_path / "text").write_text("no network")
    for text, message in (
        (f"puct:evaluator=net,net={tmp_path}/none", "opponent: net: .*none: there is no such file"),
        (f"puct:evaluator=net,net={tmp_path}/text", "opponent: net: .*text: no safetensors file"),
        (f"puct:evaluator=net,net={other_size}", "opponent: net: .*plays on 5x5 boards only, not 9x9"),
        ("puct:komi=6.5", "opponent: komi: the environment says 7, 'puct:komi=6.5' says 6.5"),
        ("puct:simulation=3", "opponent: .*did you mean 'simulations'"),
        ("network", "opponent: 'network' is neither .*puct:evaluator=net,net=FILE"),
    ):
        for make in (GoEnv, GoVectorEnv):
            with pytest.raises(OptionError, match=message):
                make(size=9, opponent=text)
