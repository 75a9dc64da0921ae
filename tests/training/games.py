"""Games for the tests of training: random moves, with random policy targets and values that follow from the score."""

import numpy as np

from engine.go.game import Game
from engine.go.points import BLACK, PASS, opponent
from engine.go.scoring import area
from nets.planes import policy_index
from playouts.policy import make_policy
from playouts.scratch import new_scratch
from selfplay.data.format import GameRecord, Target


def random_game(seed: int, size: int = 9, komi: float = 7.0) -> GameRecord:
    """Return a game of random moves to the end; a policy target in about three of four positions."""
    game = Game(size, komi)
    draw = np.random.default_rng(seed)
    scratch = new_scratch(size, seed)
    choose = make_policy("random").choose
    record = GameRecord(size, komi, seed=seed)
    color = BLACK
    while not game.is_over:
        move = int(choose(game.copy().board, scratch[0]))
        move = move if game.is_legal(color, move) else PASS
        target = None
        if draw.random() < 0.75:
            moves = draw.permutation(size * size + 1)[:4].astype(np.int16)
            target = Target(moves, draw.dirichlet(np.ones(4)).astype(np.float32))
        record.add_move(color, int(policy_index(move, size)), target, draw.random(), draw.normal())
        game.play(color, move)
        color = opponent(color)
    record.score = game.score()
    record.result = float(0.5 + 0.5 * np.sign(record.score))
    record.is_scored = True
    owners = np.zeros(size * size, dtype=np.int8)
    area(game.board, owners)
    record.ownership = owners
    return record


def random_games(number: int, seed: int = 1, size: int = 9) -> list[GameRecord]:
    """Return different random games with komi from 5 to 8."""
    return [random_game(1000 * seed + index, size, komi=5.0 + 0.5 * (index % 7)) for index in range(number)]
