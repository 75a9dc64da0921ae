"""Games between scripted engines: who wins, who forfeits, what is void."""

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE, move_at
from miai.match.engines import Engine
from miai.match.match_clock import MatchTimeSettings
from miai.match.referee import GameSettings, PlayedGame, Referee, proven_winner
from miai.match.schedule import ScheduledGame
from tests.match.fake_engine import FakeEngine


@contextmanager
def seat(**fakes: FakeEngine) -> Iterator[dict[str, Engine]]:
    """Give scripted engines to sides A and B."""
    engines = {side: Engine(side, fake.start) for side, fake in fakes.items()}
    try:
        yield engines
    finally:
        for engine in engines.values():
            engine.close()


def conduct(a: FakeEngine, b: FakeEngine, opening: str = "", black: str = "A", **settings: object) -> PlayedGame:
    """Play one game on 5x5, or as the settings say."""
    chosen = GameSettings(**{"size": 5, "komi": 0.5, "move_timeout": 5.0, **settings})  # type: ignore[arg-type]
    moves = tuple(move_at(vertex, chosen.size) for vertex in opening.split())
    with seat(A=a, B=b) as engines:
        return Referee(ScheduledGame(1, black, moves), engines, chosen).conduct()


def test_two_passes_end_the_game_and_the_referee_counts() -> None:
    played = conduct(FakeEngine(["C3"], final_score="B+24.5"), FakeEngine(final_score="W+3"))
    result = played.result
    assert (result.winner, result.result, result.ending) == ("A", "B+24.5", "score")
    assert result.moves == ["C3", "pass", "pass"]
    assert result.claimed_results == {"A": "B+24.5", "B": "W+3"}
    assert result.is_counted


def test_stones_left_on_the_board_are_alive() -> None:
    # White's lone stone inside Black's area was not captured: the area around both is nobody's.
    result = conduct(FakeEngine(["C3"]), FakeEngine(["A1"])).result
    assert result.result == "W+0.5"
    assert result.winner == "B"


@pytest.mark.parametrize(
    ("dead_by_a", "dead_by_b", "expected"),
    [
        ("A1", "A1", "B+24.5"),
        ("", "", "W+0.5"),
        ("A1", None, "B+24.5"),  # who does not tell leaves the word to the other
        (None, None, "W+0.5"),
        ("A1", "Z9 what", "B+24.5"),
        ("A1", "B5", "B+24.5"),  # no stone is there
    ],
)
def test_stones_that_both_call_dead_are_taken_off_by_chinese_rules(
    dead_by_a: str | None, dead_by_b: str | None, expected: str
) -> None:
    a, b = FakeEngine(["C3"], dead=dead_by_a), FakeEngine(["A1"], dead=dead_by_b)
    assert conduct(a, b, rules="chinese").result.result == expected
    assert conduct(a, b, rules="tromp-taylor").result.result == "W+0.5"


def test_a_game_is_void_if_the_engines_differ_on_dead_stones() -> None:
    result = conduct(FakeEngine(["C3"], dead="A1"), FakeEngine(["A1"], dead=""), rules="chinese").result
    assert (result.winner, result.result, result.ending) == (None, "Void", "void")
    assert result.reason == "the engines differ on whether these stones are dead: A1"


def test_an_equal_score_is_a_draw() -> None:
    result = conduct(FakeEngine(), FakeEngine(), komi=0.0).result
    assert (result.winner, result.result, result.ending) == ("draw", "0", "score")


def test_colours_follow_the_schedule() -> None:
    result = conduct(FakeEngine(), FakeEngine(["C3"]), black="B").result
    assert (result.winner, result.result, result.black) == ("B", "B+24.5", "B")


def test_resigning_loses() -> None:
    result = conduct(FakeEngine(["C3", "RESIGN"]), FakeEngine()).result
    assert (result.winner, result.result, result.ending) == ("B", "W+Resign", "resignation")
    assert result.moves == ["C3", "pass"]


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (["crash"], "crash", "the engine ended"),
        (["refuse"], "error", "refused 'genmove white': cannot"),
        (["babble"], "error", "not a GTP reply"),
        (["C3"], "illegal", "move 2, 'C3': "),
        (["Z9"], "illegal", "no point of a 5x5 board"),
        ([""], "illegal", "move 2, ''"),
    ],
)
def test_an_engine_that_fails_forfeits(script: list[str], kind: str, words: str) -> None:
    result = conduct(FakeEngine(["C3"]), FakeEngine(script)).result
    assert (result.winner, result.result, result.ending) == ("A", "B+Forfeit", "forfeit")
    assert (result.failed_side, result.failure) == ("B", kind)
    assert words in result.reason
    assert result.moves == ["C3"]
    assert not result.is_counted


