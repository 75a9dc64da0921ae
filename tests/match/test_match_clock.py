"""A side's clock, by hand-worked examples."""

import pytest

from miai.match.match_clock import MatchClock, MatchTimeSettings


def spend(settings: MatchTimeSettings, *moves: float) -> MatchClock:
    clock = MatchClock(settings)
    for seconds in moves:
        clock.spend(seconds)
    return clock


def test_absolute_time_runs_down_and_out() -> None:
    assert spend(MatchTimeSettings(10, 0, 0), 4.0, 3.5).describe() == "2 0"
    assert spend(MatchTimeSettings(10, 0, 0), 4.0, 7.0).seconds == pytest.approx(-1.0)


def test_byoyomi_begins_when_main_time_is_over() -> None:
    clock = spend(MatchTimeSettings(10, 20, 3), 9.0)
    assert clock.describe() == "1 0"
    clock.spend(5.0)
    assert clock.describe() == "16 2"


def test_a_period_begins_anew_with_its_last_stone() -> None:
    assert spend(MatchTimeSettings(0, 20, 2), 5.0).describe() == "15 1"
    assert spend(MatchTimeSettings(0, 20, 2), 5.0, 14.0).describe() == "20 2"
    assert spend(MatchTimeSettings(0, 20, 2), 5.0, 16.0).seconds < 0


def test_a_period_overstepped_within_the_tolerance_begins_anew() -> None:
    clock = MatchClock(MatchTimeSettings(0, 20, 2), tolerance=0.5)
    clock.spend(5.0)
    clock.spend(15.25)
    assert clock.describe() == "20 2"
    clock.spend(5.0)
    clock.spend(15.75)
    assert clock.seconds < -0.5


def test_it_tells_how_much_was_used_and_how_close_it_was() -> None:
    clock = spend(MatchTimeSettings(10, 0, 0), 4.0, 3.5)
    assert (clock.used_fraction, clock.least_left) == pytest.approx((0.75, 2.5))
    clock = spend(MatchTimeSettings(10, 20, 2), 9.0, 5.0, 15.5)
    assert (clock.used_fraction, clock.least_left) == pytest.approx((1.0, 0.5))
    clock = spend(MatchTimeSettings(0, 20, 2), 5.0, 14.0, 8.0)
    assert (clock.used_fraction, clock.least_left) == pytest.approx((0.9, 1.0))
    assert spend(MatchTimeSettings(0, 20, 2), 5.0, 16.0).least_left == pytest.approx(-1.0)


@pytest.mark.parametrize("numbers", [(0, 0, 0), (10, 5, 0), (10, 0, 5)])
def test_senseless_settings_are_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="must"):
        MatchTimeSettings(*numbers)


@pytest.mark.parametrize("numbers", [(-1, 0, 0), (-1, 5, 5), (10, -5, 0), (10, 0, -5)])
def test_settings_below_zero_are_refused_as_such(numbers: tuple[int, int, int]) -> None:
    shown = " ".join(map(str, numbers))
    with pytest.raises(ValueError, match=rf"^time settings {shown} are not allowed .* from 0 on"):
        MatchTimeSettings(*numbers)
