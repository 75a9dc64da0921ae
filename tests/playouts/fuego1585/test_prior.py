"""Prior knowledge as Fuego's revision 1585 has it: where it differs from what the policy's layers propose."""

import numpy as np
import pytest

from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.game import Game
from miai.engine.go.ladders import mark_ladders
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE, move_at
from miai.playouts.fuego1585.prior import is_bad_self_atari, is_in_small_eye_space, judge_ladders
from tests.playouts.test_policy_prior import DEFENCE, after_last, knowledge, mixed


def fuego_knowledge(policy: str, game: Game, seed: int = 0) -> dict[int, tuple[float, float]]:
    return knowledge(policy, game, "fuego1585", seed)


HANE = """
. . . . .
. . a b .
. . X l .
. . . . .
. . . . .
"""
"""White has just played beside Black's stone; b is a hane."""


def test_biased_patterns_decide_but_propose_nothing() -> None:
    game, marks = after_last(HANE)
    hane = marks["b"][0]
    listed, kept = (fuego_knowledge(name, game) for name in ("only_patt", "only_bp"))
    assert listed[hane] == knowledge("only_bp", game)[hane] == mixed(1.0, 1.0)
    assert kept[hane] == mixed(0.6, 1.0)
    assert kept[move_at("A1", 5)] == mixed(0.4, 0.1), "it was no random move"


def test_a_layer_that_lists_its_moves_proposes_them_all() -> None:
    game, marks = after_last(DEFENCE)
    found = fuego_knowledge("fuego1585", game)
    assert found[marks["a"][0]][0] > 0.85
    assert found[move_at("E5", 5)] == mixed(0.4, 0.1) and found[PASS] == mixed(0.1, 0.1)


def test_a_corrected_random_move_counts_as_proposed() -> None:
    game = Game(5)
    game.set_up({move_at("B1", 5): WHITE}, BLACK)
    better, elsewhere = move_at("A2", 5), move_at("E5", 5)
    seen = [fuego_knowledge("fuego1585_random", game, seed) for seed in range(150)]
    corrected = [found for found in seen if found[better] == (1.0, 9.0)]
    assert all(found[elsewhere] == (pytest.approx(0.4), 9.0) for found in corrected)
    assert all(found[elsewhere][1] != 9.0 for found in seen if found not in corrected)
    # one of 24 random moves is A1, which moves to A2
    assert 1 <= len(corrected) <= 18
    assert all(fuego_knowledge("random", game, seed)[elsewhere][1] != 9.0 for seed in range(20)), "no corrector"


def test_self_ataris_that_may_be_nakade_are_not_bad() -> None:
    diagram = "O O O O .\nX a b O .\nO O O O .\n. . . . .\nO c . . X"
    marks = read_diagram(diagram).marks
    for mark in marks:
        diagram = diagram.replace(mark, ".")
    board = game_from_diagram(diagram, BLACK).board
    inside, corner = marks["a"][0], marks["c"][0]
    assert is_in_small_eye_space(board, inside, BLACK) and not is_bad_self_atari(board, inside, BLACK)
    assert not is_in_small_eye_space(board, corner, BLACK)


