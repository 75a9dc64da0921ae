"""The estimate of win, draw and loss: what it must be whatever the weights, and that those shipped are good."""

from pathlib import Path

import numpy as np
import pytest

from miai.engine.go.board import new_board
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE, location_of
from miai.fitting.outcome_regression import quality
from miai.playouts.outcome import (
    PHASES,
    TERMS,
    estimate_outcomes,
    new_estimate,
    phase_weights,
    read_weights,
)
from miai.playouts.playout import run_playouts
from tests.board_diagram import boards_from_diagram
from tests.playouts.outcome import Outcome, find_outcome
from tests.playouts.transform import SYMMETRIES, playout_positions, transformed

_KOMIS = (-12.0, -0.5, 0.0, 5.5, 6.0, 7.0, 7.25)
BLACK_HALF = "\n".join(
    [". X . X X O . O ."] + [". X X X X O O . O"] * 4 + ["X X . X X O . O O"] * 2 + [". X X X X O O O ."] * 2
)
"""A board that is over: Black has 45 points, White 36."""


def _random_weights(seed: int) -> np.ndarray:
    """Return weights of the right signs."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(scale=0.05, size=(len(TERMS), len(PHASES)))
    for term, row in zip(TERMS, weights, strict=True):
        if term == "komi":
            row[:] = -abs(row)
        elif term.startswith("ahead"):
            row[:] = 10 * abs(row)
    return weights


@pytest.mark.parametrize("size", [2, 9, 19])
def test_probabilities_sum_to_one_and_a_draw_needs_a_whole_komi(size: int) -> None:
    estimate = new_estimate(size)
    for board in playout_positions(size, 1):
        for komi in _KOMIS:
            outcome = find_outcome(board[0], komi, estimate)
            assert sum(outcome) == pytest.approx(1.0, abs=1e-6)
            assert all(0.0 <= chance <= 1.0 for chance in outcome)
            assert (outcome.draw > 0.0) == (komi == round(komi)) or outcome.draw < 1e-30


@pytest.mark.parametrize("size", [2, 9])
def test_the_estimate_does_not_depend_on_how_the_board_lies_or_on_colours(size: int) -> None:
    estimate = new_estimate(size)
    for number, board in enumerate(playout_positions(size, 2)):
        if number % 20 == 0:
            for komi in _KOMIS:
                expected = find_outcome(board[0], komi, estimate)
                for symmetry in SYMMETRIES:
                    assert find_outcome(transformed(board[0], symmetry)[0], komi, estimate) == expected
                    other = transformed(board[0], symmetry, exchange=True)
                    assert find_outcome(other[0], -komi, estimate) == expected


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_more_komi_makes_wins_rarer_compared_with_losses(seed: int | None) -> None:
    estimate = new_estimate(9, None if seed is None else _random_weights(seed))
    for number, board in enumerate(playout_positions(9, 3)):
        if number % 20 == 0:
            komis = np.arange(-60.25, 60.0, 1.5)  # without draws a win is as rare as its odds are low
            chances = [find_outcome(board[0], komi, estimate).win for komi in komis]
            chances = chances if board[0]["to_play"] == BLACK else chances[::-1]
            assert all(np.diff(chances) <= 1e-5)


def test_the_shipped_weights_make_wins_rarer_with_more_komi_where_draws_are_possible() -> None:
    estimate = new_estimate(9)
    for number, board in enumerate(playout_positions(9, 3, "fuego")):
        if number % 10 == 0:
            outcomes = [find_outcome(board[0], komi, estimate) for komi in np.arange(-31.0, 32.0, 2.0)]
            outcomes = outcomes if board[0]["to_play"] == BLACK else outcomes[::-1]
            assert max(np.diff([outcome.win for outcome in outcomes])) <= 0.02
            assert min(np.diff([outcome.loss for outcome in outcomes])) >= -0.02
            assert outcomes[0].win > outcomes[-1].win + 0.1


@pytest.mark.parametrize(
    ("komi", "expected", "least"),
    [(7.0, "win", 0.9), (8.5, "win", 0.8), (9.0, "draw", 0.8), (9.5, "loss", 0.8), (11.0, "loss", 0.9)],
)
def test_a_decided_board_is_nearly_certain(komi: float, expected: str, least: float) -> None:
    boards = boards_from_diagram(BLACK_HALF)
    outcome = find_outcome(boards[0], komi, new_estimate(9))
    assert getattr(outcome, expected) > least, outcome


@pytest.mark.parametrize(("komi", "fewest", "most"), [(-20, 0.9, 1.0), (7, 0.35, 0.65), (30, 0.0, 0.1)])
def test_the_empty_board_is_even_at_the_usual_komi_only(komi: float, fewest: float, most: float) -> None:
    outcome = find_outcome(new_board(9)[0], komi, new_estimate(9))
    assert fewest <= outcome.win + outcome.draw / 2 <= most


@pytest.mark.parametrize("replies", [(), ("E5",), ("E5", "C3"), ("E5", "C3", "G6")])
def test_in_the_opening_moves_on_the_first_line_are_worth_less_than_any_on_the_third(replies: tuple[str, ...]) -> None:
    game = Game(9)
    for index, vertex in enumerate(replies):
        game.play((BLACK, WHITE)[index % 2], vertex)
    color, estimate = game.to_play, new_estimate(9)
    worth: dict[int, list[float]] = {1: [], 3: []}
    for point in game.legal_points(color):
        line = 1 + min(min(place, 8 - place) for place in location_of(point, 9))
        after = game.copy()
        after.play(color, point)
        if line in worth:
            outcome = find_outcome(after.board, 7.0, estimate)
            worth[line].append(outcome.loss + outcome.draw / 2)
    assert max(worth[1]) < min(worth[3])


def test_a_komi_that_the_number_of_points_does_not_fit_makes_draws_rare() -> None:
    estimate = new_estimate(9)
    for board in playout_positions(9, 4, "fuego"):
        fitting, other = find_outcome(board[0], 7.0, estimate), find_outcome(board[0], 6.0, estimate)
        assert fitting.draw + 1e-4 > 2 * other.draw


def test_weights_between_two_phases_are_their_mixture() -> None:
    shares = phase_weights(np.array([81, 73, 57, 0]), 81)
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    assert shares[0, 0] == 1.0
    assert shares[1, :2] == pytest.approx([1 - 8 / 81 / 0.2, 8 / 81 / 0.2])
    assert shares[3, -1] == 1.0


def test_an_array_of_boards_is_estimated_board_by_board() -> None:
    boards = np.concatenate(list(playout_positions(9, 6)))
    estimate = new_estimate(9)
    outcomes = np.zeros((len(boards), 3), dtype=np.float32)
    estimate_outcomes(boards, 7.0, estimate[0], outcomes)
    for board, row in zip(boards, outcomes, strict=True):
        assert Outcome(*row.tolist()) == find_outcome(board, 7.0, estimate)


def test_a_file_of_other_terms_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "weights.txt"
    path.write_text("# comment\nkomi 1 2 3\n")
    with pytest.raises(ValueError, match="komi 1 2 3"):
        read_weights(path)


def test_the_shipped_weights_foretell_playouts_better_than_stones_do() -> None:
    """Positions of playouts and the results of others from there."""
    rng = np.random.default_rng(4)
    rows = []
    estimate = new_estimate(9)
    for seed in range(80):
        boards = list(playout_positions(9, seed, "fuego"))
        for place in rng.choice(len(boards), size=4, replace=False):
            board = boards[place][0]
            sign = 1.0 if board["to_play"] == BLACK else -1.0
            margin = sign * (int(run_playouts(board, "fuego", 1, seed=seed).scores[0]) - 7.0)
            outcome = 1 - int(np.sign(margin))
            chances = find_outcome(board, 7.0, estimate)
            stones = float(np.sum(board["color"] == 1)) - float(np.sum(board["color"] == 2))
            rows.append((outcome, chances, sign * (stones - 7.0)))
    outcomes = np.array([row[0] for row in rows])
    ours = quality(np.array([row[1] for row in rows]), outcomes)
    shares = np.bincount(outcomes, minlength=3) / len(outcomes)
    constant = quality(np.tile(shares, (len(outcomes), 1)), outcomes)
    ahead = np.array([row[2] > 0 for row in rows])
    assert ours.log_loss < constant.log_loss - 0.1
    assert ours.brier < constant.brier - 0.05
    assert ours.accuracy > np.mean(np.where(ahead, 0, 2) == outcomes)
