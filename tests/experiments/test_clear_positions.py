"""The clear positions: proved by trying all moves, and found by every pair of rules."""

import itertools
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from miai.engine.go.benson import pointless_points
from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, EMPTY, WHITE, all_points
from miai.experiments.tactics.clear_positions import CLEAR_POSITIONS
from miai.experiments.tactics.tactic_runs import (
    RulePair,
    TacticPlan,
    pairs_to_run,
    search_positions,
    simulations_needed,
)
from miai.experiments.tactics.tactical_positions import SIZE, TacticalPosition
from tests.experiments.solver import Solver, Stones
from tests.go.naive import NaiveBoard

POSITIONS = pytest.mark.parametrize("position", CLEAR_POSITIONS, ids=lambda position: position.name)
MARGIN = 2
"""Points that a right move wins and any other loses by, at least."""


def points_of(solver: Solver, chosen: Iterable[int]) -> int:
    places = {point: place for place, point in enumerate(all_points(SIZE))}
    return sum(solver.point(*divmod(places[point], SIZE)) for point in chosen)


def stones_of(solver: Solver, text: str) -> Stones:
    found = read_diagram(text).stones
    black, white = (points_of(solver, [p for p, own in found.items() if own == color]) for color in (BLACK, WHITE))
    return black, white


def winning_moves(text: str, color: int, komi: float) -> set[int]:
    """Return the moves that win by the plain solver, 0 for a pass."""
    size = read_diagram(text).size
    solver = Solver(size, komi)
    stones = stones_of(solver, text)
    return {move for move in (0, *solver.moves(stones)) if solver.wins(stones, color == BLACK, move)}


@POSITIONS
def test_the_marked_moves_win_and_no_other_does(position: TacticalPosition) -> None:
    marked = {points_of(Solver(SIZE, 0.0), [move]) for move in position.right_moves}
    for komi in (position.komi - MARGIN, position.komi + MARGIN):
        assert winning_moves(position.text, position.color, komi) == marked


@POSITIONS
def test_the_search_and_the_solver_leave_the_same_few_points_open(position: TacticalPosition) -> None:
    board = position.game().board
    searched = np.flatnonzero((board["color"] == EMPTY) & (pointless_points(board) == 0))
    solver = Solver(SIZE, position.komi)
    assert points_of(solver, searched.tolist()) == sum(solver.moves(stones_of(solver, position.text)))
    assert len(searched) <= 7


# ---- all pairs of rules


FAST = (
    RulePair("rave", "mean"),
    RulePair("puct", "max"),
    RulePair("crazystone", "mix"),
    RulePair("dominance", "wdl-product"),
)


def pairs() -> list[Any]:
    """Return all pairs of rules, those that are not in FAST for the slow run only."""
    return [
        pytest.param(pair, id=pair.label, marks=() if pair in FAST else (pytest.mark.slow,)) for pair in pairs_to_run()
    ]


def missed(pair: RulePair, seed: int) -> list[str]:
    """Return the positions whose right move is not found by 16,384 simulations, or lost again before."""
    plan = TacticPlan((pair,), CLEAR_POSITIONS, "fuego", 16384, seed + 1)
    needed = simulations_needed(search_positions(plan, pair, seed), plan.checkpoints)
    return [one.name for one, number in zip(CLEAR_POSITIONS, needed, strict=True) if not np.isfinite(number)]


@pytest.mark.parametrize("pair", pairs())
def test_every_pair_of_rules_finds_every_move(pair: RulePair) -> None:
    assert missed(pair, 0) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("pair", pairs_to_run(), ids=lambda pair: pair.label)
def test_every_pair_of_rules_finds_every_move_from_other_seeds(pair: RulePair, seed: int) -> None:
    assert missed(pair, seed) == []


