"""When a printed number and ours agree."""

import pytest

from miai.experiments.comparisons import Comparison, agreement_of, comparison_table


def test_two_numbers_agree_within_two_standard_errors_of_their_difference() -> None:
    assert Comparison("x", 10.0, 3.0, 19.9, 4.0).agrees
    apart = Comparison("x", 10.0, 3.0, 20.1, 4.0)
    assert not apart.agrees and apart.deviation == pytest.approx(2.02)
    assert Comparison("x", 10.0, 0.0, 2.0, 4.0).deviation == pytest.approx(-2.0)


def test_what_was_rounded_away_is_no_difference() -> None:
    assert Comparison("x", 1.85, 0.0, 1.854, 0.0, 2, 0.005).deviation == 0.0
    assert not Comparison("x", 1.85, 0.0, 1.86, 0.0, 2, 0.005).agrees


def test_an_error_that_is_not_known_makes_no_agreement() -> None:
    assert not Comparison("x", 1.0, 0.0, 1.5, float("nan")).agrees


def test_agreement_is_told_in_a_few_words() -> None:
    near, far = Comparison("near", 1.0, 0.1, 1.1, 0.1), Comparison("far", 1.0, 0.1, 0.0, 0.1)
    assert agreement_of([near]) == "yes" and agreement_of([far]) == "no (−7.1 s.e.)"
    assert agreement_of([near, near]) == "all 2"
    assert agreement_of([near, far]) == "1 of 2 (most off: far, −7.1 s.e.)"
    assert "| far  | 1.0       | 0.0 ± 0.1      | −7.1" in comparison_table([near, far])
