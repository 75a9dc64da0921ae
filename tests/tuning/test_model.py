"""The Gaussian process on functions that are known, seen through the noise of games."""

import math
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("botorch")

from botorch.exceptions.errors import ModelFittingError

from miai.tuning.model import MeasuredPoint, ScoreModel, spread_points

GAMES = 400


def score(place: np.ndarray) -> float:
    """Return the true score: a hill of 55 % in a plain of 35 %."""
    return 0.35 + 0.2 * math.exp(-float(((np.asarray(place) - 0.7) ** 2).sum()) / 0.3**2)


def play(place: np.ndarray, rng: np.random.Generator, function: Callable[[np.ndarray], float] = score) -> MeasuredPoint:
    seen = rng.binomial(GAMES, function(place)) / GAMES
    smoothed = (seen * GAMES + 1) / (GAMES + 2)
    return MeasuredPoint(tuple(float(x) for x in place), seen, smoothed * (1 - smoothed) / GAMES)


def tune(num_points: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    seen = [play(place, rng) for place in spread_points(4, 2, seed)]
    while len(seen) < num_points:
        seen.append(play(ScoreModel(seen).propose([], seed + len(seen)), rng))
    return ScoreModel(seen).find_optimum(seed)


def search_at_random(num_points: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    places = rng.random((num_points, 2))
    return places[int(np.argmax([play(place, rng).score for place in places]))]


def test_it_finds_the_optimum_better_than_random_search_with_as_many_games() -> None:
    tuned, random = ([score(find(16, seed)) for seed in (1, 2)] for find in (tune, search_at_random))
    assert min(tuned) > 0.52
    assert np.mean(tuned) > np.mean(random) + 0.02


def test_it_expects_what_is_true_within_its_interval() -> None:
    rng = np.random.default_rng(5)
    model = ScoreModel([play(place, rng) for place in spread_points(24, 2, 5)])
    places = rng.random((200, 2))
    found = model.predict(places)
    errors = (found.means - np.array([score(place) for place in places])) / found.deviations
    assert (np.abs(errors) < 1.96).mean() > 0.8
    assert 0.002 < found.deviations.mean() < 0.06


def test_two_points_leave_the_level_of_scores_open() -> None:
    found = ScoreModel([MeasuredPoint((0.5,), 0.525, 0.03**2), MeasuredPoint((0.75,), 0.507, 0.03**2)]).predict(
        np.array([[0.5], [0.0]])
    )
    assert 0.018 < found.deviations[0] < 0.03 < found.deviations[1]


def test_more_games_count_more() -> None:
    few = [MeasuredPoint((0.2,), 0.6, 0.01), MeasuredPoint((0.2001,), 0.4, 0.0001), MeasuredPoint((0.9,), 0.5, 0.001)]
    assert ScoreModel(few).predict(np.array([[0.2]])).means[0] == pytest.approx(0.405, abs=0.02)


def test_a_pending_point_is_not_proposed_again() -> None:
    rng = np.random.default_rng(3)
    seen = [play(place, rng, lambda place: 0.4 + 0.2 * float(place[0])) for place in spread_points(6, 1, 3)]
    model = ScoreModel(seen)
    alone = model.propose([], 1)
    beside = model.propose([tuple(alone), (1.0,)], 1)
    assert alone[0] > 0.85 and abs(beside[0] - alone[0]) > 0.02


def test_the_same_seed_proposes_the_same_point() -> None:
    seen = [play(place, np.random.default_rng(1)) for place in spread_points(5, 2, 1)]
    proposals = [ScoreModel(seen).propose([(0.5, 0.5)], 7) for _ in range(2)]
    np.testing.assert_allclose(proposals[0], proposals[1], atol=1e-6)
    assert ((proposals[0] >= 0) & (proposals[0] <= 1)).all()


def test_spread_points_of_more_begin_with_those_of_fewer() -> None:
    np.testing.assert_array_equal(spread_points(9, 6, 2)[:4], spread_points(4, 6, 2))
    assert (spread_points(9, 6, 2) != spread_points(9, 6, 3)).any()


def test_a_kernel_that_cannot_be_fitted_still_tells_what_was_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise ModelFittingError("all attempts failed")

    monkeypatch.setattr("miai.tuning.model.fit_gpytorch_mll", fails)
    seen = [MeasuredPoint((0.1,), 0.3, 1e-4), MeasuredPoint((0.9,), 0.7, 1e-4)]
    means = ScoreModel(seen).predict(np.array([[0.1], [0.9]])).means
    assert means == pytest.approx([0.3, 0.7], abs=0.05)
    assert "could not be fitted" in capsys.readouterr().err
