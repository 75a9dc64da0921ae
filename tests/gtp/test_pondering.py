"""Thinking on the opponent's time: when it begins, when it ends, and that the next move gains by it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE
from miai.engine.search.report import SearchReport
from miai.engine.search.tree import ROOT
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import PlayerOptions
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer

PATIENCE = 20.0


@dataclass
class Thinker(FakePlayer):
    """Notes the positions that it analyzes, and fails if two searches run at once."""

    analyzed: list[tuple[int, int]] = field(default_factory=list)
    """Moves made and the player to move, as each analysis began."""
    is_thinking: bool = False

    def analyze(self, game: Game, color: int, *rest: Any) -> SearchReport:
        assert not self.is_thinking
        self.is_thinking = True
        self.analyzed.append((len(game.moves), color))
        try:
            return super().analyze(game, color, *rest)
        finally:
            self.is_thinking = False

    def choose(self, *args: object, **named: object) -> object:
        assert not self.is_thinking
        return super().choose(*args, **named)


def session_of(player: FakePlayer, ponder: bool = True) -> Session:
    return Session(PlayerOptions(ponder=ponder), make_player=lambda options: player)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_the_position_after_our_move_is_searched_until_the_next_move_is_asked_for() -> None:
    player = Thinker()
    with Conversation(engine_loop(session_of(player))) as engine:
        assert engine.ask("genmove b").startswith("= ")
        wait_until(lambda: player.is_thinking)
        assert engine.ask("time_left b 100 0") == "=\n\n"
        assert engine.ask("play w E5") == "=\n\n"
        assert player.is_thinking
        assert engine.ask("genmove b").startswith("= ")
        wait_until(lambda: len(player.analyzed) == 2)
        assert engine.ask("quit") == "=\n\n"
        engine.finish()
    assert player.analyzed == [(1, WHITE), (3, WHITE)]
    assert not player.is_thinking


@pytest.mark.parametrize("line", ["clear_board", "boardsize 9", "lz-genmove_analyze w", "miai-visits", "stop", "quit"])
def test_what_needs_the_player_or_begins_a_game_ends_it(line: str) -> None:
    player = Thinker()
    session = session_of(player)
    with Conversation(engine_loop(session)) as engine:
        engine.ask("genmove b")
        wait_until(lambda: player.is_thinking)
        first = player.analyzed[:1]
        engine.ask(line)
        engine.ask("name") if line != "quit" else engine.finish()
        wait_until(lambda: not player.is_thinking or player.analyzed != first)
    wait_until(lambda: not player.is_thinking)


@pytest.mark.parametrize(
    ("ponder", "moves", "decision"), [(False, [], None), (True, [], RESIGN), (True, [(WHITE, PASS)], PASS)]
)
def test_there_is_nothing_to_think_about(ponder: bool, moves: list[tuple[int, int]], decision: int | None) -> None:
    player = Thinker(decisions=[] if decision is None else [decision])
    session = session_of(player, ponder)
    for color, move in moves:
        session.game.play(color, move)
    choice = session.choose(BLACK, threading.Event())
    session.commit(BLACK, choice.move)
    time.sleep(0.05)
    assert player.analyzed == []


def test_a_level_that_draws_its_moves_is_as_strong_whatever_time_the_opponent_takes() -> None:
    player = Thinker()
    session = session_of(player)
    session.strength = 5
    session.commit(BLACK, session.choose(BLACK, threading.Event()).move)
    session.strength = 10
    session.commit(WHITE, session.choose(WHITE, threading.Event()).move)
    wait_until(lambda: player.analyzed == [(2, BLACK)])
    session.close()


def test_a_game_that_the_opponent_ends_is_not_pondered() -> None:
    player = Thinker(decisions=[PASS])
    session = session_of(player)
    with Conversation(engine_loop(session)) as engine:
        engine.ask("genmove b")
        wait_until(lambda: player.is_thinking)
        engine.ask("play w pass")
        assert not player.is_thinking


def test_a_search_that_fails_is_told_and_the_next_command_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    class Failing(FakePlayer):
        def analyze(self, *args: object, **named: object) -> SearchReport:
            raise ValueError("no such thing")

    with Conversation(engine_loop(session_of(Failing()))) as engine:
        engine.ask("genmove b")
        assert engine.ask("genmove w").startswith("= ")
    assert "cannot think on the opponent's time: ValueError: no such thing" in capfd.readouterr().err


def test_the_next_search_goes_on_from_it() -> None:
    session = Session(PlayerOptions(simulations=50, seed=1, memory=16, ponder=True))
    session.commit(BLACK, session.choose(BLACK, threading.Event()).move)
    search = session._player_with(session.player_options).search_on(9)
    wait_until(lambda: int(search.tree["visits"][ROOT]) > 2000)
    search = session.player.search_on(9)
    best = search.root_order()[0]
    session.game.play(WHITE, int(search.tree["move"][best]))
    known = int(search.tree["visits"][best])
    report = session.choose(BLACK, threading.Event()).report
    session.close()
    assert known > 200
    assert report.simulations <= 50
    assert report.visits == known + report.simulations
