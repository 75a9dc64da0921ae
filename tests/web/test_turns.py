"""What a person may not do while miai thinks about its move."""

from typing import Any

import pytest

from tests.web.test_workbench import Desk, desk

__all__ = ["desk"]

WATCH = {"contestants": [{"select": "uct"}], "preset": "uct-random", "simulations": 50}


def told(desk: Desk) -> list[dict[str, Any]]:
    """Return what was said since `wait`; another thread tells when it loads."""
    return [one for one in desk.said if one["type"] != "loading"]


@pytest.mark.parametrize(("kind", "fields"), [("hint", {}), ("score", {}), ("watch", WATCH)])
def test_what_needs_the_engine_waits_until_it_has_moved(desk: Desk, kind: str, fields: dict[str, Any]) -> None:
    desk.new_game()
    desk.do("play", move="C3")
    desk.wait("position", node=1, thinking="thinking")
    desk.do(kind, **fields)
    assert told(desk) == [{"type": "error", "text": "wait until miai has moved"}]
    assert desk.wait("position", node=2)["board"].count("O") == 1
    desk.do(kind, **fields)
    desk.wait(kind)


@pytest.mark.parametrize("clock", [None, {"main": 20, "byoyomi": 0}])
def test_a_move_out_of_turn_is_refused_and_changes_nothing(desk: Desk, clock: dict[str, int] | None) -> None:
    desk.new_game(clock=clock)
    desk.do("play", move="C3")
    before = desk.wait("position", node=1, thinking="thinking")
    desk.do("play", move="A1")
    assert told(desk) == [{"type": "error", "text": "it is not your turn"}]
    desk.do("refresh")
    assert desk.wait("position", node=1) == before
    answered = desk.wait("position", node=2)
    assert answered["to_play"] == "black" and answered["board"].count("O") == 1
    if clock is not None:
        assert before["clocks"]["running"] is None and answered["clocks"]["running"] == 1
