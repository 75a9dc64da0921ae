"""Every step of the environment against the naive board: mask, planes, rewards, score and ownership."""

import random

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from miai.engine.go.planes import PLANES
from miai.engine.go.rules import RULES
from miai.environment.env import GoEnv
from tests.go.naive import BLACK, EMPTY, NaiveBoard


def naive_mask(naive: NaiveBoard, color: int) -> list[int]:
    return [int(naive.why_illegal(color, place) is None) for place in range(naive.size**2)] + [1]


def naive_planes(naive: NaiveBoard, color: int, mask: list[int]) -> np.ndarray:
    planes = np.zeros((len(PLANES), naive.size**2), dtype=np.int8)
    for place, stone in enumerate(naive.colors):
        if stone != EMPTY:
            planes[0 if stone == color else 1, place] = 1
            planes[1 + min(3, len(naive.block(naive.colors, place)[1])), place] = 1
    for plane, (_, place) in zip((5, 6), reversed(naive.moves[-2:]), strict=False):
        if place is not None:
            planes[plane, place] = 1
    planes[7] = mask[:-1]
    planes[8] = bool(naive.moves) and naive.moves[-1][1] is None
    planes[9] = color == BLACK
    return planes.reshape(-1, naive.size, naive.size)


def play_and_compare(rng: random.Random, size: int, rules: str, komi: float, move_limit: int) -> tuple[int, bool]:
    """Play a random game on both boards, comparing at every step.

    Returns:
        how many points superko forbade, and whether the game was drawn.
    """
    env = GoEnv(size=size, rules=rules, komi=komi, move_limit=move_limit, draw_reward=0.25)
    naive = NaiveBoard(size, RULES[rules].has_superko, RULES[rules].suicide)
    observation, info = env.reset(seed=1)
    color, num_repetitions = BLACK, 0
    while True:
        mask = naive_mask(naive, color)
        assert info["action_mask"].tolist() == mask
        assert np.array_equal(observation, naive_planes(naive, color, mask))
        num_repetitions += sum(naive.why_illegal(color, place) == "superko" for place in range(size**2))
        points = [action for action, legal in enumerate(mask[:-1]) if legal]
        action = rng.choice(points) if points and rng.random() < 0.97 else size**2
        naive.play(color, None if action == size**2 else action)
        observation, reward, terminated, truncated, info = env.step(action)
        passed_twice = len(naive.moves) > 1 and all(place is None for _, place in naive.moves[-2:])
        assert terminated == passed_twice
        assert truncated == (len(naive.moves) == move_limit and not passed_twice)
        if terminated or truncated:
            break
        assert reward == 0.0 and "score" not in info
        color = 3 - color
    score = sum(naive.area()) - komi
    assert info["score"] == score
    assert info["ownership"].ravel().tolist() == naive.area()
    assert reward == (0.25 if score == 0 else 1.0 if (score > 0) == (color == BLACK) else -1.0)
    return num_repetitions, score == 0


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
def test_random_games_agree_with_the_naive_board(rules: str) -> None:
    rng = random.Random(rules)
    for size, number in ((3, 20), (5, 8), (9, 3)):
        for _ in range(number):
            play_and_compare(rng, size, rules, rng.choice((0.0, 1.0, 7.5)), 3 * size * size)


def test_random_games_met_superko_and_draws() -> None:
    """The games above prove nothing about a rule that never came up."""
    rng = random.Random("tromp-taylor")
    repetitions, draws = zip(*(play_and_compare(rng, 3, "tromp-taylor", 0.0, 60) for _ in range(20)), strict=True)
    assert sum(repetitions) > 0 and sum(draws) > 0


def test_largest_board_agrees_with_the_naive_board() -> None:
    play_and_compare(random.Random(19), 19, "tromp-taylor", 7.0, 60)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
@pytest.mark.parametrize("size", range(2, 20))
def test_many_random_games_agree_with_the_naive_board(size: int, rules: str) -> None:
    rng = random.Random(f"{size} {rules}")
    for _ in range(300 if size < 5 else 60 if size < 8 else 8 if size < 12 else 2):
        play_and_compare(rng, size, rules, rng.choice((0.0, 1.0, 7.5)), 3 * size * size)
