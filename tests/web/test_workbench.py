"""A session's game, without a server."""

import time

import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.sgf import GameInfo, sgf_of
from miai.players.player import Player
from miai.web import workbench
from tests.web.desk import GAME, Desk

ONE_LIBERTY_FOR_BOTH = """
    X X X X X
    X X X X X
    X X . O O
    O O O O O
    O O O O O
"""
"""Who moves takes everything."""


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_the_engine_answers_a_move(desk: Desk) -> None:
    assert desk.new_game()["phase"] == "playing"
    desk.do("play", move="C3")
    answered = desk.wait("position", node=2)
    assert answered["to_play"] == "black" and answered["board"].count("X") == answered["board"].count("O") == 1


def test_the_engine_begins_as_black_and_with_handicap(desk: Desk) -> None:
    desk.new_game(color="white")
    assert desk.wait("position", node=1)["board"].count("X") == 1
    desk.do("new-game", settings={**GAME, "size": 9, "handicap": 3, "preset": "uct-random"})
    board = desk.wait("position", node=1)["board"]
    assert (board.count("X"), board.count("O")) == (3, 1)


def test_a_level_answers_a_move(desk: Desk) -> None:
    desk.new_game(preset=None, level=1)
    desk.do("play", move="C3")
    assert desk.wait("position", node=2)["to_play"] == "black"


def test_a_move_out_of_turn_or_against_the_rules_is_refused(desk: Desk) -> None:
    desk.new_game(color="both")
    desk.do("play", move="C3")
    desk.do("play", move="C3")
    assert desk.wait("error")["text"] == "C3 is illegal: occupied"
    desk.do("play", move="Z9")
    assert "is no point" in desk.wait("error")["text"]
    desk.do("go-to", node=77)
    assert "there is no node 77" in desk.wait("error")["text"]
    desk.do("agree")
    assert "nothing to agree" in desk.wait("error")["text"]


@pytest.mark.parametrize("kind", ["refresh", "hint"])
def test_a_move_that_failed_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(Player, "choose", fail)
        desk.new_game(color="white", clock={"main": 60, "byoyomi": 0})
        assert desk.wait("error")["text"] == "no memory"
        failed = desk.wait("position", thinking="")
        assert failed["node"] == 0 and failed["clocks"]["running"] is None
    desk.do(kind)
    assert desk.wait("position", node=1)["board"].count("X") == 1


