"""`miai round-robin` as users run it: on scripted engines, cut and continued."""

import csv
import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.cli.ratings import command as ratings
from miai.cli.round_robin import command
from miai.match.results import GameResult
from tests.cli.test_match import FEW, fake
from tests.commands import run_command
from tests.processes import running_miai

PLAYERS = (fake(), fake("resign"), fake("pass resign"))


def round_robin(*arguments: object) -> Result:
    """Run the command in this process."""
    return run_command(command, *arguments)


def read_results(folder: Path) -> dict[str, list[GameResult]]:
    """Return the games in the order of finishing, by the name of the pairing's folder."""
    return {
        file.parent.name: [GameResult.from_line(line) for line in file.read_text().splitlines()]
        for file in sorted(folder.glob("*/results.jsonl"))
    }


def test_a_round_robin_leaves_tables_results_and_games(tmp_path: Path) -> None:
    ended = round_robin(*PLAYERS, "--games", 4, *FEW, "--output", tmp_path)
    assert ended.exit_code == 0, ended.output
    assert "12 of 12 games finished" in ended.stdout
    results = read_results(tmp_path)
    assert [len(games) for games in results.values()] == [4, 4, 4]
    assert all((tmp_path / name / "games" / "0004.sgf").exists() for name in results)
    assert ended.stdout.strip() in (tmp_path / "ratings.md").read_text()
    rated = CliRunner().invoke(ratings, [str(tmp_path / name) for name in results])
    assert rated.exit_code == 0 and "12 games" in rated.output, rated.output
    record = json.loads((tmp_path / "ratings.json").read_text())
    last = record["contestants"][-1]
    assert (last["label"], last["name"], last["score"]) == (fake("resign"), "Fake 1", 0.0)


def test_all_pairings_play_the_same_openings_once_with_each_colour(tmp_path: Path) -> None:
    round_robin(*PLAYERS, "--games", 4, *FEW, "--output", tmp_path)
    openings = [
        sorted((game.number, game.black, tuple(game.moves[: game.opening_length])) for game in games)
        for games in read_results(tmp_path).values()
    ]
    assert openings[0] == openings[1] == openings[2]
    assert [opening for _, _, opening in openings[0]][::2] == [opening for _, _, opening in openings[0]][1::2]
    assert {(number, black) for number, black, _ in openings[0]} == {(1, "A"), (2, "B"), (3, "A"), (4, "B")}


def test_more_games_and_more_players_add_theirs_in_any_order(tmp_path: Path) -> None:
    words = ("--games", 2, *FEW, "--output", tmp_path)
    round_robin(*PLAYERS[:2], *words)
    before = read_results(tmp_path)
    ended = round_robin(*reversed(PLAYERS), *words)
    assert "which holds 2 games" in ended.stderr
    results = read_results(tmp_path)
    assert {name: len(games) for name, games in results.items()} == dict.fromkeys(results, 2)
    assert len(results) == 3
    assert before.items() <= results.items()
    assert "12 of 12 games finished" in round_robin(*PLAYERS, "--games", 4, *words[2:]).stdout
    assert "6 of 6 games finished" in round_robin(*PLAYERS, *words).stdout


def test_another_game_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    round_robin(*PLAYERS, "--games", 2, *FEW, "--output", tmp_path)
    ended = round_robin(*PLAYERS, "--games", 2, *FEW, "--output", tmp_path, "--komi", 5.5)
    assert ended.exit_code == 1
    assert "holds a match with other settings" in ended.stderr


def test_what_a_player_says_of_the_game_holds_for_all(tmp_path: Path) -> None:
    komi = "fuego:simulations=1,memory=16,komi=0.5"
    words = (fake(), fake("resign"), "--games", 2, *FEW, "--output", tmp_path)
    ended = round_robin(komi, *words)
    assert ended.exit_code == 0, ended.output
    assert "7x7, komi 0.5" in ended.stdout
    for players in ((komi, "--komi", 7), (komi, "fuego:komi=7")):
        refused = round_robin(*players, *words)
        assert refused.exit_code == 2
        assert "komi: " in refused.stderr and "allowed: the same game for all" in " ".join(refused.stderr.split())


def test_without_output_the_same_command_finds_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    round_robin(*PLAYERS, "--games", 2, *FEW)
    round_robin(*PLAYERS, "--games", 4, *FEW)
    (folder,) = (tmp_path / "matches").iterdir()
    assert [len(games) for games in read_results(folder).values()] == [4, 4, 4]


