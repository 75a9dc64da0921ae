"""`miai cgos` against a small server: whole games, cuts, refusals, nonsense, clocks."""

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from miai.cgos import client
from miai.cgos.settings import PASSWORD_VARIABLE
from miai.cli.cgos import command
from miai.engine.go.sgf import load_game
from tests.cgos.house import PASSWORD, House, HouseGame, at_random
from tests.commands import run_command
from tests.match.fake_engine import fake

MIAI = "uct-random:simulations=20,memory=16"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "password").write_text(PASSWORD + "\n")
    (tmp_path / "password").chmod(0o600)
    waits = client.CgosClient.__init__.__defaults__
    monkeypatch.setattr(client.CgosClient.__init__, "__defaults__", (*waits[:-1], 0.05))


@pytest.fixture
def houses() -> Iterator[list[House]]:
    """Servers to be closed after the test."""
    opened: list[House] = []
    yield opened
    for house in opened:
        house.close()


def write_config(house: House | None, player: str, **others: Any) -> Path:
    """Write the settings of a player."""
    port = house.port if house else 1
    values = {"server": "127.0.0.1", "port": port, "name": "miai-test", "player": player, "size": 5, "lag": 0.2}
    values |= {"password_file": "password"} | others
    path = Path("cgos.toml")
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items() if value is not None))
    return path


def cgos(*arguments: object) -> Result:
    """Run the command in this process."""
    return run_command(command, *arguments)


def read_games() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("cgos/results.jsonl").read_text().splitlines()]


def check_records(house: House) -> None:
    """Check that what was kept is what was played."""
    for played, line in zip(house.games, read_games(), strict=True):
        game, info = load_game(Path("cgos/games") / f"{played.number}.sgf")
        assert [move for _, move in game.moves] == [move for _, move in played.game.moves]
        assert line["result"] == played.result.partition(" ")[0]
        assert line["moves"] == len(played.moves)
        assert {info.black, info.white} == {"house", "miai-test"}
        assert (game.size, game.komi, info.event) == (house.size, house.komi, "CGOS")


def test_three_games_are_played_and_kept(houses: list[House]) -> None:
    houses.append(house := House(num_games=5, policy=at_random(1)))
    ended = cgos(write_config(house, MIAI), "--games", 3)
    assert ended.exit_code == 0, ended.output
    assert len(house.games) == 3
    check_records(house)
    assert house.received[0].startswith("e1 miai ") and house.received[0].endswith(" genmove_analyze")
    assert house.received[-1] == "quit"
    assert house.analyses and all(0.0 <= told["winrate"] <= 1.0 for told in house.analyses)
    assert [line["color"] for line in read_games()] == ["black", "white", "black"]
    sgf = Path("cgos/games/1.sgf").read_text()
    assert "BL[" in sgf and "WR[1800?]" in sgf and "TM[60]" in sgf and re.search(r"RE\[[BW]\+", sgf)
    assert "left after 3 games" in ended.stderr


