"""`miai match` as users run it: on scripted engines, killed and continued, and on real ones."""

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from click.testing import Result

from miai.cli.match import command
from miai.engine.files import write_file
from miai.engine.go.sgf import load_game
from miai.match import results
from miai.match.results import GameResult
from miai.players.options import GameOptions, resolve_options
from tests.commands import run_command
from tests.match.fake_engine import fake
from tests.processes import running_miai

GNUGO = "gnugo --mode gtp --level 0 --chinese-rules --capture-all-dead --play-out-aftermath"
FEW = ("--size", "7", "--parallel", "2", "--opening-window", "0", "1")
"""A quick match: openings are not evaluated."""


def match(*arguments: object) -> Result:
    """Run the command in this process."""
    return run_command(command, *arguments)


def read_results(folder: Path) -> list[GameResult]:
    return [GameResult.from_line(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_a_match_leaves_a_table_results_and_games(tmp_path: Path) -> None:
    ended = match(fake(), fake("resign"), "--games", 6, *FEW, "--output", tmp_path)
    assert ended.exit_code == 0, ended.output
    assert "games finished  6 of 6" in ended.stdout
    assert "100.0% (95% interval " in ended.stdout
    results = read_results(tmp_path)
    assert sorted(result.number for result in results) == [1, 2, 3, 4, 5, 6]
    for result in results:
        game, info = load_game(tmp_path / "games" / f"{result.number:04d}.sgf")
        assert len(game.moves) == len(result.moves)
        assert info.result == result.result
        assert info.black == (fake() if result.black == "A" else fake("resign"))
    first, second = (next(r for r in results if r.number == number) for number in (1, 2))
    assert first.moves[: first.opening_length] == second.moves[: second.opening_length]


def test_json_holds_what_the_table_says(tmp_path: Path) -> None:
    ended = match(fake(), fake("A1 A1"), "--games", 4, *FEW, "--output", tmp_path, "--openings", "none", "--json")
    record = json.loads(ended.stdout)
    assert record["forfeits"] == 4
    assert record["sides"]["B"]["failures"] == {"crash": 0, "timeout": 0, "illegal": 4, "error": 0}
    assert record["score"] is None
    assert record["score_with_forfeits"]["value"] == 1.0


def test_games_longer_than_allowed_are_void(tmp_path: Path) -> None:
    few = ("--games", 2, *FEW, "--openings", "none", "--output", tmp_path)
    ended = match(fake("A1 A2 A3"), fake("G1 G2 G3"), *few, "--max-moves", 3)
    assert ended.exit_code == 0, ended.output
    for result in read_results(tmp_path):
        assert (result.winner, result.result, len(result.moves)) == (None, "Void", 3)
        assert result.reason == "move limit of 3 reached"


def test_a_move_that_does_not_come_in_time_loses_its_game(tmp_path: Path) -> None:
    few = ("--games", 2, *FEW, "--openings", "none", "--output", tmp_path)
    ended = match(fake("hang"), fake("hang"), *few, "--move-timeout", 0.5, "--json")
    sides = json.loads(ended.stdout)["sides"]
    assert [sides[side]["failures"]["timeout"] for side in ("A", "B")] == [1, 1]
    for result in read_results(tmp_path):
        assert (result.failed_side, result.result) == (result.black, "W+Forfeit")
        assert "no answer within 0.5 seconds to 'genmove black'" in result.reason


def test_what_the_engines_are_told_of_time_stands_in_the_settings(tmp_path: Path) -> None:
    match(fake(), fake(), "--games", 2, *FEW, "--output", tmp_path, "--time-per-move", 2)
    game = json.loads((tmp_path / "settings.json").read_text())["game"]
    assert (game["time_per_move"], game["time_settings"], game["move_timeout"]) == (2, None, 300.0)


def test_a_longer_match_continues_a_shorter_one(tmp_path: Path) -> None:
    words = (fake(), fake(), *FEW, "--output", tmp_path)
    match(*words, "--games", 4)
    before = (tmp_path / "results.jsonl").read_text()
    ended = match(*words, "--games", 8)
    assert "which holds 4 games" in ended.stderr
    assert (tmp_path / "results.jsonl").read_text().startswith(before)
    assert len(read_results(tmp_path)) == 8
    assert "games finished  4 of 4" in match(*words, "--games", 4).stdout


def test_without_output_the_same_command_finds_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    match(fake(), fake(), "--games", 2, *FEW)
    match(fake(), fake(), "--games", 2, *FEW)
    match(fake(), fake(), "--games", 2, *FEW, "--komi", 5.5)
    folders = sorted((tmp_path / "matches").iterdir())
    assert [len(read_results(folder)) for folder in folders] == [2, 2]


def test_what_a_config_file_says_of_the_game_holds_for_both(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("preset = 'fuego'\nsimulations = 1\nmemory = 16\nsize = 5\nkomi = 1.5\nrules = 'chinese'\n")
    few = ("--games", 2, *FEW[2:], "--output", tmp_path / "match")
    ended = match(file, "fuego:simulations=1,memory=16,komi=1.5", *few)
    assert ended.exit_code == 0, ended.output
    assert "5x5, komi 1.5, chinese" in ended.stdout
    game, _ = load_game(tmp_path / "match" / "games" / "0001.sgf")
    assert (game.size, game.komi, game.rules.has_superko) == (5, 1.5, False)
    for side in ("A", "B"):
        assert resolve_options(config=tmp_path / "match" / f"{side}.toml")[1] == GameOptions(5, 1.5, "chinese")
    for words, message in (
        ((file, "fuego", "--komi", 7), f"komi: the command line says 7, '{file}' says 1.5"),
        ((file, "fuego", "--rules", "cgos"), f"rules: the command line says cgos, '{file}' says chinese"),
        (("fuego:size=7", file), f"size: 'fuego:size=7' says 7, '{file}' says 5"),
    ):
        refused = match(*words, *few)
        assert refused.exit_code == 2
        assert message.replace(" ", "") in "".join(refused.stderr.split())


def test_a_folder_of_another_match_is_refused(tmp_path: Path) -> None:
    match(fake(), fake(), "--games", 2, *FEW, "--output", tmp_path)
    ended = match(fake(), fake(), "--games", 2, *FEW, "--output", tmp_path, "--komi", 5.5)
    assert ended.exit_code == 1
    assert "holds a match with other settings" in ended.stderr


def test_a_sequential_test_stops_the_match_and_stays_decided(tmp_path: Path) -> None:
    words = (fake(), fake("resign"), "--games", 400, *FEW, "--parallel", 1, "--output", tmp_path, "--sprt", 0, 200)
    ended = match(*words)
    assert "accepted 200 Elo" in ended.stdout
    num_games = len(read_results(tmp_path))
    assert num_games < 100
    assert "accepted 200 Elo" in match(*words).stdout
    assert len(read_results(tmp_path)) == num_games


def test_a_sequential_test_that_may_err_more_often_decides_sooner(tmp_path: Path) -> None:
    words = (fake(), fake("resign"), "--games", 400, *FEW, "--parallel", 1, "--sprt", 0, 200)
    numbers = []
    for name, risks in (("default", ()), ("alpha", ("--alpha", 0.4)), ("both", ("--alpha", 0.4, "--beta", 0.4))):
        ended = match(*words, *risks, "--output", tmp_path / name)
        assert "accepted 200 Elo" in ended.stdout
        numbers.append(len(read_results(tmp_path / name)))
    assert numbers[0] > numbers[1] > numbers[2], numbers


def test_a_sequential_test_goes_on_after_a_kill(tmp_path: Path) -> None:
    words = [fake(delay=0.1), fake("resign", delay=0.1), "--games", "60", *FEW, "--sprt", "0", "200"]
    words += ["--output", str(tmp_path)]
    with running_miai("match", *words):
        wait_for_games(tmp_path, 2)
    before = (tmp_path / "results.jsonl").read_text()
    ended = match(*words)
    assert "accepted 200 Elo" in ended.stdout
    assert (tmp_path / "results.jsonl").read_text().startswith(before)
    assert len(read_results(tmp_path)) < 60


def test_openings_come_from_files(tmp_path: Path) -> None:
    for name, moves in (("one", ";B[dd];W[ce]"), ("two", ";B[dd];W[cc];B[ee]")):
        (tmp_path / f"{name}.sgf").write_text(f"(;GM[1]FF[4]SZ[7]{moves})")
    openings = [word for name in ("one", "two") for word in ("--openings", tmp_path / f"{name}.sgf")]
    words = (fake(), fake(), "--games", 4, *FEW, *openings)
    assert match(*words, "--output", tmp_path / "all").exit_code == 0
    assert {tuple(r.moves[:-2]) for r in read_results(tmp_path / "all")} == {("D4", "C3"), ("D4", "C5", "E3")}
    ended = match(*words, "--output", tmp_path / "short", "--opening-plies", 1)
    assert "is the same opening as" in ended.stderr
    (tmp_path / "one.sgf").write_text("(;GM[1]FF[4]SZ[9];B[dd])")
    assert "is a game on 9x9, and the match is on 7x7" in match(*words).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fuegi", "fuego"), "neither a preset"),
        (("fuego", "fuego", "--games", 3), "must be even"),
        (("fuego", "fuego", "--opening-plies", "4-2"), "4, or a range such as 2-4"),
        (("fuego", "fuego", "--opening-plies", "1", "--games", 40, "--opening-window", 0, 1), "at most 12 games"),
        (("fuego", "fuego", "--opening-window", 0.6, 0.4), "must be below"),
        (("fuego", "fuego", "--opening-window", 0.4, 1.1), "0.0<=x<=1.0"),
        (("fuego", "fuego", "--sprt", 5, 0), "must be below"),
        (("fuego", "fuego", "--time-settings", 0, 0, 0), "must not both be zero"),
        (("fuego", "fuego", "--komi", "nan"), "komi"),
        (("fuego", "fuego", "--openings", "none", "--openings", "x.sgf"), "not both"),
        (("fuego", "fuego", "--openings", "nowhere.sgf"), "nowhere.sgf"),
        (("fuego", "fuego", "--rules", "japanese"), "tromp-taylor"),
        (("fuego", "fuego", "--time-per-move", 2, "--time-settings", 60, 0, 0), "time-per-move: time-settings tells"),
        (("fuego", "fuego", "--openings", "none", "--opening-window", 0.4, 0.6), "only generated openings are judged"),
        (("fuego", "fuego", "--openings", "none", "--opening-plies", 4), "the empty board has no moves"),
        (("fuego", "fuego", "--openings", "x.sgf", "--opening-plies", "2-4"), "cut after a number of moves"),
    ],
)
def test_what_makes_no_sense_is_named(arguments: Sequence[object], words: str) -> None:
    ended = match(*arguments)
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())


