"""Recorded games give the same result step by step as through GTP.

The large run, 1,000 games:  pytest -m slow tests/environment/test_gtp_games.py
"""

import random
import re

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from miai.engine.go.points import PASS, format_score, location_of, move_at, point_at, vertex_of
from miai.environment.env import GoEnv
from miai.gtp.client import Client, GtpError
from miai.gtp.in_process import connect, engine_loop
from miai.gtp.session import Session
from miai.players.options import GameOptions, PlayerOptions


def record_game(seed: int) -> list[str]:
    """Return the vertices of a random game of the environment, the end included."""
    env = GoEnv(move_limit=400)
    env.reset(seed=seed)
    vertices, over = [], False
    while not over:
        action = env.sample_action()
        vertices.append(vertex_of(PASS if action == 81 else point_at(*divmod(action, 9), 9), 9))
        _, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    return vertices


def compare_games(seeds: range) -> None:
    """Send recorded games to an engine and step them here: same legality, same stones, same score."""
    env = GoEnv(move_limit=400)
    with connect(engine_loop(Session(PlayerOptions(), GameOptions()))) as client:
        client.send("komi 7")
        for seed in seeds:
            rng = random.Random(seed)
            client.send("clear_board")
            _, info = env.reset(seed=seed)
            for vertex in record_game(seed):
                color, mask = env.to_play, info["action_mask"]
                wrong = rng.randrange(81)
                if not mask[wrong]:
                    with pytest.raises(GtpError):
                        client.send(f"play {color} {vertex_of(point_at(*divmod(wrong, 9), 9), 9)}")
                client.send(f"play {color} {vertex}")
                observation, reward, _, _, info = env.step(action_of(vertex))
                own, other = observation[:2] if env.to_play == "black" else observation[1::-1]
                assert np.array_equal(own - other, shown_stones(client))
            score = client.send("final_score")
            assert score == format_score(info["score"])
            assert reward == (0.0 if score == "0" else 1.0 if score[0] == color[0].upper() else -1.0)


def action_of(vertex: str) -> int:
    """Return the action that plays a GTP vertex on 9x9."""
    move = move_at(vertex, 9)
    if move == PASS:
        return 81
    row, column = location_of(move, 9)
    return row * 9 + column


def shown_stones(client: Client) -> np.ndarray:
    """Return what `showboard` shows, int8 [9, 9]: 1 for Black's stones, -1 for White's."""
    rows = [re.findall(r"[XO.+]", line) for line in client.send("showboard").splitlines()]
    signs = {"X": 1, "O": -1}
    return np.array([[signs.get(sign, 0) for sign in row] for row in rows if len(row) == 9], dtype=np.int8)


def test_ten_games_agree_with_gtp() -> None:
    compare_games(range(10))


@pytest.mark.slow
def test_a_thousand_games_agree_with_gtp() -> None:
    compare_games(range(1000))
