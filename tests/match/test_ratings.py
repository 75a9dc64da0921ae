"""Ratings against closed forms and simulated round robins."""

import math

import numpy as np
import pytest
from scipy.special import expit

from miai.match.ratings import ELO, rate
from miai.match.statistics import elo_of

SPREAD = (250.0, 100.0, 0.0, -50.0, -300.0)


def tabulate(num_openings: int, scores: dict[tuple[int, int], float], num: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two games of every opening between the contestants named, the first scoring so much of them."""
    points, games = np.zeros((2, num_openings, num, num))
    for (one, other), score in scores.items():
        games[:, one, other] = games[:, other, one] = 2.0
        points[:, one, other], points[:, other, one] = 2.0 * score, 2.0 * (1.0 - score)
    return points, games


def simulate(
    stream: np.random.Generator, elos: tuple[float, ...], num_openings: int, for_black: float, for_players: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the results of games whose openings favour Black, and contestants, by so many Elo (standard deviation)."""
    num = len(elos)
    black = stream.normal(0.0, for_black, num_openings)
    strengths = np.array(elos) + stream.normal(0.0, for_players, (num_openings, num))
    points, games = np.zeros((2, num_openings, num, num))
    for one in range(num):
        for other in range(one):
            edge = strengths[:, one] - strengths[:, other]
            wins = [stream.random(num_openings) < expit((edge + sign * black) / ELO) for sign in (1, -1)]
            points[:, one, other] = wins[0].astype(float) + wins[1]
            points[:, other, one] = 2.0 - points[:, one, other]
            games[:, one, other] = games[:, other, one] = 2.0
    return points, games


def values_of(points: np.ndarray, games: np.ndarray, anchor: int | None = None) -> list[float]:
    """Return the ratings without intervals."""
    return [elo.value for elo in rate(points, games, anchor) if elo]


def test_expected_scores_give_the_ratings_they_come_from() -> None:
    scores = {
        (one, other): 1.0 / (1.0 + 10.0 ** ((SPREAD[other] - SPREAD[one]) / 400.0))
        for one in range(5)
        for other in range(one)
    }
    assert values_of(*tabulate(5000, scores, 5)) == pytest.approx(SPREAD, abs=0.1)


def test_ratings_of_simulated_games_are_near_the_truth() -> None:
    found = values_of(*simulate(np.random.default_rng(1), SPREAD, 1000, 0.0, 0.0))
    assert found == pytest.approx(SPREAD, abs=20.0)


@pytest.mark.parametrize("score", [0.5, 0.6, 0.75, 0.9])
def test_two_players_differ_by_the_elo_of_their_score(score: float) -> None:
    values = values_of(*tabulate(500, {(0, 1): score}, 2))
    assert values[0] - values[1] == pytest.approx(elo_of(score), abs=1.0)
    assert sum(values) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("num_openings", [5, 40])
@pytest.mark.parametrize(("for_black", "for_players"), [(0.0, 0.0), (250.0, 0.0), (0.0, 30.0)])
@pytest.mark.parametrize("anchor", [None, 1])
def test_intervals_cover_the_truth_in_simulated_round_robins(
    num_openings: int, for_black: float, for_players: float, anchor: int | None
) -> None:
    elos = (200.0, 50.0, -50.0, -200.0)
    # An opening that decides a game brings players nearer to each other: the truth is what endless games would say.
    truth = values_of(*simulate(np.random.default_rng(6), elos, 20_000, for_black, for_players), anchor)
    stream = np.random.default_rng(5)
    hits = []
    for _ in range(250):
        found = rate(*simulate(stream, elos, num_openings, for_black, for_players), anchor)
        hits += [elo.low <= value <= elo.high for elo, value in zip(found, truth, strict=True) if elo and value]
    assert 0.93 <= np.mean(hits) <= (0.99 if num_openings < 10 else 0.98)


def test_pairs_split_by_the_opening_narrow_intervals_and_pairs_won_as_a_whole_widen_them() -> None:
    points, games = tabulate(50, {(0, 1): 0.5}, 2)
    split = rate(points, games)[0]
    swept_points = points.copy()
    swept_points[::2, 0, 1], swept_points[::2, 1, 0] = 2.0, 0.0
    swept_points[1::2, 0, 1], swept_points[1::2, 1, 0] = 0.0, 2.0
    swept = rate(swept_points, games)[0]
    assert split and swept
    assert split.value == pytest.approx(swept.value) == pytest.approx(0.0)
    independent = 1.96 * ELO / math.sqrt(100 / 4) / 2
    assert split.high < 0.5 * independent
    assert swept.high == pytest.approx(math.sqrt(2.0) * independent, rel=0.06)


def test_a_clean_sweep_has_a_rating_and_an_interval_without_end() -> None:
    winner, loser = rate(*tabulate(50, {(0, 1): 1.0}, 2))
    assert winner and loser
    assert winner.value - loser.value == pytest.approx(943, abs=1)
    assert winner.high == math.inf
    assert loser.low == -math.inf
    # Wilson's interval for 100 wins in 100 games begins at 566 Elo.
    assert 500 < winner.low - loser.high < 750


def test_one_who_lost_everything_leaves_the_others_intervals_alone() -> None:
    points, games = tabulate(30, {(0, 1): 0.5, (0, 2): 1.0, (1, 2): 1.0}, 3)
    one, other, last = rate(points, games)
    assert one and other and last
    assert all(map(math.isfinite, (one.low, one.high, other.low, other.high, last.high)))
    assert last.low == -math.inf
    one, other, last = rate(points, games, anchor=2)
    assert one and other and last
    assert one.high == other.high == math.inf
    assert one.low > 0.0
    assert (last.value, last.low, last.high) == (0.0, 0.0, 0.0)


def test_a_loss_round_a_circle_bounds_a_rating() -> None:
    found = rate(*tabulate(20, {(0, 1): 1.0, (1, 2): 1.0, (2, 0): 0.1}, 3))
    assert all(elo and math.isfinite(elo.low) and math.isfinite(elo.high) for elo in found)


def test_who_has_not_played_has_no_rating() -> None:
    points, games = tabulate(20, {(0, 2): 0.6}, 3)
    one, nobody, other = rate(points, games)
    assert nobody is None
    assert one and other
    assert one.value > 0.0 > other.value
    assert rate(np.zeros((0, 2, 2)), np.zeros((0, 2, 2))) == [None, None]


def test_an_anchor_moves_ratings_and_keeps_differences() -> None:
    points, games = simulate(np.random.default_rng(2), SPREAD, 30, 0.0, 0.0)
    free, anchored = values_of(points, games), values_of(points, games, anchor=3)
    assert anchored[3] == 0.0
    assert np.diff(free) == pytest.approx(np.diff(anchored))


def test_few_openings_leave_an_interval_open_beside_players_with_many() -> None:
    points, games = simulate(np.random.default_rng(3), (0.0, 0.0, 0.0), 50, 0.0, 0.0)
    for array in (points, games):
        array[1:, 2] = array[1:, :, 2] = array[0, 1, 2] = array[0, 2, 1] = 0.0
    points[0, 0, 2] = points[0, 2, 0] = 1.0
    found = rate(points, games)
    assert [elo.high - elo.low > 500 for elo in found if elo] == [False, False, True]
