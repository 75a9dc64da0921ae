"""`fuego_low_lib` against the rule of Fuego's revision 1585, written again in plain Python."""

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import EMPTY
from miai.engine.go.tactics import self_atari
from miai.playouts.distribution import distribution
from miai.playouts.low_liberties import propose_fuego_low_lib
from miai.playouts.policy import make_policy
from miai.playouts.random_moves import is_surrounded
from miai.playouts.workspace import new_playout_workspace


def beside(board: np.void, point: int) -> list[int]:
    width = len(board["width_marker"])
    return [point - width, point - 1, point + 1, point + width]


def liberties(board: np.void, head: int) -> list[int]:
    found, stone = set[int](), head
    while True:
        found |= {point for point in beside(board, stone) if board["color"][point] == EMPTY}
        stone = int(board["next_stone"][stone])
        if stone == head:
            return sorted(found)


def heads_beside(board: np.void, point: int, color: int) -> list[int]:
    return [int(board["head"][one]) for one in beside(board, point) if board["color"][one] == color]


def gains(board: np.void, head: int, point: int) -> bool:
    """Count each neighbour's new liberties by themselves; captures give none."""
    own = set(liberties(board, head))
    new = [one for one in beside(board, point) if board["color"][one] == EMPTY and one not in own]
    for other in heads_beside(board, point, board["color"][head]):
        if other != head:
            new += [one for one in liberties(board, other) if one not in own]
    return len(new) >= 2


def expected(board: np.void) -> set[int]:
    last, color = int(board["last_move"]), int(board["to_play"])
    if last <= 0:
        return set()
    moves = set()
    for head in {int(board["head"][last]), *heads_beside(board, last, color)}:
        if len(own := liberties(board, head)) != 2:
            continue
        first, second = (set(heads_beside(board, one, board["color"][head])) - {head} for one in own)
        if not first & second:
            moves |= {one for one in own if gains(board, head, one) and not self_atari(board, one, color)}
    return {move for move in moves if not is_surrounded(board, move, np.uint8(color))}


@pytest.mark.parametrize("policy", ["fuego1585_listed", "fuego1585_listed_only_ll"])
def test_proposals_are_those_of_fuegos_rule(policy: str) -> None:
    rng, workspace, proposed = np.random.default_rng(1), new_playout_workspace(9)[0], 0
    for _ in range(20):
        game = Game(9)
        while not game.is_over and len(game.moves) < 160:
            count = propose_fuego_low_lib(game.board, workspace)
            assert set(workspace["moves"][:count].tolist()) == expected(game.board)
            proposed += count > 0
            chances = distribution(make_policy(policy), game.board)
            move = int(rng.choice(len(chances), p=chances / chances.sum()))
            game.play(game.to_play, move if game.is_legal(game.to_play, move) else 0)
    assert proposed > 200
