"""When a printed number and ours agree."""

import pytest

from miai.experiments.comparisons import Comparison, agreement_of, comparison_table
from miai.experiments.fernando_muller.published import Strength
from miai.experiments.matches.match_scores import Score, compare_scores


def test_two_numbers_agree_within_two_standard_errors_of_their_difference() -> None:
    assert Comparison("x", 10.0, 3.0, 19.9, 4.0).agrees
    apart = Comparison("x", 10.0, 3.0, 20.1, 4.0)
    assert not apart.agrees and apart.deviation == pytest.approx(2.02)
    assert Comparison("x", 10.0, 0.0, 2.0, 4.0).deviation == pytest.approx(-2.0)


def test_what_was_rounded_away_is_no_difference() -> None:
    assert Comparison("x", 1.85, 0.0, 1.854, 0.0, 2, 0.005).deviation == 0.0
    assert not Comparison("x", 1.85, 0.0, 1.86, 0.0, 2, 0.005).agrees


def test_score_rates_are_compared_by_their_pooled_variance() -> None:
    # 2 of 20 against 25 % of 400: 15 / (100 sqrt(0.2429 * 0.7571 * (1/20 + 1/400)))
    paper = Strength(25.0, 2.2, 400)
    few = compare_scores("x", paper, Score(20, 10.0, 6.7, 1.0))
    assert few.agrees and few.deviation == pytest.approx(-1.526, abs=0.001)
    # games of openings that count for half as many
    assert compare_scores("x", paper, Score(40, 10.0, 6.7, 2.0)).deviation == pytest.approx(few.deviation)


def test_an_error_that_is_not_known_makes_no_agreement() -> None:
    assert not Comparison("x", 1.0, 0.0, 1.5, float("nan")).agrees


def test_agreement_is_told_in_a_few_words() -> None:
    near, far = Comparison("near", 1.0, 0.1, 1.1, 0.1), Comparison("far", 1.0, 0.1, 0.0, 0.1)
    assert agreement_of([near]) == "yes" and agreement_of([far]) == "no (−7.1 s.e.)"
    assert agreement_of([near, near]) == "all 2"
    assert agreement_of([near, far]) == "1 of 2 (most off: far, −7.1 s.e.)"
    assert "| far  | 1.0       | 0.0 ± 0.1      | −7.1" in comparison_table([near, far])
