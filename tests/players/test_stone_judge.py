"""The time that judging stones takes: all searches together keep within it."""

import threading
import types
from collections.abc import Container
from typing import Any

import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES
from miai.players import stone_judge
from miai.players.options import resolve_options
from miai.players.player import Budget, Player
from miai.players.stone_judge import SHORTEST_LOOK, StoneJudge

SEARCHES = 12


class Clock:
    """Goes on only by what searches take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.taken: list[float] = []
        monkeypatch.setattr(stone_judge, "time", types.SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(stone_judge, "judge_stones", judge_often)

    def search(
        self, game: Game, color: int, budget: Budget, stop: threading.Event | None, among: Container[int] | None
    ) -> Any:
        assert budget.seconds is not None
        self.taken.append(budget.seconds)
        self.now += budget.seconds


def judge_often(game: Game, search: Any) -> dict[Any, Any]:
    for _ in range(SEARCHES):
        search(game, BLACK, None)
    return {}


@pytest.mark.parametrize("seconds", [0.0, 0.2, 5.0])
def test_all_searches_keep_within_the_time(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    StoneJudge().judge(Game(5), clock.search, seconds)
    assert len(clock.taken) == SEARCHES and max(clock.taken) <= 1.0
    assert sum(clock.taken) <= seconds + SEARCHES * SHORTEST_LOOK


def test_without_a_limit_each_search_has_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    StoneJudge().judge(Game(5), clock.search)
    assert clock.taken == [1.0] * SEARCHES


def test_what_is_judged_after_an_interruption_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    judge, stop = StoneJudge(), threading.Event()
    stop.set()
    for number, event in enumerate((stop, None), start=1):
        judge.judge(Game(5), clock.search, None, event)
        assert len(clock.taken) == number * SEARCHES
    judge.judge(Game(5), clock.search)
    assert len(clock.taken) == 2 * SEARCHES


def test_after_a_pass_the_search_leaves_time_to_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(resolve_options("uct-random", given={"seed": 1, "memory": 16})[0])
    budgets: list[Budget] = []
    search = player._search_position

    def note(game: Game, color: int, budget: Budget, *others: Any, **more: Any) -> Any:
        budgets.append(budget)
        return search(game, color, Budget(20), *others, **more)

    monkeypatch.setattr(player, "_search_position", note)
    game = Game(5, 0.5, RULES["chinese"])
    game.play(BLACK, move_at("C3", 5))
    player.choose(game, WHITE, Budget(seconds=8.0))
    assert budgets == [Budget(seconds=8.0)]
    game.play(WHITE, PASS)
    player.choose(game, BLACK, Budget(seconds=8.0))
    first, *judging = budgets[1:]
    assert first == Budget(seconds=6.0)
    assert judging and all(budget.seconds is not None and budget.seconds <= 8.0 for budget in judging)
