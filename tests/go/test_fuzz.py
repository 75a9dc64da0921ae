"""Random games through the engine and the naive board: every field agrees after every move.

The large run, 100,000 moves on all sizes:  pytest -m slow tests/go/test_fuzz.py
"""

import collections
import itertools
import random

import pytest

from miai.engine.go.game import CannotUndo, Game, IllegalMove
from miai.engine.go.points import BLACK, PASS, WHITE
from miai.engine.go.rules import Rules
from tests.go.comparison import check_game, place_points
from tests.go.naive import NaiveBoard

ALL_RULES = [Rules(superko, suicide) for superko in ("positional", "none") for suicide in (False, True)]


def random_setup(rng: random.Random, game: Game, naive: NaiveBoard) -> None:
    """Give both boards the same random set-up position, without a block that has no liberty."""
    filling = rng.random()
    naive.colors = bytes(
        rng.choice((BLACK, WHITE)) if rng.random() < filling else 0 for _ in range(game.size * game.size)
    )
    points = place_points(game.size)
    stones = {points[place]: color for place, color in enumerate(naive.colors) if color}
    shuffled = rng.sample(sorted(stones), len(stones))
    stones = {point: stones[point] for point in shuffled}
    if naive.is_position_possible():
        game.set_up(stones, BLACK)
        naive.positions = [naive.colors]
    else:
        with pytest.raises(ValueError, match="liberty"):
            game.set_up(stones, BLACK)
        naive.colors = naive.positions[0]
    assert game.stones() == {points[place]: color for place, color in enumerate(naive.colors) if color}


def play_random_game(
    rng: random.Random, size: int, rules: Rules, num_moves: int, refused: collections.Counter[str] | None = None
) -> int:
    """Play a random game on both boards, comparing after every move; return how many moves were compared.

    `refused` counts how often each rule forbade a point to the player to move.
    """
    game = Game(size, rng.choice((7.0, 7.5, 0.0, -3.25)), rules)
    naive = NaiveBoard(size, rules.has_superko, rules.suicide)
    points = place_points(size)
    if rng.random() < 0.3:
        random_setup(rng, game, naive)
    check_game(game, naive)
    for count in range(num_moves):
        kind = rng.random()
        color = game.to_play if kind < 0.9 else 3 - game.to_play
        legal = game.legal_points(color)
        if kind < 0.03:
            if game.moves:
                game.undo()
                naive.undo()
            else:
                with pytest.raises(CannotUndo):
                    game.undo()
        elif kind < 0.06 or not legal:
            game.play(color, PASS)
            naive.play(color, None)
            if not legal and len(game.moves) > 2 * size * size:
                num_moves = count + 1
                break
        else:
            if kind < 0.09:
                point = rng.choice(points)
                if point not in legal:
                    with pytest.raises(IllegalMove):
                        game.play(color, point)
                    check_game(game, naive)
                    continue
            point = rng.choice(legal)
            game.play(color, point)
            naive.play(color, points.index(point))
        check_game(game, naive)
        if refused is not None:
            refused.update(reason for point in points if (reason := game.why_illegal(game.to_play, point)))
    if size <= 3:
        unwind(game, naive)
    return num_moves


def unwind(game: Game, naive: NaiveBoard) -> None:
    """Take all moves back, comparing on the way."""
    while game.moves:
        game.undo()
        naive.undo()
        check_game(game, naive)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_random_games_agree_with_the_naive_board(size: int, rules: Rules) -> None:
    rng = random.Random(f"{size} {rules}")
    remaining = {2: 200, 3: 300, 5: 300, 9: 150}[size]
    while remaining > 0:
        remaining -= play_random_game(rng, size, rules, min(remaining, 4 * size * size))


def test_random_games_meet_every_rule() -> None:
    """They prove nothing about a rule that never comes up."""
    refused: collections.Counter[str] = collections.Counter()
    for rules in ALL_RULES:
        play_random_game(random.Random(3), 3, rules, 400, refused)
    assert {"occupied", "ko", "suicide", "superko"} <= set(refused)


def test_largest_board_agrees_with_the_naive_board() -> None:
    play_random_game(random.Random(19), 19, ALL_RULES[0], 40)


@pytest.mark.slow
@pytest.mark.parametrize("size", range(2, 20))
def test_many_random_games_agree_with_the_naive_board(size: int) -> None:
    share = 11_000 if size <= 9 else 2_100
    for rules, seed in zip(ALL_RULES, itertools.count(), strict=False):
        rng = random.Random(f"{size} {seed}")
        remaining = share // 4
        while remaining > 0:
            remaining -= play_random_game(rng, size, rules, min(remaining, 4 * size * size))