def test_a_game_that_nobody_wins_is_drawn(houses: list[House]) -> None:
    houses.append(house := House(komi=0.0))
    ended = cgos(write_config(house, fake()), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert "game 1 is drawn: Draw; " in ended.stderr
    (line,) = read_games()
    assert line["won"] is None
    assert load_game(Path("cgos/games/1.sgf"))[1].result == "0"
    check_records(house)


def test_any_program_plays(houses: list[House]) -> None:
    houses.append(house := House(num_games=1, takes_analysis=False))
    ended = cgos(write_config(house, fake("C3 B2 D4")), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert [move for move, _ in house.games[0].moves] == ["C3", "pass", "B2", "pass", "D4", "pass", "pass"]
    assert house.received[0].split()[-1] != "genmove_analyze"
    check_records(house)


def test_where_the_server_offers_no_analysis_none_is_sent(houses: list[House]) -> None:
    houses.append(house := House(takes_analysis=False, policy=at_random(2)))
    assert cgos(write_config(house, MIAI), "--games", 1).exit_code == 0
    assert not house.received[0].endswith("genmove_analyze")
    assert house.analyses == []


def test_a_game_goes_on_wherever_the_connection_is_cut(houses: list[House]) -> None:
    cuts = [(1, 0, "before"), (1, 4, "after"), (1, 5, "answer"), (2, 1, "after"), (2, 3, "before"), (3, 7, "answer")]
    houses.append(house := House(num_games=3, policy=at_random(3), cuts=cuts))
    ended = cgos(write_config(house, MIAI), "--games", 3)
    assert ended.exit_code == 0, ended.output
    assert house.num_logins == 1 + len(cuts)
    assert not any("Time" in game.result or "Illegal" in game.result for game in house.games)
    check_records(house)
    assert [line["reconnections"] for line in read_games()] == [3, 2, 1]
    assert "goes on after 4 moves" in ended.stderr


def test_an_answer_that_was_lost_is_given_again_without_a_second_thought(houses: list[House]) -> None:
    houses.append(house := House(cuts=[(1, 0, "after"), (1, 2, "after")]))
    ended = cgos(write_config(house, fake("C3 B2", delay=0.5)), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert [move for move, _ in house.games[0].moves][:3] == ["C3", "pass", "B2"]
    assert "anew" not in ended.stderr
    check_records(house)


def test_a_game_that_ended_without_us_is_let_go(houses: list[House], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_RETURN", 0.5)

    def give_up(house: House, game: HouseGame) -> None:
        if game.number == 1 and len(game.moves) == 2:
            game.result = "W+Time"
            raise OSError

    houses.append(house := House(num_games=2, on_move=give_up))
    ended = cgos(write_config(house, fake("C3 B2")), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert "game 1: another game began; the server knows its result" in ended.stderr
    assert [line["game"] for line in read_games()] == ["2"]
    assert load_game(Path("cgos/games/1.sgf"))[1].result == "?"


def test_a_wrong_password_ends_it_in_a_line_and_stays_secret(houses: list[House]) -> None:
    houses.append(house := House())
    Path("password").write_text("not-this-one")
    ended = cgos(write_config(house, fake()))
    assert ended.exit_code == 1
    assert "the server refuses miai-test: Sorry, password doesn't match" in ended.stderr
    assert "not-this-one" not in ended.output + Path("cgos/cgos.log").read_text()
    assert "Traceback" not in ended.output


def test_the_log_has_all_that_was_said_but_the_password(houses: list[House]) -> None:
    houses.append(house := House(nonsense=[f"info your password is {PASSWORD}, is it not?"]))
    assert cgos(write_config(house, fake()), "--games", 1).exit_code == 0
    log = Path("cgos/cgos.log").read_text()
    assert PASSWORD not in log and "> (the password)" in log and "is …, is it not?" in log
    assert "< genmove b " in log and "> pass" in log
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [<>#] ", line) for line in log.splitlines())


def test_the_engine_does_not_inherit_the_password(houses: list[House], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    houses.append(house := House())
    assert cgos(write_config(house, fake(), password_file=None), "--games", 1).exit_code == 0
    assert PASSWORD_VARIABLE not in os.environ


NONSENSE = [
    "",
    "hello",
    "\x00\x01\x02",
    "infos about nothing",
    "ping 1 2 3",
    "info " + "x" * 5000,
    "\N{SNOWMAN} " * 50,
]
FAULTS = [
    "setup",
    "setup 1 5 7.0 1000 a(1) b(2)",
    "setup ../../x 5 7.0 60000 house(1) miai-test(2)",
    "setup 1 500 7.0 60000 house(1) miai-test(2)",
    "setup 1 5 nan 60000 house(1) miai-test(2)",
    "setup 1 5 7.0 soon house(1) miai-test(2)",
    "setup 1 5 7.0 60000 house(1) miai-test(2) C3",
    "setup 1 5 7.0 60000 house(1) miai-test(2) C3 1 C3 1",
    "setup 1 5 7.0 60000 house(1) miai-test(2) Z9 1",
    "genmove b 1000",
    "genmove purple 1000",
    "play w C3 1000",
    "gameover",
    "gameover today",
    "x" * 100_000,
]


def test_lines_that_mean_nothing_are_passed_over(houses: list[House]) -> None:
    houses.append(house := House(nonsense=NONSENSE))
    ended = cgos(write_config(house, fake("C3")), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert house.num_logins == 1
    check_records(house)


@pytest.mark.parametrize("line", FAULTS, ids=lambda line: line[:60])
def test_a_line_that_is_wrong_ends_the_connection_and_the_next_one_goes_well(line: str, houses: list[House]) -> None:
    houses.append(house := House(nonsense=[line]))
    ended = cgos(write_config(house, fake("C3")), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert house.num_logins == 2
    assert "trying again" in ended.stderr
    check_records(house)


def test_a_server_that_says_nothing_is_asked_again(houses: list[House], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_SILENCE_AT_LOGIN", 0.5)
    houses.append(house := House(is_mute=True))
    ended = cgos(write_config(house, fake("C3")), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert "the server said nothing for 0.5 seconds" in ended.stderr
    check_records(house)


@pytest.mark.parametrize("house_of_fools", [{"greeting": "genmove b 1"}, {"nonsense": ["play me D4 5"]}])
def test_a_server_of_nothing_but_nonsense_is_left(house_of_fools: dict[str, Any], houses: list[House]) -> None:
    houses.append(house := House(**house_of_fools, nonsense_once=False))
    ended = cgos(write_config(house, fake()))
    assert ended.exit_code == 1
    assert "does not speak CGOS's protocol" in ended.stderr
    assert "Traceback" not in ended.output


def test_random_bytes_never_end_in_a_traceback(houses: list[House]) -> None:
    words = ["setup", "play", "genmove", "gameover", "info", "b", "1", "-7", "C3", "a(b", "\x7f", "1e999", "protocol"]
    stream = random.Random(5)
    for _ in range(6):
        lines = [" ".join(stream.choices(words, k=stream.randrange(1, 9))) for _ in range(30)]
        houses.append(house := House(nonsense=lines))
        ended = cgos(write_config(house, fake("C3")), "--games", 1)
        assert ended.exit_code in (0, 1)
        assert "Traceback" not in ended.output


def test_an_illegal_move_is_reported_and_after_three_games_it_ends(houses: list[House]) -> None:
    houses.append(house := House(num_games=5))
    ended = cgos(write_config(house, fake("C3 C3")))
    assert ended.exit_code == 1
    assert "W+Illegal" in ended.stderr and "move:C3" in ended.stderr
    assert "illegal moves in 3 games in a row" in ended.stderr
    game, info = load_game(Path("cgos/games/1.sgf"))
    assert len(game.moves) == 2 and info.result == "W+F" and "Illegal move" in info.comments[2]


def test_an_engine_that_crashes_is_started_anew_and_one_that_cannot_play_resigns(houses: list[House]) -> None:
    houses.append(house := House(num_games=9))
    ended = cgos(write_config(house, fake("C3 crash")))
    assert ended.exit_code == 1
    assert "the engine failed at move 3" in ended.stderr
    # A scripted engine begins its script again when it is started anew: C3 is then its answer to move 3.
    assert house.games[0].result.startswith("W+Illegal")
    houses.append(house := House(num_games=9))
    ended = cgos(write_config(house, fake("crash"), folder="other"))
    assert [game.result for game in house.games] == ["W+Resign", "B+Resign", "W+Resign"]
    assert "in 3 games in a row" in ended.stderr


def test_the_clock_is_kept_though_the_way_is_long(houses: list[House]) -> None:
    houses.append(house := House(num_games=2, seconds=6.0, lag=0.03, policy=at_random(4)))
    ended = cgos(write_config(house, "uct-random:memory=16", lag=1.0), "--games", 2)
    assert ended.exit_code == 0, ended.output
    assert not any("Time" in game.result for game in house.games), ended.output
    assert max(6.0 - game.left[game.color] for game in house.games) > 1.0
    check_records(house)


def test_a_login_elsewhere_ends_it(houses: list[House]) -> None:
    houses.append(house := House(nonsense=["info another login is being attempted using this user name"]))
    ended = cgos(write_config(house, fake()))
    assert ended.exit_code == 1
    assert "somebody else has logged in as miai-test" in ended.stderr


def test_two_games_of_one_number_are_both_kept(houses: list[House]) -> None:
    for player in (fake("C3"), fake("B2 C3")):
        houses.append(house := House())
        assert cgos(write_config(house, player), "--games", 1).exit_code == 0
    assert [len(load_game(Path("cgos/games") / name)[0].moves) for name in ("1.sgf", "1-2.sgf")] == [3, 5]