def at_bay(breaker: str) -> tuple[Game, int]:
    """Return a game in which Black's stone has just been put in atari, and its liberty."""
    game, marks = after_last(
        f"""
        . . . . . . . . .
        . . . . . . {breaker} . .
        . . . . . . . . .
        . . . O a . . . .
        . . . O X l . . .
        . . . . O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    return game, marks["a"][0]


def test_moving_out_of_a_lost_ladder_loses() -> None:
    game, escape = at_bay(".")
    assert fuego_knowledge("only_ad", game)[escape] == (0.0, 10.0)


def test_moving_out_of_a_ladder_that_does_not_work_wins() -> None:
    game, escape = at_bay("X")
    value, weight = knowledge("only_ad", game)[escape]
    assert fuego_knowledge("only_ad", game)[escape] == (pytest.approx((value * weight + 3) / (weight + 3)), weight + 3)


def blocks_beside(game: Game, points: set[int]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return stones and liberties of the blocks beside these points."""
    color, width = game.board["color"], game.size + 1
    found = set()
    for start in {point + step for point in points for step in (-width, -1, 1, width)} - points:
        if color[start] not in (BLACK, WHITE):
            continue
        stones, liberties, left = {start}, set(), [start]
        while left:
            here = left.pop()
            for near in (here - width, here - 1, here + 1, here + width):
                if color[near] == EMPTY:
                    liberties.add(near)
                elif color[near] == color[start] and near not in stones:
                    stones.add(near)
                    left.append(near)
        found.add((frozenset(stones), frozenset(liberties)))
    return list(found)


def block_at(game: Game, point: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return stones and liberties of the block on a point."""
    return next(block for block in blocks_beside(game, {point + 1}) if point in block[0])


def lost_in_ladders(game: Game) -> np.ndarray:
    """Return 1 at the stones of blocks that are lost in a ladder, if it is the opponent's move or they are in atari."""
    board = game.board
    caught, working = np.empty((2, len(board["head"])), dtype=np.uint8)
    mark_ladders(board, board["color"], np.int64(board["ko_point"]), caught, working)
    return caught


def slow_ladders(game: Game) -> np.ndarray:
    """Return what `judge_ladders` writes, from the rules as they are told."""
    board, color = game.board, game.to_play
    caught = lost_in_ladders(game)
    extra = np.zeros(len(caught))
    last = int(board["last_move"])
    if last <= 0 or board["color"][last] == EMPTY:
        return extra
    wins: list[tuple[int, float]] = []

    def of(owner: int, blocks: list) -> list:
        return [(stones, liberties) for stones, liberties in blocks if board["color"][min(stones)] == owner]

    def catches(point: int, stone: int) -> bool:
        if not game.is_legal(color, point):
            return False
        after = game.copy()
        after.play(color, point)
        return bool(lost_in_ladders(after)[stone])

    def is_self_atari(point: int) -> bool:
        after = game.copy()
        after.play(color, point)
        return len(block_at(after, point)[1]) < 2

    moved, left_to_it = block_at(game, last)
    for stones, liberties in of(color, blocks_beside(game, set(moved))):
        attackers = of(3 - color, blocks_beside(game, set(stones)))
        if len(liberties) == 1:
            (liberty,) = liberties
            if caught[min(stones)]:
                if len(stones) >= 6 or len(attackers) >= 3:
                    extra[liberty] = -10.0
                continue
            if game.is_legal(color, liberty) and not is_self_atari(liberty):
                wins.append((liberty, 3.0))
            wins += [(min(left), 3.0) for _, left in attackers if len(left) == 1 and left != liberties]
        elif len(liberties) == 2 and caught[min(stones)]:
            pairs = [(point, min(block)) for block, left in attackers if len(left) == 2 for point in left]
            wins += [(point, 8.0) for point, stone in pairs if catches(point, stone)]
    if len(left_to_it) == 2:
        wins += [(point, 3.0) for point in left_to_it if catches(point, last)]
    for point, visits in wins:
        extra[point] = max(extra[point], 0.0) + visits
    return extra


def test_ladders_are_judged_as_told() -> None:
    rng = np.random.default_rng(3)
    seen = np.zeros(4, dtype=int)
    for _ in range(50):
        game = Game(7)
        for _ in range(int(rng.integers(10, 45))):
            legal = game.legal_points(game.to_play)
            if not legal:
                break
            game.play(game.to_play, int(rng.choice(legal)))
            extra = np.zeros(len(game.board["head"]), dtype=np.float32)
            judge_ladders(game.board, extra)
            np.testing.assert_array_equal(extra, slow_ladders(game), str(game))
            seen += [(extra == -10).sum(), (extra == 3).sum(), (extra == 8).sum(), (extra > 8).sum()]
    assert np.all(seen > 0), seen


def test_an_unknown_policy_is_named() -> None:
    with pytest.raises(ValueError, match="unknown policy 'nobody'"):
        fuego_knowledge("nobody", Game(5))


def test_a_policy_without_layers_proposes_nothing() -> None:
    assert fuego_knowledge("crazystone", Game(5))[move_at("C3", 5)] == (0.5, 0.0)