def test_a_search_that_failed_leaves_the_move_due(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(Player, "choose", fail)
        patch.setattr(Player, "analyze", fail)
        desk.new_game(color="white")
        desk.wait("error")
        desk.do("hint")
        desk.wait("error")
    desk.do("refresh")
    assert desk.wait("position", node=1)["board"].count("X") == 1


def test_undo_takes_back_ones_own_move_and_the_answer(desk: Desk) -> None:
    desk.new_game()
    desk.do("play", move="C3")
    desk.wait("position", node=2)
    desk.do("undo")
    assert desk.wait("position")["node"] == 0
    desk.do("undo")
    assert "no move of yours" in desk.wait("error")["text"]


def test_resigning_and_taking_it_back(desk: Desk) -> None:
    desk.new_game()
    desk.do("play", move="C3")
    desk.wait("position", node=2)
    desk.do("resign")
    assert desk.wait("position", phase="over")["result"] == "W+R"
    desk.do("resign")
    assert "no game to resign" in desk.wait("error")["text"]
    desk.do("undo")
    assert desk.wait("position")["phase"] == "playing"


def test_time_that_runs_out_ends_the_game(desk: Desk) -> None:
    desk.new_game(clock={"main": 1, "byoyomi": 0})
    wait = desk.workbench.seconds_to_wait()
    assert wait is not None and 0 < wait < 1.2
    time.sleep(wait)
    desk.workbench.flag()
    assert desk.wait("position", phase="over")["result"] == "W+T"
    assert desk.workbench.seconds_to_wait() is None


def test_time_that_runs_out_ends_what_is_watched(desk: Desk) -> None:
    desk.new_game(clock={"main": 1, "byoyomi": 0})
    desk.do("watch", contestants=[{"select": "uct"}], preset="uct-random", simulations=50)
    desk.wait("watch")
    time.sleep(desk.workbench.seconds_to_wait() or 0.0)
    desk.workbench.flag()
    desk.wait("watch-ended")
    assert desk.wait("position", phase="over")["thinking"] == ""
    desk.do("analyze", on=True)
    desk.wait("analysis")
    desk.do("analyze", on=False)


def test_an_engine_whose_time_runs_out_thinks_no_longer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.new_game(color="white", clock={"main": 60, "byoyomi": 0})
    clocks = desk.workbench._clocks
    assert clocks is not None
    clocks.start(BLACK)
    monkeypatch.setattr(clocks, "_now", lambda: time.monotonic() + 61)
    desk.workbench.flag()
    over = desk.wait("position", phase="over")
    assert (over["result"], over["thinking"]) == ("W+T", "")
    desk.do("score")
    desk.wait("score")


def test_the_engines_clock_begins_when_its_player_is_ready(desk: Desk) -> None:
    desk.new_game(color="white", clock={"main": 60, "byoyomi": 0})
    assert desk.wait("position", thinking="thinking")["clocks"]["running"] in (None, 1)
    answered = desk.wait("position", node=1)
    assert answered["clocks"]["running"] == 2 and 55 < answered["clocks"]["black"]["seconds"] < 60


def test_an_analysis_follows_the_position(desk: Desk) -> None:
    desk.new_game(color="both")
    desk.do("analyze", on=True)
    first = desk.wait("analysis", node=0)
    assert first["visits"] > 0 and len(first["ownership"]) == 25 and first["moves"][0]["line"]
    assert 0 <= first["black"] <= 1
    desk.do("play", move="C3")
    assert desk.wait("policies", node=1)["network"] is None
    second = desk.wait("analysis", node=1)
    assert second["color"] == 2
    desk.do("analyze", on=False)
    assert desk.wait("analyzing") == {"type": "analyzing", "on": False}
    desk.said.clear()
    time.sleep(0.3)
    assert [one for one in desk.said if one["type"] == "analysis"] == []


def test_an_analysis_that_has_searched_enough_says_that_it_rests(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "MAX_VISITS", 50)
    desk.new_game(color="both")
    desk.do("analyze", on=True)
    desk.wait("position", thinking="analyzing")
    desk.wait("position", thinking="resting")
    desk.do("refresh")
    assert desk.wait("position")["thinking"] == "resting"


def test_looking_back_while_the_engine_thinks_does_not_stop_the_game(desk: Desk) -> None:
    desk.new_game()
    desk.do("play", move="C3")
    desk.do("go-to", node=0)
    assert desk.wait("position", node=0)["thinking"] == ""
    desk.do("go-to", node=1)
    assert desk.wait("position", node=2)["board"].count("O") == 1
    desk.do("go-to", node=1)
    assert desk.wait("position", node=1)["thinking"] == ""  # it has answered here before


def test_hint_and_score(desk: Desk) -> None:
    desk.new_game(color="both")
    desk.do("play", move="C3")
    desk.do("hint")
    assert desk.wait("hint")["moves"][0]["visits"] > 0
    desk.do("score")
    told = desk.wait("score")
    assert told["now"] == "B+18" and len(told["ownership"]) == 25 and 0 <= told["black"] <= 1


def test_a_review_finds_the_move_that_threw_the_game_away(desk: Desk) -> None:
    game = game_from_diagram(ONE_LIBERTY_FOR_BOTH, BLACK, 0.5)
    game.play(BLACK, PASS)
    game.play(WHITE, move_at("C3", 5))
    desk.load(sgf_of(game, GameInfo()).decode())
    desk.do("review", on=True, simulations=600)
    told = desk.wait("review")
    blunder, reply = told["moves"]
    assert (blunder["number"], reply["number"]) == (1, 2) and told["worst"] == [1]
    assert blunder["line"][0] == "C3" and blunder["loss"] > 0.2 and reply["loss"] < 0.05
    assert set(told["players"]) == {"black", "white"} and told["players"]["black"]["moves"] == 1


def test_a_review_can_be_stopped(desk: Desk) -> None:
    desk.load("(;SZ[5]KM[0];B[bb];W[cc])")
    desk.do("review", on=True, simulations=100_000)
    desk.wait("position", thinking="reviewing")
    desk.do("review", on=False)
    desk.wait("review-ended")
    assert desk.wait("position")["thinking"] == ""


def test_a_review_that_is_refused_leaves_the_engine_its_move(desk: Desk) -> None:
    desk.new_game(color="white")
    desk.do("review", on=True)
    assert "games that are over" in desk.wait("error")["text"]
    assert desk.wait("position", node=1)["board"].count("X") == 1


def test_a_game_by_rules_of_its_own_is_restored(desk: Desk) -> None:
    desk.load("(;SZ[5]RU[NZ];B[ab];W[aa];B[bb];W[ee];B[ca];W[ba])")  # the last move takes White's own two stones
    desk.do("go-to", node=6)
    shown = desk.wait("position", node=6)
    assert shown["board"].count("O") == 1
    again = desk.restored()
    assert again.wait("position", node=6)["board"] == shown["board"]


def test_a_game_whose_file_has_a_long_result_is_restored(desk: Desk) -> None:
    desk.load("(;SZ[5]RE[" + "Black wins by resignation " * 20 + "];B[ab])")
    desk.do("go-to", node=1)
    desk.wait("position", node=1)
    again = desk.restored()
    assert again.wait("position", node=1)["board"].count("X") == 1


def test_a_session_goes_on_from_what_it_saved(desk: Desk) -> None:
    desk.new_game(clock={"main": 300, "byoyomi": 10})
    desk.do("play", move="C3")
    shown = desk.wait("position", node=2)
    again = desk.restored()
    restored = again.wait("position", node=2)
    assert {name: restored[name] for name in ("board", "to_play", "phase", "last")} == {
        name: shown[name] for name in ("board", "to_play", "phase", "last")
    }
    again.do("play", move=next(move for move in ("A1", "E5") if move != shown["last"]))
    again.wait("position", node=4)


def test_what_the_engine_was_thinking_of_is_thought_again_after_a_restart(desk: Desk) -> None:
    desk.new_game(color="white")
    assert desk.saved["node"] == 0
    again = Desk()
    again.workbench.handle({"type": "restore", "saved": desk.saved})
    assert again.wait("position", node=1)["board"].count("X") == 1


def test_a_watch_leaves_the_game_as_it_is(desk: Desk) -> None:
    desk.new_game(color="both")
    desk.do("play", move="C3")
    desk.do("watch", contestants=[{"select": "uct"}, {"select": "puct"}], preset="uct-random", simulations=50)
    assert len(desk.wait("watch", state="finished")["searches"]) == 2
    desk.do("watch-stop")
    desk.wait("watch-ended")
    assert desk.wait("position")["node"] == 1
    desk.do("watch", contestants=[{"select": "rave"}], domain="simulated")
    assert "rave needs" in desk.wait("error")["text"]