def test_an_engine_that_does_not_answer_forfeits() -> None:
    result = conduct(FakeEngine(), FakeEngine(["hang"]), black="B", move_timeout=0.3).result
    assert (result.winner, result.result, result.ending) == ("A", "W+Forfeit", "forfeit")
    assert (result.failed_side, result.failure) == ("B", "timeout")
    assert "no answer within 0.3 seconds to 'genmove black'" in result.reason
    assert result.moves == [] and not result.is_counted


@pytest.mark.parametrize(
    ("fake", "words"),
    [
        (FakeEngine(["D4|D3|D2"]), r"on 'play black pass': a reply out of turn, '=(\d+) D3', where '=\d+' was due"),
        (FakeEngine(["D4/D3"]), r"on 'play black pass': a reply out of turn, '=(\d+) D3', where '=\d+' was due"),
        (FakeEngine(["D4\n\nwell"]), r"on 'play black pass': not a GTP reply: 'well'"),
        (FakeEngine(["D4|D3"], simulations=9), r"on 'gomill-explain_last_move': a reply out of turn, '=(\d+) D3'"),
        (FakeEngine(["D4", "pass/D3"]), r"on 'name': a reply out of turn, '=(\d+) D3'"),
        (FakeEngine(["resign/D3"]), r"on 'name': a reply out of turn, '=(\d+) D3'"),
        (FakeEngine(["D4", "pass|D3"], final_score="0"), r"on 'final_score': a reply out of turn, '=(\d+) D3'"),
        (FakeEngine(final_score="B+24.5|W+1"), r"on 'name': a reply out of turn, '=(\d+) W\+1'"),
    ],
)
def test_who_says_more_than_it_was_asked_forfeits_that_game_and_is_started_anew(fake: FakeEngine, words: str) -> None:
    settings = GameSettings(size=5, komi=0.5)
    with seat(A=FakeEngine(["C3"]), B=fake) as engines:
        for starts in (1, 2):
            result = Referee(ScheduledGame(1, "A", ()), engines, settings).conduct().result
            assert (result.result, result.failed_side, result.failure) == ("B+Forfeit", "B", "error")
            assert re.match(words, result.reason)
            assert fake.num_starts == starts


@pytest.mark.parametrize(
    ("fake", "words"),
    [
        (FakeEngine(greeting="Hello, I am Fake.\n"), "on 'name': not a GTP reply: 'Hello, I am Fake.'"),
        (FakeEngine(greeting="= ready\n\n"), "on 'name': a reply without the id of its command, '= ready', where '=1'"),
        (FakeEngine(echo=lambda number: ""), "on 'name': a reply without the id of its command, '= Fake', where '=1'"),
        (FakeEngine(echo=lambda number: "7"), "on 'name': a reply out of turn, '=7 Fake', where '=1' was due"),
    ],
)
def test_replies_bear_the_ids_of_their_commands(fake: FakeEngine, words: str) -> None:
    result = conduct(FakeEngine(["C3"]), fake).result
    assert (result.result, result.failed_side, result.failure) == ("B+Forfeit", "B", "error")
    assert result.reason.startswith(words)


def test_an_engine_that_counts_for_itself_is_found_out() -> None:
    replies = itertools.count(1)
    result = conduct(FakeEngine(["C3"]), FakeEngine(echo=lambda number: str(next(replies)))).result
    assert result.reason.startswith("on 'version': a reply out of turn, '=2 1', where '=")


def test_blank_lines_between_replies_are_no_fault() -> None:
    result = conduct(FakeEngine(["C3\n\n\n"], greeting="\n \n"), FakeEngine(["pass\n\n"])).result
    assert (result.result, result.ending) == ("B+24.5", "score")


def test_suicide_is_illegal() -> None:
    result = conduct(FakeEngine(["A2", "B1", "pass"]), FakeEngine(["pass", "A1"])).result
    assert (result.failed_side, result.failure) == ("B", "illegal")
    assert "suicide" in result.reason


def test_who_refuses_a_legal_move_forfeits() -> None:
    result = conduct(FakeEngine(["C3"]), FakeEngine(refuses=frozenset({"play"}))).result
    assert (result.failed_side, result.failure) == ("B", "error")
    assert "refused 'play black C3'" in result.reason


def test_a_game_without_end_is_void() -> None:
    passes_and_plays = [FakeEngine(["A1", "B2", "C3", "D4"]), FakeEngine(["E5", "E4", "E3", "E2"])]
    result = conduct(*passes_and_plays, max_moves=6).result
    assert (result.winner, result.result, result.ending) == (None, "Void", "void")
    assert result.reason == "move limit of 6 reached"
    assert len(result.moves) == 6
    assert not result.is_counted


def test_a_game_that_ends_with_its_last_allowed_move_counts() -> None:
    assert conduct(FakeEngine(["C3"]), FakeEngine(), max_moves=3).result.ending == "score"


