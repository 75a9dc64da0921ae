"""`miai tune` and `miai experiment tune-backup` as users run them: on real engines, killed and continued."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("botorch")
pytest.importorskip("matplotlib")

from miai.cli.experiments import tune_backup
from miai.cli.tune import command
from miai.experiments.catalogue import read_run
from tests.cli.test_match import fake
from tests.commands import run_command
from tests.processes import running_miai

FEW = ("--size", "5", "--opening-window", "0", "1", "--games", "4", "--test-games", "4", "--parallel", "2")
PLAYER = "uct-random:simulations=4,memory=16"
WORDS = (PLAYER, "--parameter", "uct.exploration=0.1:2:log", "--against", fake())


def tune(*arguments: object) -> Result:
    return run_command(command, *arguments)


def test_a_tuning_leaves_a_table_a_figure_and_games(tmp_path: Path) -> None:
    ended = tune(*WORDS, *FEW, "--points", 4, "--output", tmp_path)
    assert ended.exit_code == 0, ended.output
    table = (tmp_path / "table.md").read_text()
    assert table.startswith(f"# {PLAYER} tuned against") and "4 fresh games at the optimum: " in table
    assert f"The model's optimum is `{PLAYER},uct.exploration=" in table
    assert (tmp_path / "points.csv").read_text().startswith("point,uct.exploration,games,score,low,high,model,")
    assert len((tmp_path / "points.csv").read_text().splitlines()) == 5
    assert (tmp_path / "scores.svg").stat().st_size > 1000
    assert len(list(tmp_path.glob("points/*/games/*.sgf"))) == 16
    assert len(list(tmp_path.glob("optimum-004/games/*.sgf"))) == 4
    again = tune(*WORDS, *FEW, "--points", 4, "--output", tmp_path)
    assert again.exit_code == 0 and again.stdout == ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("net", "--parameter", "puct.c=0:1", "--against", "net"), "there is no tunable number 'puct.c'"),
        (
            ("net", "--parameter", "mix=0:2", "--against", "net"),
            "mix: '2' is not allowed (allowed: numbers from 0 to 1)",
        ),
        (("gnugoo", "--parameter", "mix=0:1", "--against", "net"), "'gnugoo' is neither a preset"),
        ((fake(), "--parameter", "mix=0:1", "--against", "net"), "is no player of miai's"),
        (("net", "--parameter", "mix=0:1", "--against", "nobody"), "'nobody' is neither a preset"),
        (("net", "--parameter", "mix=0:1"), "Missing option '--against'"),
        (("net", "--against", "net"), "Missing option '--parameter'"),
        (("net", "--parameter", "mix=0:1", "--against", "net", "--games", 3), "games: 3 is not allowed"),
        (("net", "--parameter", "mix=0:1", "--against", "net", "--games", 0), "games: 0 is not allowed"),
        (("net", "--parameter", "mix=0:1", "--against", "net", "--test-games", 5), "test-games: 5 is not allowed"),
        (("net", "--parameter", "mix=0:1", "--against", "net", "--points", 1), "1 is not in the range 2<=x<=1000"),
        (
            ("net", "--parameter", "mix=0:1", "--against", "net", "--workers", "gpu"),
            "'gpu' is not allowed (allowed: local",
        ),
        (("net:size=5", "--parameter", "mix=0:1", "--against", "net:size=7"), "(allowed: the same game for all)"),
    ],
)
def test_what_makes_no_sense_is_named_and_leaves_nothing(
    arguments: tuple[object, ...], message: str, tmp_path: Path
) -> None:
    ended = tune(*arguments, "--output", tmp_path / "new")
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())
    assert os.listdir(tmp_path) == []


def test_an_opponent_that_cannot_play_ends_it_in_a_line_and_leaves_nothing(tmp_path: Path) -> None:
    broken = f"{sys.executable} -c 1/0"
    ended = tune(*WORDS[:-1], broken, *FEW, "--output", tmp_path / "new")
    assert ended.exit_code == 1
    assert "engine B cannot play" in ended.stderr
    assert os.listdir(tmp_path) == []


def test_the_knots_of_the_paper_are_tuned_with_its_own_beside_them(tmp_path: Path) -> None:
    words = ["--rule", "monotone", "--simulations", "2", "--games", "2", "--points", "8", "--test-games", "4"]
    words += ["--parallel", "1", "--output", str(tmp_path)]
    ended = CliRunner().invoke(tune_backup.command, words)
    assert ended.exit_code == 0, ended.output
    table = (tmp_path / "table.md").read_text()
    assert "monotone.p5" in table and "Table 3 (-4, -4, -4, -10, -4, -4): 54.5 % in the paper" in table
    assert (tmp_path / "weights.svg").stat().st_size > 1000
    assert "9x9, komi 7, tromp-taylor, 2 simulations, fair openings, 2 games a point." in table
    assert "monotone.simulations=2" in table and "puct.c1=0," in table
    again = CliRunner().invoke(tune_backup.command, words)
    assert again.exit_code == 0 and again.stdout == ended.stdout

    run = read_run(tmp_path)
    assert run is not None
    (experiment,) = [one for one in tune_backup.experiments if one.recognizes(run.signature)]
    assert experiment.name == "tune-monotone"
    account = experiment.account_of(run)
    assert account.size == "8 points, 20 games"
    assert account.command == (
        "miai experiment tune-backup --rule monotone --simulations 2 --games 2 --points 8 --test-games 4"
    )
    (compared,) = account.parts.values()
    assert [one.printed for one in compared] == [53.1, 54.5]
    scores = [re.search(r"fresh games at the optimum.*?: ([\d.]+) ", text) for text in (table, account.table)]
    assert scores[0] and scores[1] and scores[0][1] == scores[1][1], "the report and the book say the same"
    account.figures["weights"](tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_a_ray_cluster_plays_the_pieces_of_knots(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = ["--rule", "softmax", "--simulations", "2", "--games", "2", "--points", "2", "--test-games", "4"]
    words += ["--output", str(tmp_path), "--workers", "ray:local"]
    command_line = [sys.executable, "-m", "miai", "experiment", "tune-backup", *words]
    ended = subprocess.run(command_line, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert len(list(tmp_path.glob("pieces/*.npz"))) == 3 and "4 fresh games" in ended.stdout


@pytest.mark.slow
def test_a_ray_cluster_plays_the_games(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [*WORDS, *FEW, "--points", "3", "--output", str(tmp_path), "--workers", "ray:local"]
    ended = subprocess.run([sys.executable, "-m", "miai", "tune", *words], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert len(list(tmp_path.glob("points/*/games/*.sgf"))) == 12 and "4 fresh games" in ended.stdout


def finished_games(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("results.jsonl") if file.stat().st_size}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a process group")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_tuning_that_is_killed_goes_on_with_all_games_that_were_finished(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "tuning"
    words = [*WORDS[:-1], fake(delay=0.05), *FEW, "--points", "4", "--output", str(folder)]
    with running_miai("tune", *words) as process:
        deadline = time.monotonic() + 300.0
        while process.poll() is None and sum(content.count(b"\n") for content in finished_games(folder).values()) < 6:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        _, told = process.communicate(timeout=120)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130), told
    if number != signal.SIGKILL:
        assert "interrupted: the same command continues the tuning" in told and "Traceback" not in told
        assert (folder / "table.md").exists()
    kept = finished_games(folder)
    assert len(kept) >= 2
    finished = tune(*words)
    assert finished.exit_code == 0, finished.stderr
    for file, content in kept.items():
        assert file.read_bytes().startswith(content[: content.rfind(b"\n") + 1])
    assert all(content.count(b"\n") == 4 for content in finished_games(folder).values())
    assert len(finished_games(folder)) == 5
    assert "4 fresh games at the optimum" in finished.stdout and not list(folder.rglob("*.part"))
