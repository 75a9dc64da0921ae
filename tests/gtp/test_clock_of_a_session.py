"""What the clock makes of a move's budget, and which moves it is charged for."""

import pytest

from miai.engine.go.points import BLACK, WHITE
from miai.engine.search.time_management import TimeManager, TimeSettings
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import PlayerOptions
from miai.players.player import Budget
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer


def seconds_of(main: float) -> float:
    """Return how long the first move of a game on 9x9 may take."""
    clock = TimeManager()
    clock.set(TimeSettings("absolute", main))
    return clock.seconds_for(BLACK, 81) or 0.0


def say(session: Session, *lines: str) -> None:
    with Conversation(engine_loop(session)) as engine:
        for line in lines:
            assert engine.ask(line).startswith("=")


@pytest.mark.parametrize(
    ("options", "budget"),
    [
        (PlayerOptions(), Budget(None, seconds_of(600))),
        (PlayerOptions(simulations=50), Budget(50, seconds_of(600))),
        (PlayerOptions(time=2.0), Budget(None, 2.0)),
        (PlayerOptions(time=60.0), Budget(None, seconds_of(600))),
    ],
)
def test_a_move_ends_with_the_first_limit_of_the_clock_and_what_was_asked_for(
    options: PlayerOptions, budget: Budget
) -> None:
    player = FakePlayer()
    say(Session(options, make_player=lambda _: player), "time_settings 600 0 0", "genmove b")
    assert player.budgets == [budget] and 20.0 < seconds_of(600) < 40.0


def test_without_a_clock_the_options_alone_limit_a_move() -> None:
    player = FakePlayer()
    say(
        Session(PlayerOptions(), make_player=lambda _: player),
        "time_settings 600 0 0",
        "time_settings 0 1 0",
        "genmove b",
    )
    assert player.budgets == [Budget(PlayerOptions().simulation_limit, None)]


def test_who_has_little_time_left_gets_less_for_a_move_and_the_other_does_not() -> None:
    player = FakePlayer()
    lines = ("time_settings 600 0 0", "time_left w 3 0", "genmove b", "genmove w")
    say(Session(make_player=lambda _: player), *lines)
    black, white = (budget.seconds for budget in player.budgets)
    assert black == seconds_of(600) and 0.0 < white < 1.0


def test_a_move_that_is_only_suggested_takes_nothing_off_the_clock() -> None:
    session = Session(make_player=lambda _: FakePlayer(seconds=0.05))
    say(session, "time_settings 600 0 0")
    left = []
    for line in ("reg_genmove b", "genmove b"):
        say(session, line)
        left.append([session.clock.seconds_for(color, 81) for color in (BLACK, WHITE)])
    assert left[0] == [seconds_of(600)] * 2
    assert left[1][0] < seconds_of(599.95) and left[1][1] == seconds_of(600)
