"""The figures of a match against closed forms and simulated matches."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest

from miai.match.statistics import (
    Interval,
    SequentialTest,
    design_effect,
    elo_of,
    estimate_elo,
    estimate_score,
    log_likelihood_ratio,
    mean_over_groups,
    rate_of,
)


def singles(wins: int, losses: int) -> list[list[float]]:
    """Games without a partner, which are independent."""
    return [[1.0]] * wins + [[0.0]] * losses


@pytest.mark.parametrize(("rate", "elo"), [(0.5, 0.0), (0.75, 190.85), (10 / 11, 400.0), (0.25, -190.85)])
def test_elo_is_logistic(rate: float, elo: float) -> None:
    assert elo_of(rate) == pytest.approx(elo, abs=0.01)
    assert rate_of(elo) == pytest.approx(rate, abs=1e-5)


def test_elo_of_a_clean_sweep_is_infinite() -> None:
    assert elo_of(1.0) == math.inf
    assert elo_of(0.0) == -math.inf
    assert estimate_elo(Interval(1.0, 0.75, 1.0)) == Interval(math.inf, elo_of(0.75), math.inf)


@pytest.mark.parametrize(("wins", "losses"), [(10, 0), (0, 7), (60, 40), (171, 29)])
def test_interval_of_independent_games_is_near_wilson(wins: int, losses: int) -> None:
    expected = binomtest(wins, wins + losses).proportion_ci(0.95, method="wilson")
    found = estimate_score(singles(wins, losses))
    assert found.value == pytest.approx(wins / (wins + losses))
    assert found.low == pytest.approx(expected.low, abs=0.002)
    assert found.high == pytest.approx(expected.high, abs=0.002)


def test_interval_needs_a_game() -> None:
    with pytest.raises(ValueError, match="no game"):
        estimate_score([])


def test_pairs_split_by_the_opening_narrow_the_interval() -> None:
    split = estimate_score([[1.0, 0.0]] * 50)
    alone = estimate_score(singles(50, 50))
    assert split.value == alone.value == 0.5
    assert split.high - split.low < 0.3 * (alone.high - alone.low)
    assert split.low < 0.5 < split.high


def test_pairs_won_as_a_whole_widen_the_interval() -> None:
    swept = estimate_score([[1.0, 1.0], [0.0, 0.0]] * 25)
    alone = estimate_score(singles(50, 50))
    ratio = (swept.high - swept.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(math.sqrt(2.0), rel=0.03)


def test_draws_narrow_the_interval() -> None:
    assert design_effect([[0.5], [1.0], [0.5], [0.0]] * 25) == pytest.approx(0.5, abs=0.03)


def test_few_pairs_leave_the_interval_open() -> None:
    found = estimate_score([[1.0, 0.0]])
    assert found.low < 0.15
    assert found.high > 0.85


@pytest.mark.parametrize("strength", [0.3, 0.5, 0.8, 0.93])
@pytest.mark.parametrize("opening_effect", [0.0, 0.25])
def test_interval_covers_the_truth_in_simulated_matches(strength: float, opening_effect: float) -> None:
    stream = random.Random(f"{strength} {opening_effect}")
    hits, trials = 0, 1_000
    chances = [[min(1.0, max(0.0, strength + sign * effect)) for sign in (1, -1)] for effect in (opening_effect, 0.0)]
    truth = sum(map(sum, chances)) / 4
    for _ in range(trials):
        pairs = [[float(stream.random() < chance) for chance in stream.choice(chances)] for _ in range(50)]
        found = estimate_score(pairs)
        hits += found.low <= truth <= found.high
    assert hits / trials == pytest.approx(0.95, abs=0.03)


def test_likelihood_ratio_of_wins_and_losses_is_the_binomial_one() -> None:
    p0, p1 = rate_of(0.0), rate_of(50.0)
    expected = 60 * math.log(p1 / p0) + 40 * math.log((1 - p1) / (1 - p0))
    assert log_likelihood_ratio({1.0: 60, 0.0: 40}, 0.0, 50.0) == pytest.approx(expected, abs=1e-3)


def test_likelihood_ratio_is_near_its_normal_approximation() -> None:
    stream = random.Random(7)
    pairs = [[float(stream.random() < 0.55), float(stream.random() < 0.52)] for _ in range(2_000)]
    rates = [sum(pair) / 2 for pair in pairs]
    mean = sum(rates) / len(rates)
    variance = sum((rate - mean) ** 2 for rate in rates) / len(rates)
    s0, s1 = rate_of(0.0), rate_of(10.0)
    expected = len(pairs) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(Counter(rates), 0.0, 10.0) == pytest.approx(expected, rel=0.02)


def test_likelihood_ratio_changes_sign_with_the_hypotheses() -> None:
    counts = {0.75: 1, 0.5: 1, 1.0: 1}
    assert log_likelihood_ratio(counts, 0.0, 30.0) == pytest.approx(-log_likelihood_ratio(counts, 30.0, 0.0))


def test_no_complete_pair_decides_nothing() -> None:
    for pairs in ([], [[1.0]]):
        verdict = SequentialTest(0.0, 10.0).evaluate(pairs)
        assert (verdict.llr, verdict.num_pairs, verdict.accepted) == (0.0, 0, None)


def test_sequential_test_accepts_the_better_and_rejects_the_equal() -> None:
    test = SequentialTest(0.0, 100.0)
    assert test.evaluate([[1.0, 1.0], [1.0, 0.0]] * 100).accepted == "elo1"
    assert test.evaluate([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]] * 100).accepted == "elo0"
    assert test.evaluate([[1.0, 0.0]]).accepted is None


def test_sequential_test_keeps_its_decision() -> None:
    test = SequentialTest(0.0, 100.0)
    sweep = [[1.0, 1.0]] * 30
    decided = test.evaluate(sweep)
    assert decided.accepted == "elo1"
    assert test.evaluate([*sweep, *[[0.0, 0.0]] * 100]) == decided
    assert decided.num_pairs < len(sweep)


def draw_pair(stream: random.Random, elo: float, opening_effect: float, draws: float) -> list[float]:
    """Play an opening twice: it helps one colour, or nobody, and some games are drawn. A's rate is that of `elo`."""
    bias = stream.choice([opening_effect, -opening_effect, 0.0])
    rate = rate_of(elo)
    return [
        0.5 if stream.random() < draws else float(stream.random() < (rate + sign * bias - draws / 2) / (1 - draws))
        for sign in (1, -1)
    ]


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "elo1"), (120.0, "elo0")])
@pytest.mark.parametrize(("opening_effect", "draws"), [(0.0, 0.0), (0.25, 0.0), (0.15, 0.2)])
def test_sequential_test_errs_as_rarely_as_asked(elo: float, wrong: str, opening_effect: float, draws: float) -> None:
    stream = random.Random(3)
    test = SequentialTest(0.0, 120.0, alpha=0.1, beta=0.1)
    errors = undecided = 0
    trials = 150
    for _ in range(trials):
        verdict = test.evaluate([draw_pair(stream, elo, opening_effect, draws) for _ in range(150)])
        errors += verdict.accepted == wrong
        undecided += verdict.accepted is None
    assert errors / trials <= 0.1 + 2.5 * math.sqrt(0.1 * 0.9 / trials)
    assert undecided <= 5


