"""How two players agree on dead stones after both have passed, without a server."""

import pytest

from tests.web.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_two_passes_lead_to_dead_stones_and_a_result(desk: Desk) -> None:
    desk.new_game(color="both")
    for move in ("C3", "A1", "C2", "pass", "C4", "pass", "pass"):
        desk.do("play", move=move)
    counting = desk.wait("position", phase="agreeing", thinking="counting")
    assert counting["node"] == 7
    proposed = desk.wait("position", phase="agreeing", thinking="")
    before = set(proposed["dead"])
    desk.do("toggle-dead", point="A1")
    toggled = desk.wait("position", phase="agreeing")
    assert set(toggled["dead"]) ^ before == {"A1"}
    if "A1" not in toggled["dead"]:
        desk.do("toggle-dead", point="A1")
    desk.do("agree")
    assert desk.wait("position", phase="over")["result"] == "B+18"


def end_with_a_dead_stone(desk: Desk) -> None:
    desk.new_game(color="both")
    for move in ("C3", "A1", "C2", "pass", "C4", "pass", "pass"):
        desk.do("play", move=move)
    desk.wait("position", phase="agreeing", thinking="counting")


def test_dead_stones_are_still_looked_for_when_the_page_goes_and_comes_back(desk: Desk) -> None:
    end_with_a_dead_stone(desk)
    desk.workbench.handle({"type": "away"})
    desk.do("review", on=False)
    desk.do("refresh")
    assert desk.wait("position")["thinking"] == "counting"
    assert desk.wait("position", thinking="")["dead"] == ["A1"]
    desk.do("agree")
    assert desk.wait("position", phase="over")["result"] == "B+18"


@pytest.mark.parametrize("domain", ["go", "simulated"])
def test_nothing_is_watched_before_the_dead_stones_are_agreed_on(desk: Desk, domain: str) -> None:
    end_with_a_dead_stone(desk)
    desk.do("watch", contestants=[{"select": "uct"}], domain=domain, preset="uct-random")
    assert desk.wait("error")["text"] == "agree on the dead stones first, or play on"
    assert desk.wait("position", thinking="")["dead"] == ["A1"]


def test_nothing_is_marked_or_counted_while_miai_looks_for_dead_stones(desk: Desk) -> None:
    end_with_a_dead_stone(desk)
    for kind, fields in (("toggle-dead", {"point": "C3"}), ("agree", {})):
        desk.do(kind, **fields)
        assert desk.wait("error")["text"] == "miai still looks for dead stones"
    assert desk.wait("position", thinking="")["dead"] == ["A1"]


def test_marks_of_dead_stones_outlive_the_engine(desk: Desk) -> None:
    end_with_a_dead_stone(desk)
    desk.wait("position", thinking="")
    for point in ("A1", "C3"):
        desk.do("toggle-dead", point=point)
        marked = desk.wait("position")
    assert sorted(marked["dead"]) == ["C2", "C3", "C4"]
    again = desk.restored()
    shown = again.wait("position")
    assert (shown["phase"], shown["thinking"], shown["dead"]) == ("agreeing", "", marked["dead"])
    again.do("agree")
    assert again.wait("position", phase="over")["result"] == marked["count"]


def test_dead_stones_that_were_being_looked_for_are_looked_for_after_a_restart(desk: Desk) -> None:
    end_with_a_dead_stone(desk)
    assert desk.saved["dead"] is None
    assert desk.restored().wait("position", phase="agreeing", thinking="")["dead"] == ["A1"]


def test_only_stones_are_restored_as_dead(desk: Desk) -> None:
    end_with_a_dead_stone(desk)
    desk.saved["dead"] = ["E5", "pass", "A1"]
    assert desk.restored().wait("position")["dead"] == ["A1"]


def test_playing_on_after_two_passes(desk: Desk) -> None:
    desk.new_game(color="both")
    for move in ("C3", "pass", "pass"):
        desk.do("play", move=move)
    desk.wait("position", phase="agreeing")
    desk.do("play", move="A1")
    assert "agree on the dead stones first" in desk.wait("error")["text"]
    desk.do("play-on")
    assert desk.wait("position", phase="playing")["node"] == 2
