"""The clocks of a game with a person."""

import pytest

from miai.engine.go.points import BLACK, WHITE
from miai.web.clocks import GameClocks


class Watch:
    """A clock on the wall that stands until it is moved."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def watch() -> Watch:
    return Watch()


def seconds(clocks: GameClocks, color: str) -> float:
    told = clocks.describe()[color]
    assert isinstance(told, dict)
    return told["seconds"]


def test_only_the_running_clock_loses_time(watch: Watch) -> None:
    clocks = GameClocks(60, 0, watch)
    clocks.start(BLACK)
    watch.time += 12.5
    assert (seconds(clocks, "black"), seconds(clocks, "white")) == (47.5, 60.0)
    assert clocks.finish_move()
    clocks.start(WHITE)
    watch.time += 10
    assert (seconds(clocks, "black"), seconds(clocks, "white")) == (47.5, 50.0)
    assert clocks.seconds_to_flag() == 50.0


def test_time_that_is_over_loses(watch: Watch) -> None:
    clocks = GameClocks(60, 0, watch)
    clocks.start(BLACK)
    watch.time += 60.5
    assert clocks.seconds_to_flag() == -0.5
    assert not clocks.finish_move()


def test_byoyomi_gives_each_move_its_time(watch: Watch) -> None:
    clocks = GameClocks(5, 10, watch)
    clocks.start(BLACK)
    assert clocks.seconds_to_flag() == 15.0
    watch.time += 12
    assert seconds(clocks, "black") == 3.0
    assert clocks.finish_move()
    for _ in range(3):
        clocks.start(BLACK)
        watch.time += 9.5
        assert clocks.finish_move()
    clocks.start(BLACK)
    watch.time += 10.5
    assert not clocks.finish_move()


def test_an_engine_thinks_less_than_it_has(watch: Watch) -> None:
    clocks = GameClocks(60, 0, watch)
    assert 0.5 < clocks.seconds_for(WHITE, 81) < 10
    clocks = GameClocks(0, 5, watch)
    assert 3 < clocks.seconds_for(WHITE, 81) < 5


def test_a_saved_state_goes_on(watch: Watch) -> None:
    clocks = GameClocks(5, 10, watch)
    clocks.start(BLACK)
    watch.time += 12
    clocks.finish_move()
    again = GameClocks(5, 10, watch)
    again.restore(clocks.save())
    assert again.describe() == clocks.describe()


def test_no_time_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="must not both be zero"):
        GameClocks(0, 0)
