"""What a session keeps from command to command."""

import threading
from pathlib import Path

from miai.engine.go.points import BLACK, PASS, RESIGN
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import PlayerOptions
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer


def test_a_seed_reaches_the_players_of_all_levels_also_those_made_later() -> None:
    made: list[FakePlayer] = []

    def make_player(options: PlayerOptions) -> FakePlayer:
        made.append(FakePlayer(options))
        return made[-1]

    session = Session(make_player=make_player)
    assert session.player is made[0]
    session.set_seed(5)
    session.strength = 3
    assert session.player is made[1]
    session.set_seed(6)
    assert [player.seeds for player in made] == [[5, 6], [5, 6]]


def test_a_seed_begins_the_same_stream_whenever_it_is_set() -> None:
    player = FakePlayer()
    session = Session(make_player=lambda options: player)
    games = []
    for _ in range(2):
        session.set_seed(5)
        before = player.num_games
        session.choose(BLACK, None)
        games.append(player.num_games - before)
    assert games == [1, 1]


def test_a_level_that_draws_its_moves_does_not_go_on_from_an_analysis() -> None:
    made: list[FakePlayer] = []

    def make_player(options: PlayerOptions) -> FakePlayer:
        made.append(FakePlayer(options))
        return made[-1]

    session, stop = Session(make_player=make_player), threading.Event()
    for strength, forgotten in ((1, 1), (10, 0)):
        session.strength = strength
        stop.set()
        session.analyze(BLACK, stop, lambda report: None, 0.0)
        assert made[-1].num_forgotten == forgotten


def test_a_cleanup_move_and_its_judging_share_the_time_of_a_move_and_the_clock_is_charged_for_both() -> None:
    for move, judges in ((PASS, True), (RESIGN, True), (12, False)):
        player = FakePlayer(decisions=[move], seconds=0.05)
        session = Session(PlayerOptions(time=1.0), make_player=lambda options, player=player: player)
        spent: list[float] = []
        session.clock.spend = lambda color, seconds, spent=spent: spent.append(seconds)  # type: ignore[method-assign]
        assert session.choose_cleanup(BLACK, threading.Event()) == (move, {})
        assert [budget.seconds for budget in player.budgets] == [0.25]
        assert len(player.judging_seconds) == judges
        assert all(0.5 <= seconds <= 0.95 for seconds in player.judging_seconds)
        assert len(spent) == 1 and spent[0] >= 0.05


def test_without_a_limit_of_time_a_cleanup_move_is_judged_without_one() -> None:
    player = FakePlayer(decisions=[PASS])
    session = Session(PlayerOptions(simulations=10), make_player=lambda options: player)
    session.choose_cleanup(BLACK, threading.Event())
    assert player.judging_seconds == [None]


def test_what_a_board_or_a_level_needs_is_compiled_before_a_clock_runs(tmp_path: Path) -> None:
    small = tmp_path / "three by three.sgf"
    small.write_text("(;SZ[3];B[bb])")
    prepared: list[tuple[float, int]] = []
    session = Session(
        PlayerOptions(evaluator="playouts", select="uct"),
        make_player=FakePlayer,
        prepare=lambda options, size: prepared.append((options.temperature, size)),
    )
    with Conversation(engine_loop(session)) as engine:
        for line, wanted in (
            ("boardsize 7", (0.0, 7)),
            ("level 9", (1.1, 7)),
            ("boardsize 5", (1.1, 5)),
            (f"loadsgf {small}", (1.1, 3)),
        ):
            assert engine.ask(line) == "=\n\n"
            assert prepared[-1] == wanted
        engine.ask("level 9")
    assert len(prepared) == 4
