"""Wilson's interval against scipy's, and its ends."""

from statistics import NormalDist

import pytest
from scipy.stats import binomtest

from miai.engine.wilson import wilson_interval


@pytest.mark.parametrize(("wins", "trials"), [(10, 10), (0, 7), (60, 100), (171, 200), (1, 2)])
def test_the_interval_is_scipys(wins: int, trials: int) -> None:
    expected = binomtest(wins, trials).proportion_ci(0.95, method="wilson")
    found = wilson_interval(wins / trials, trials, NormalDist().inv_cdf(0.975))
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("rate", [0.0, 1e-9, 0.5, 1.0])
@pytest.mark.parametrize("trials", [0.5, 1, 1e9])
def test_the_rate_lies_between_ends_from_0_to_1(rate: float, trials: float) -> None:
    low, high = wilson_interval(rate, trials, 1.96)
    assert 0.0 <= low <= rate <= high <= 1.0