def test_a_player_that_crashes_ends_its_own_games_only(tmp_path: Path) -> None:
    crashing = fake("crash")
    ended = round_robin(fake(), fake("pass"), crashing, "--games", 14, *FEW, "--output", tmp_path)
    assert ended.exit_code == 1
    assert ended.stderr.count("were given up: engine ") == 2
    assert "failed in 10 games in a row" in ended.stderr
    assert "20 games were forfeited and left out" in ended.stdout
    counts = list(csv.DictReader((tmp_path / "pairings.csv").read_text().splitlines()))
    by_players = {frozenset((row["a"], row["b"])): row for row in counts}
    peaceful = by_players.pop(frozenset((fake(), fake("pass"))))
    assert sum(int(peaceful[name]) for name in ("a_wins", "draws", "b_wins")) == 14
    assert all(int(row["a_forfeits"]) + int(row["b_forfeits"]) == 10 for row in by_players.values())


def test_a_player_that_cannot_play_is_told_before_any_game(tmp_path: Path) -> None:
    broken = shlex.join([sys.executable, "-c", "import sys; sys.exit('no licence')"])
    ended = round_robin(fake(), fake("resign"), broken, "--games", 2, *FEW, "--output", tmp_path / "new")
    assert ended.exit_code == 1
    assert "cannot play" in ended.stderr
    assert "no licence" in ended.stderr
    assert not (tmp_path / "new").exists()


def test_the_anchor_can_be_named_by_how_it_begins(tmp_path: Path) -> None:
    words = (*PLAYERS, "--games", 2, *FEW, "--output", tmp_path, "--json", "--anchor")
    assert json.loads(round_robin(*words, fake("resign")).stdout)["anchor"] == fake("resign")
    assert json.loads(round_robin(*words, fake("pass")).stdout)["anchor"] == fake("pass resign")
    ended = round_robin(*words, sys.executable)
    assert "several players begin with" in ended.stderr


def test_a_budget_takes_the_place_of_all_but_what_follows_a_colon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text("simulations = 70\n")
    monkeypatch.setattr("miai.match.tournament.Tournament._check_engines", stop)
    players = ("strong", "fast", "fast:simulations=5", tmp_path / "mine.toml", fake())
    ended = round_robin(*players, "--time", 0.5, "--games", 2, *FEW, "--output", tmp_path / "games")
    assert ended.exit_code == 130
    settings = [json.loads(file.read_text()) for file in (tmp_path / "games").glob("*/settings.json")]
    found = {
        (side["miai"]["threads"], side["miai"]["simulations"], side["miai"]["time"])
        for record in settings
        for side in record["sides"].values()
        if "miai" in side
    }
    assert found == {(2, None, 0.5), (1, None, 0.5), (1, 5, 0.5)}
    assert len(settings) == 10


def stop(*_: object) -> None:
    """Do as if the user pressed Ctrl-C."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fuego",), "needs two players at least"),
        (("fuego", "uct", "fuego"), "'fuego' is named twice"),
        (("fuego", "fuegi"), "neither a preset"),
        (("fuego", "uct", "--anchor", "puct"), "there is no player 'puct' – did you mean 'uct'? (allowed: fuego, uct)"),
        (("fuego", "uct", "--simulations", 0), "simulations: '0' is not allowed"),
        (("fuego", "uct", "--time", "soon"), "time: 'soon' is not allowed"),
        (("fuego", "uct", "--games", 3), "must be even"),
    ],
)
def test_what_makes_no_sense_is_named(arguments: Sequence[object], words: str) -> None:
    ended = round_robin(*arguments)
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())


def running_round_robin(folder: Path, games: int) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run a round robin that takes some seconds as a process of its own."""
    players = [fake(delay=0.05), fake("B2", delay=0.05), fake("C3", delay=0.05)]
    return running_miai("round-robin", *players, "--games", str(games), *FEW, "--output", str(folder))


def wait_for_games(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if sum(file.read_bytes().count(b"\n") for file in folder.glob("*/results.jsonl")) >= number:
            return
        time.sleep(0.02)
    raise AssertionError("the round robin does not get on")


def test_a_killed_round_robin_continues_where_it_was(tmp_path: Path) -> None:
    with running_round_robin(tmp_path, 6):
        wait_for_games(tmp_path, 8)
    before = {file: file.read_text() for file in tmp_path.glob("*/results.jsonl")}
    assert sum(text.count("\n") for text in before.values()) < 18
    with running_round_robin(tmp_path, 6) as process:
        tables, log = process.communicate(timeout=60)
    assert process.returncode == 0, log
    assert "18 of 18 games finished" in tables
    assert all(file.read_text().startswith(text) for file, text in before.items())
    for games in read_results(tmp_path).values():
        assert sorted(game.number for game in games) == list(range(1, 7))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_round_robin_prints_its_tables(tmp_path: Path, signal_number: int) -> None:
    with running_round_robin(tmp_path, 40) as process:
        wait_for_games(tmp_path, 3)
        process.send_signal(signal_number)
        tables, log = process.communicate(timeout=60)
    assert process.returncode == 130
    num_games = sum(map(len, read_results(tmp_path).values()))
    assert f"{num_games} of 120 games finished" in tables
    assert "the same command continues the round robin" in log
    assert "Traceback" not in log
    assert tables.strip() in (tmp_path / "ratings.md").read_text()