def test_both_engines_are_told_the_opening_and_the_moves() -> None:
    a, b = FakeEngine(["B2"]), FakeEngine()
    played = conduct(a, b, opening="C3 D4", komi=7.0)
    assert played.result.opening_length == 2
    told = [command for command in b.received if not command.startswith(("name", "version", "list", "set_random"))]
    assert told[:-1] == [
        *("boardsize 5", "clear_board", "komi 7", "play black C3", "play white D4"),
        *("play black B2", "genmove white", "play black pass"),
    ]
    assert "play white pass" in a.received
    assert any(command.startswith("set_random_seed ") for command in a.received)


def test_effort_is_what_the_engines_spent() -> None:
    played = conduct(FakeEngine(["C3"], simulations=1_200, delay=0.02), FakeEngine())
    effort = played.result.efforts["A"]
    assert (effort.moves, effort.counted_moves, effort.simulations) == (2, 2, 2_400)
    assert 0.04 <= effort.seconds < 1.0
    assert effort.longest >= effort.seconds / 2
    assert played.result.efforts["B"].counted_moves == 0
    assert played.comments[1] == "simulations 1200, winrate 0.5"


def test_a_clock_is_told_and_overstepping_it_forfeits() -> None:
    slow = FakeEngine(["C3", "D4"], delay=0.8)
    result = conduct(slow, FakeEngine(), time_settings=MatchTimeSettings(1, 0, 0)).result
    assert (result.failed_side, result.failure) == ("A", "timeout")
    assert "overstepped its time by" in result.reason
    assert "time_settings 1 0 0" in slow.received
    assert slow.received.index("time_left black 1 0") < slow.received.index("genmove black")


def test_a_game_keeps_what_was_used_of_the_clocks() -> None:
    efforts = conduct(
        FakeEngine(["C3"], delay=0.2), FakeEngine(), time_settings=MatchTimeSettings(1, 0, 0)
    ).result.efforts
    assert efforts["A"].timed_games == efforts["B"].timed_games == 1
    assert efforts["A"].clock_shares >= 0.4 > efforts["B"].clock_shares
    assert efforts["A"].least_left == pytest.approx(1.0 - efforts["A"].clock_shares)


def test_time_per_move_is_told_as_one_stone_a_period() -> None:
    fake = FakeEngine()
    conduct(fake, FakeEngine(), time_per_move=2)
    assert "time_settings 0 2 1" in fake.received


def test_an_engine_lives_over_many_games_and_comes_back_after_a_crash() -> None:
    steady, fragile = FakeEngine(["C3"]), FakeEngine(["D4"], later_script=["crash"])
    settings = GameSettings(size=5, komi=0.5)
    with seat(A=steady, B=fragile) as engines:
        games = [Referee(ScheduledGame(n, "A", ()), engines, settings).conduct().result for n in (1, 2, 3, 4)]
    assert [game.failure for game in games] == [None, "crash", None, "crash"]
    assert steady.num_starts == 1
    assert fragile.num_starts == 2


def test_a_board_size_refused_forfeits_rather_than_stops() -> None:
    result = conduct(FakeEngine(), FakeEngine(refuses=frozenset({"boardsize"}))).result
    assert (result.failed_side, result.failure) == ("B", "error")


WALL = ["C1", "C2", "C3", "C4", "C5"]
"""Black's wall on 5x5, without eyes of its own."""


def proven(size: int, stones: dict[str, int], komi: float) -> int | None:
    game = Game(size, komi)
    game.set_up(stones, WHITE)
    return proven_winner(game)


def test_a_winner_is_proven_by_pass_alive_stones_and_territory_only() -> None:
    alive = dict.fromkeys([*WALL, "B2", "A2", "B4", "A4"], BLACK)  # eyes A1 B1, A3 B3, A5 B5
    assert proven(5, alive, 4.5) == BLACK  # 15 of 25 points are Black's for good
    assert proven(5, alive, 5.5) is None
    assert proven(5, dict.fromkeys(WALL, BLACK), 0.5) is None
    assert proven(5, dict.fromkeys(alive, WHITE), -4.5) == WHITE
    assert proven(5, {**alive, "A3": WHITE}, 4.5) == BLACK


def test_a_proven_game_ends_and_counts() -> None:
    black = ["C3", "C2", "C4", "C1", "C5", "B2", "A2", "B4", "A4"]
    white = ["pass"] * 20
    played = conduct(FakeEngine(black), FakeEngine(white), size=5, komi=0.5, adjudicate=True)
    assert (played.result.winner, played.result.result, played.result.ending) == ("A", "B+", "adjudication")
    assert played.result.is_counted
    assert len(played.game.moves) < 20
    assert conduct(FakeEngine(black), FakeEngine(white), size=5, komi=0.5).result.ending == "score"
