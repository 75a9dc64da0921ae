"""Games to write and read: played at random, with targets and values that a test can recognise."""

import random

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, opponent
from miai.engine.go.rules import RULES
from miai.selfplay.data.format import GameRecord, PolicyTarget


def random_game(seed: int, size: int = 9, num_moves: int = 60, rules: str = "tromp-taylor") -> Game:
    """Play random legal moves, a pass now and then, from some stones set up at random if `seed` is odd."""
    rng = random.Random(seed)
    game = Game(size, komi=7.5, rules=RULES[rules])
    if seed % 2:
        game.set_up({point: rng.choice((1, 2)) for point in rng.sample(game.legal_points(BLACK), 4)}, BLACK)
    color = BLACK
    for _ in range(num_moves):
        moves = [*game.legal_points(color), PASS]
        game.play(color, rng.choice(moves))
        color = opponent(color)
    return game


def record_of(game: Game, seed: int) -> GameRecord:
    """Return a game's record; every third move has no target."""
    setup = np.zeros(game.size**2, dtype=np.int8)
    for point, color in game.setup_stones.items():
        setup[action_of_move(point, game.size)] = color
    record = GameRecord(game.size, game.komi, setup=setup, seed=seed, ownership=game.area(), is_scored=True)
    record.score = game.score()
    record.result = float(record.score > 0)
    record.has_superko = game.rules.has_superko
    rng = random.Random(seed)
    for number, (color, move) in enumerate(game.moves):
        index = action_of_move(move, game.size)
        others = sorted({index, *rng.sample(range(game.size**2), 3)})
        probabilities = np.full(len(others), 1 / len(others), dtype=np.float32)
        target = PolicyTarget(np.array(others, dtype=np.int16), probabilities) if number % 3 else None
        record.add_move(color, index, target, rng.random(), rng.uniform(-20, 20))
    return record
