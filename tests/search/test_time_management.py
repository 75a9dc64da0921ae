"""Simulated games against a referee's clock: a player who uses what it is given never loses on time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miai.engine.search.time_management import TimeManager, TimeSettings

BLACK, WHITE = 1, 2
LAG = 0.1

lags = st.floats(0.0, LAG)
empties = st.integers(20, 361)


class TimeLoss(AssertionError):
    pass


class ClockReferee:
    """Keeps the true time of one player.

    `counts_entry`: the stone that ends the main time is the period's first. A referee that begins to count with the
    next stone can only be followed if it says what is left.
    """

    def __init__(self, settings: TimeSettings, counts_entry: bool = True) -> None:
        self.settings, self.counts_entry = settings, counts_entry
        self.main, self.period, self.count = settings.main, settings.overtime, settings.count

    def move(self, seconds: float) -> None:
        was_in_main = self.main > 0
        from_main = min(self.main, seconds)
        self.main -= from_main
        seconds -= from_main
        if self.settings.system == "absolute":
            if seconds > 0:
                raise TimeLoss
        elif self.main <= 0 and self.settings.system == "canadian":
            self.period -= seconds
            if self.period < 0:
                raise TimeLoss
            self.count -= self.counts_entry or not was_in_main
            if self.count == 0:
                self.period, self.count = self.settings.overtime, self.settings.count
        elif self.main <= 0:
            while seconds > self.settings.overtime:
                seconds -= self.settings.overtime
                self.count -= 1
                if self.count == 0:
                    raise TimeLoss


def play_game(clock, referee, num_empty, lag, num_moves, is_told=False, share=lambda move: 1.0):
    """Return the seconds thought; the player uses a share of what it is given."""
    total = 0.0
    for move in range(num_moves):
        if is_told:
            if referee.main > 0:
                clock.set_time_left(BLACK, referee.main, 0)
            elif referee.settings.system == "byoyomi":
                clock.set_time_left(BLACK, referee.settings.overtime, referee.count)
            else:
                clock.set_time_left(BLACK, referee.period, referee.count)
        seconds = clock.seconds_for(BLACK, max(2, num_empty - 2 * move)) * share(move)
        assert seconds > 0
        referee.move(seconds + lag)
        clock.spend(BLACK, seconds)
        total += seconds
    return total


@given(main=st.floats(0, 3600), num_empty=empties, lag=lags, is_told=st.booleans())
def test_absolute_time_is_never_overstepped_in_a_game_of_more_moves_than_points(main, num_empty, lag, is_told):
    main = max(main, 60.0, 1.0 * num_empty)
    settings = TimeSettings("absolute", main)
    clock = TimeManager(LAG)
    clock.set(settings)
    play_game(clock, ClockReferee(settings), num_empty, lag, 3 * num_empty // 5, is_told)


@given(main=st.floats(60, 3600))
def test_most_of_the_absolute_time_is_used_in_a_game_of_usual_length(main):
    settings = TimeSettings("absolute", main)
    clock = TimeManager(LAG)
    clock.set(settings)
    used = play_game(clock, ClockReferee(settings), 81, 0.0, 35)
    assert used > 0.6 * main - 35 * LAG


@given(
    main=st.sampled_from([0.0, 0.05, 1.0]) | st.floats(0, 600),
    overtime=st.floats(10, 600),
    count=st.integers(1, 25),
    num_empty=empties,
    lag=lags,
    counts_entry=st.booleans(),
    is_told=st.booleans(),
    data=st.data(),
)
@settings(max_examples=300, deadline=None)
def test_canadian_time_is_never_overstepped(main, overtime, count, num_empty, lag, counts_entry, is_told, data):
    if overtime / count < 4 * LAG:
        overtime = 4 * LAG * count
    limits = TimeSettings("canadian", main, overtime, count)
    clock = TimeManager(LAG)
    clock.set(limits)
    shares = data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=7))

    def share(move):
        return shares[move % len(shares)] or 1e-3

    referee = ClockReferee(limits, counts_entry=counts_entry or not is_told)
    play_game(clock, referee, num_empty, lag, num_empty, is_told, share)


@given(
    main=st.sampled_from([0.0, 0.05]) | st.floats(0, 600),
    overtime=st.floats(1, 60),
    count=st.integers(1, 5),
    num_empty=empties,
    lag=st.floats(0.0, 1.99 * LAG),
    is_told=st.booleans(),
)
def test_byoyomi_keeps_all_its_periods_even_if_a_move_is_late(main, overtime, count, num_empty, lag, is_told):
    settings = TimeSettings("byoyomi", main, overtime, count)
    clock = TimeManager(LAG)
    clock.set(settings)
    referee = ClockReferee(settings)
    play_game(clock, referee, num_empty, lag, num_empty, is_told)
    assert referee.count == count


@given(overtime=st.floats(1, 60), count=st.integers(1, 25), lag=lags, is_told=st.booleans())
def test_the_last_stone_of_a_canadian_period_may_be_late(overtime, count, lag, is_told):
    overtime = max(overtime, 4 * LAG * count)
    settings = TimeSettings("canadian", 0.0, overtime, count)
    clock = TimeManager(LAG)
    clock.set(settings)
    referee = ClockReferee(settings)
    play_game(clock, referee, 81, lag, count - 1, is_told)
    if is_told:
        clock.set_time_left(BLACK, referee.period, referee.count)
    referee.move(clock.seconds_for(BLACK, 40) + 1.99 * LAG)


@pytest.mark.parametrize("system", ["canadian", "byoyomi"])
def test_most_of_the_overtime_is_used(system):
    settings = TimeSettings(system, 0.0, 30.0, 1)
    clock = TimeManager(LAG)
    clock.set(settings)
    assert play_game(clock, ClockReferee(settings), 81, LAG, 40) > 0.9 * 40 * 30.0


def test_saved_canadian_time_is_spent_when_the_referee_says_it_is_there():
    clock = TimeManager(LAG)
    clock.set(TimeSettings("canadian", 0.0, 100.0, 10))
    assert clock.seconds_for(BLACK, 50) < 10.0
    clock.set_time_left(BLACK, 90.0, 2)
    assert 40.0 < clock.seconds_for(BLACK, 50) < 45.0


def test_without_settings_there_is_no_limit():
    clock = TimeManager()
    assert clock.seconds_for(BLACK, 81) is None
    clock.spend(BLACK, 100.0)
    clock.set(TimeSettings("absolute", 10.0))
    assert clock.seconds_for(BLACK, 81) is not None
    clock.set(TimeSettings.from_gtp(0, 1, 0))
    assert clock.seconds_for(BLACK, 81) is None


def test_time_left_without_settings_is_a_limit():
    clock = TimeManager()
    clock.set_time_left(WHITE, 5.0, 0)
    assert 0.0 < clock.seconds_for(WHITE, 81) < 1.0
    clock.reset()
    assert clock.seconds_for(WHITE, 81) is None


def test_no_time_left_without_settings_is_no_limit():
    clock = TimeManager()
    clock.set(TimeSettings("none"))
    clock.set_time_left(BLACK, 0.0, 0)
    assert clock.seconds_for(BLACK, 81) is None


def test_a_referee_that_gives_more_time_is_believed():
    clock = TimeManager()
    clock.set(TimeSettings("absolute", 10.0))
    before = clock.seconds_for(BLACK, 81)
    clock.set_time_left(BLACK, 100.0, 0)
    assert clock.seconds_for(BLACK, 81) > 5 * before


def test_a_new_game_gives_all_time_back_and_players_have_their_own():
    clock = TimeManager()
    clock.set(TimeSettings("absolute", 60.0))
    full = clock.seconds_for(BLACK, 81)
    clock.spend(BLACK, 30.0)
    assert clock.seconds_for(WHITE, 81) == full
    assert clock.seconds_for(BLACK, 81) < full
    clock.reset()
    assert clock.seconds_for(BLACK, 81) == full


def test_the_shortest_time_remains_when_nothing_is_left():
    clock = TimeManager()
    clock.set(TimeSettings("absolute", 1.0))
    clock.spend(BLACK, 5.0)
    assert 0.0 < clock.seconds_for(BLACK, 81) < 0.02


def test_gtp_names_the_three_systems():
    assert TimeSettings.from_gtp(0, 1, 0).system == "none"
    assert TimeSettings.from_gtp(300, 0, 0) == TimeSettings("absolute", 300)
    assert TimeSettings.from_gtp(0, 0, 0) == TimeSettings("absolute", 0)
    assert TimeSettings.from_gtp(60, 30, 5) == TimeSettings("canadian", 60, 30, 5)


@pytest.mark.parametrize(
    "arguments", [("absolute", -1.0), ("canadian", 1.0, 0.0, 5), ("canadian", 1.0, 5.0, 0), ("byoyomi", 1.0, 5.0, -1)]
)
def test_impossible_settings_are_refused(arguments):
    with pytest.raises(ValueError):
        TimeSettings(*arguments)