def test_pairs_that_openings_decide_are_judged_sooner_than_as_single_games() -> None:
    stream = random.Random(8)
    test = SequentialTest(0.0, 120.0)
    numbers: dict[str, list[int]] = {"pairs": [], "single": []}
    for _ in range(40):
        pairs = [draw_pair(stream, 120.0, 0.3, 0.0) for _ in range(200)]
        games = [score for pair in pairs for score in pair]
        shuffled = stream.sample(games, len(games))
        numbers["pairs"].append(test.evaluate(pairs).num_pairs)
        numbers["single"].append(test.evaluate(list(zip(shuffled[::2], shuffled[1::2], strict=True))).num_pairs)
    assert sum(numbers["pairs"]) < 0.85 * sum(numbers["single"])


@pytest.mark.parametrize(
    "fields",
    [
        {"elo0": 5.0, "elo1": 5.0},
        {"elo0": 0.0, "elo1": 5.0, "alpha": 0.7},
        {"elo0": 0.0, "elo1": math.inf},
        {"elo0": -1e6, "elo1": 0.0},
    ],
)
def test_sequential_test_refuses_what_makes_no_sense(fields: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must|lie between"):
        SequentialTest(**fields)


def test_of_one_group_the_error_is_not_known() -> None:
    mean, error = mean_over_groups(np.array([0.0, 1.0, 0.5]), np.array([4, 4, 4]))
    assert mean == 0.5 and math.isnan(error)
    mean, error = mean_over_groups(np.array([0.0, 1.0]), np.array([1, 2]))
    assert (mean, error) == (0.5, 0.5)