def test_an_engine_that_cannot_play_ends_the_match_with_its_last_words(tmp_path: Path) -> None:
    broken = shlex.join([sys.executable, "-c", "import sys; sys.exit('no licence')"])
    ended = match(broken, fake(), "--games", 2, *FEW, "--output", tmp_path / "new" / "match")
    assert ended.exit_code == 1
    assert "engine A cannot play" in ended.stderr
    assert "no licence" in ended.stderr
    assert os.listdir(tmp_path) == []


def test_a_match_of_before_adjudication_goes_on(tmp_path: Path) -> None:
    words = (fake(), fake(), *FEW, "--output", tmp_path)
    match(*words, "--games", 2)
    file = tmp_path / "settings.json"
    settings = json.loads(file.read_text())
    assert settings["game"].pop("adjudicate") is False
    file.write_text(json.dumps(settings))
    assert match(*words, "--games", 4).exit_code == 0
    assert "adjudicate" in match(*words, "--games", 4, "--adjudicate").stderr


@pytest.mark.parametrize("failing", ["games", "results"])
def test_a_full_disk_ends_the_match_in_a_line_and_it_goes_on_later(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (fake(), fake("resign"), "--games", 4, *FEW, "--parallel", 1, "--output", tmp_path / "match")
    num_written = 0

    def fail_later() -> None:
        nonlocal num_written
        num_written += 1
        if num_written > 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    def write_game(path: Path, content: bytes) -> None:
        fail_later()
        write_file(path, content)

    def sync(descriptor: int) -> None:
        file = tmp_path / "match" / "results.jsonl"
        if file.exists() and os.path.samestat(os.fstat(descriptor), file.stat()):
            fail_later()

    with monkeypatch.context() as patch:
        if failing == "games":
            patch.setattr(results, "write_file", write_game)  # of the settings first
        else:
            patch.setattr(os, "fsync", sync)
        ended = match(*words)
    assert ended.exit_code == 1
    assert "No space left on device; game " in ended.stderr and "the same command plays it again" in ended.stderr
    assert match(*words).exit_code == 0
    assert sorted(result.number for result in read_results(tmp_path / "match")) == [1, 2, 3, 4]


def running_match(folder: Path, games: int) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run a match that takes some seconds as a process of its own."""
    words = [fake(delay=0.1), fake(delay=0.1), "--games", str(games), *FEW, "--output", str(folder)]
    return running_miai("match", *words)


def wait_for_games(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        file = folder / "results.jsonl"
        if file.exists() and file.read_bytes().count(b"\n") >= number:
            return
        time.sleep(0.02)
    raise AssertionError("the match does not get on")


def test_a_killed_match_continues_where_it_was(tmp_path: Path) -> None:
    with running_match(tmp_path, 16):
        wait_for_games(tmp_path, 4)
    before = (tmp_path / "results.jsonl").read_text()
    assert before.count("\n") < 16
    with running_match(tmp_path, 16) as process:
        table, log = process.communicate(timeout=60)
    assert process.returncode == 0, log
    assert "games finished  16 of 16" in table
    assert (tmp_path / "results.jsonl").read_text().startswith(before)
    assert sorted(result.number for result in read_results(tmp_path)) == list(range(1, 17))


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_prints_its_table(tmp_path: Path, signal_number: int) -> None:
    with running_match(tmp_path, 200) as process:
        wait_for_games(tmp_path, 3)
        process.send_signal(signal_number)
        table, log = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f"games finished  {len(read_results(tmp_path))} of 200" in table
    assert "the same command continues the match" in log
    assert "Traceback" not in log


@pytest.mark.gnugo
@pytest.mark.skipif(shutil.which("gnugo") is None, reason="gnugo is not installed")
def test_gnu_go_plays_itself(tmp_path: Path) -> None:
    ended = match(GNUGO, GNUGO + " --never-resign", "--games", 2, "--output", tmp_path, "--json")
    record = json.loads(ended.stdout)
    assert record["total"]["wins"] + record["total"]["draws"] + record["total"]["losses"] == 2
    assert record["sides"]["A"]["name"].startswith("GNU Go")
    assert record["sides"]["A"]["winner_disputes"] == record["sides"]["A"]["score_disputes"] == 0
    assert record["moves_per_game"] > 20


@pytest.mark.gnugo
@pytest.mark.skipif(shutil.which("gnugo") is None, reason="gnugo is not installed")
def test_miai_plays_gnu_go(tmp_path: Path) -> None:
    ended = match(
        "fuego:simulations=50,memory=16", GNUGO, "--games", 2, "--parallel", 1, "--output", tmp_path, "--json"
    )
    record = json.loads(ended.stdout)
    assert record["finished"] == 2
    assert record["forfeits"] == 0, [result.reason for result in read_results(tmp_path)]
    assert 0 < record["sides"]["A"]["simulations_per_move"] <= 50
