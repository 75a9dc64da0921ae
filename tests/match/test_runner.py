"""Several games at a time, stopping in the middle, and giving up on an engine that never works."""

import threading
import time
from collections.abc import Mapping

import pytest

from miai.gtp.client import Client, EngineCrashed
from miai.match.openings import generate_openings
from miai.match.referee import GameSettings, PlayedGame
from miai.match.runner import MatchRunner
from miai.match.schedule import build_schedule
from miai.match.tables import LocalTable, MatchAborted
from tests.match.fake_engine import FakeEngine


class Stable:
    """As many scripted engines as a side needs."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        self.engines: list[FakeEngine] = []

    def start(self) -> Client:
        """Start another engine."""
        self.engines.append(FakeEngine(**self.fields))  # type: ignore[arg-type]
        return self.engines[-1].start()


def run(
    sides: Mapping[str, Stable],
    num_games: int,
    parallel: int = 2,
    stop_after: int = 10**6,
    check: bool = True,
    move_timeout: float = 30.0,
) -> list[PlayedGame]:
    """Play on 7x7 and return the finished games in order of finishing."""
    finished: list[PlayedGame] = []

    def keep(played: PlayedGame) -> bool:
        finished.append(played)
        return len(finished) < stop_after

    starters = {side: stable.start for side, stable in sides.items()}
    runner = MatchRunner(
        [LocalTable(starters, GameSettings(size=7, move_timeout=move_timeout)) for _ in range(parallel)]
    )
    if check:
        runner.check_engines()
    runner.play(build_schedule(num_games, generate_openings(num_games // 2, 7, (2, 3), seed=1)), keep)
    return finished


def test_all_games_are_played_once_on_few_engines() -> None:
    sides = {"A": Stable(delay=0.05), "B": Stable(delay=0.05)}
    finished = run(sides, 12, parallel=3)
    assert sorted(played.result.number for played in finished) == list(range(1, 13))
    assert all(played.result.ending == "score" for played in finished)
    assert len(sides["A"].engines) == len(sides["B"].engines) == 3


def test_games_are_played_at_the_same_time() -> None:
    four_moves_at_once = threading.Barrier(4, timeout=60.0)
    finished = run({"A": Stable(on_move=four_moves_at_once.wait), "B": Stable()}, 8, parallel=4)
    assert len(finished) == 8 and not four_moves_at_once.broken


def test_a_stop_drops_the_games_under_way_at_once() -> None:
    started = time.perf_counter()
    sides = {"A": Stable(delay=0.05), "B": Stable(later_script=["hang"])}
    finished = run(sides, 12, parallel=2, stop_after=2, check=False, move_timeout=300.0)
    assert len(finished) == 2
    assert all(played.result.ending == "score" for played in finished)
    assert time.perf_counter() - started < 100


def test_an_interrupt_ends_all_engines() -> None:
    before = set(threading.enumerate())

    def left() -> list[str]:
        return [one.name for one in set(threading.enumerate()) - before if one.name.startswith(("match-", "gtp-"))]

    sides = {"A": Stable(delay=0.02), "B": Stable(delay=0.02)}

    def interrupt(_: PlayedGame) -> bool:
        raise KeyboardInterrupt

    starters = {side: stable.start for side, stable in sides.items()}
    runner = MatchRunner([LocalTable(starters, GameSettings(size=7)) for _ in range(2)])
    with pytest.raises(KeyboardInterrupt):
        runner.play(build_schedule(20, []), interrupt)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and left():
        time.sleep(0.02)
    assert left() == []


def test_an_engine_that_fails_every_game_ends_the_match() -> None:
    with pytest.raises(MatchAborted, match=r"engine B failed in 10 games in a row, .*not a GTP reply"):
        run({"A": Stable(), "B": Stable(script=["babble"])}, 40)


def test_an_engine_that_fails_now_and_then_does_not() -> None:
    finished = run({"A": Stable(), "B": Stable(later_script=["crash"])}, 24, parallel=1)
    assert len(finished) == 24
    assert sum(played.result.failure == "crash" for played in finished) == 12


def test_an_engine_that_refuses_the_size_is_named_before_the_match() -> None:
    with pytest.raises(MatchAborted, match="engine A cannot play: refused 'boardsize 7': no"):
        run({"A": Stable(refuses=frozenset({"boardsize"})), "B": Stable()}, 4)


def test_an_engine_that_cannot_be_started_is_named_before_the_match() -> None:
    def start() -> Client:
        raise EngineCrashed("cannot start 'nothing': No such file")

    runner = MatchRunner([LocalTable({"A": Stable().start, "B": start}, GameSettings(size=7))])
    with pytest.raises(MatchAborted, match="engine B cannot play: cannot start 'nothing'"):
        runner.check_engines()