WRONG_RULES = """
from miai.engine.search.backup.best_child import best_visited
from miai.engine.search.backup.mean import mean_after
from miai.engine.search.rule_declaration import backup_rule, selection_rule
from miai.engine.search.tree import children_of, priors, values, visits


@backup_rule()
def forgets_to_change_sides(tree, node, workspace, params):
    best = best_visited(tree, node)
    return mean_after(tree, node, workspace.result) if best == 0 else values(tree)[best]


@selection_rule()
def looks_at_no_values(tree, node, params, workspace):
    children = children_of(tree, node)
    best = children.first
    for child in range(children.first, children.end):
        if priors(tree)[child] * (1.0 + visits(tree)[best]) > priors(tree)[best] * (1.0 + visits(tree)[child]):
            best = child
    return best
"""


@pytest.mark.slow
def test_wrong_rules_miss_moves(tmp_path: Path) -> None:
    path = tmp_path / "wrong_rules.py"
    path.write_text(WRONG_RULES)
    assert len(missed(RulePair("uct", f"{path}:forgets_to_change_sides"), 0)) >= 5
    assert "live-three" in missed(RulePair(f"{path}:looks_at_no_values", "mean"), 0)


# ---- the solver itself


class TooManyPositions(Exception):
    """The plain solver looked at more positions than it may."""


def wins_plainly(naive: NaiveBoard, color: int, komi: float, passes: int, left: list[int]) -> bool:
    """Tell whether the player to move wins, by trying every legal move and remembering nothing."""
    left[0] -= 1
    if left[0] < 0:
        raise TooManyPositions
    if passes == 2:
        return (sum(naive.area()) > komi) == (color == BLACK)
    for place in (None, *range(len(naive.colors))):
        if place is None or naive.why_illegal(color, place) is None:
            naive.play(color, place)
            opponent_wins = wins_plainly(naive, BLACK + WHITE - color, komi, passes + 1 if place is None else 0, left)
            naive.undo()
            if not opponent_wins:
                return True
    return False


def naive_board(size: int, colors: tuple[int, ...]) -> NaiveBoard:
    naive = NaiveBoard(size, positional_superko=True, suicide=False)
    naive.colors = bytes(colors)
    naive.positions = [naive.colors]
    return naive


def wins(naive: NaiveBoard, color: int, komi: float) -> bool:
    solver = Solver(naive.size, komi)
    black, white = (
        sum(solver.point(*divmod(place, naive.size)) for place, own in enumerate(naive.colors) if own == chosen)
        for chosen in (BLACK, WHITE)
    )
    stones = black, white
    return any(solver.wins(stones, color == BLACK, move) for move in (0, *solver.moves(stones)))


def test_the_solver_agrees_with_a_plain_one_on_every_position_of_2x2() -> None:
    outcomes = set()
    for colors in itertools.product((EMPTY, BLACK, WHITE), repeat=4):
        naive = naive_board(2, colors)
        if naive.is_position_possible():
            for color, komi in itertools.product((BLACK, WHITE), (-2.5, -0.5, 0.5, 2.5)):
                expected = wins_plainly(naive, color, komi, 0, [100_000])
                assert wins(naive, color, komi) == expected, (colors, color, komi)
                outcomes.add((color, komi, expected))
    assert len(outcomes) == 16, "each player wins and loses with every komi"


def test_the_solver_agrees_with_a_plain_one_on_positions_of_3x3() -> None:
    rng = random.Random(1)
    num_agreed = 0
    while num_agreed < 40:
        naive = naive_board(3, tuple(rng.choices((EMPTY, BLACK, WHITE), (1, 2, 2), k=9)))
        color, komi = rng.choice((BLACK, WHITE)), rng.choice((-3.5, -1.5, -0.5, 0.5, 1.5, 3.5))
        if not naive.is_position_possible():
            continue
        try:
            expected = wins_plainly(naive, color, komi, 0, [500])
        except TooManyPositions:
            continue
        assert wins(naive, color, komi) == expected, (naive.colors, color, komi)
        num_agreed += 1


def test_black_wins_2x2_by_one_point() -> None:
    empty = naive_board(2, (EMPTY,) * 4)
    assert wins(empty, BLACK, 0.5) and not wins(empty, BLACK, 1.5)
