"""The programs in `examples/` run, with small settings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import miai

FOLDER = Path(__file__).resolve().parents[1] / "examples"


def run(folder: Path, name: str, *words: str, lines: str = "") -> str:
    """Run an example in a folder; return what it prints."""
    command = [sys.executable, FOLDER / f"{name}.py", *words]
    outcome = subprocess.run(command, cwd=folder, input=lines, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr[-2000:]
    return outcome.stdout


def test_the_bot_plays_and_refuses(tmp_path: Path) -> None:
    asked = ["1 boardsize 9", "komi 5.5", "play b E5", "play w E5", "2 genmove w", "komi x", "jump", "", "name", "quit"]
    replies = run(tmp_path, "bot", lines="\n".join([*asked, "name"])).split("\n\n")
    assert replies[:3] == ["=1 ", "= ", "= "]
    assert replies[3] == "? E5 is illegal: occupied"
    assert re.fullmatch(r"=2 ([A-HJ][1-9]|pass)", replies[4])
    assert [reply[:1] for reply in replies[5:8]] == ["?", "?", "?"]
    assert replies[8:] == ["= policy bot", "= ", ""], "nothing after quit"


def test_the_bot_has_twenty_lines() -> None:
    text = (FOLDER / "bot.py").read_text(encoding="utf-8")
    assert len(re.findall(r"(?s)# -- the twenty lines\n(.*)# -- the twenty", text)[0].splitlines()) <= 22


def test_the_tournament_counts_points(tmp_path: Path) -> None:
    rules = ["uct", f"{FOLDER / 'tournament.py'}:epsilon_greedy"]
    words = ["--rules", *rules, "--games", "2", "--simulations", "10", "--size", "5", "--output", "rules"]
    lines = run(tmp_path, "tournament", *words).splitlines()
    points = [float(line.split()[1]) for line in lines if line.endswith(" points")]
    assert len(points) == 2 and sum(points) == 2 and points == sorted(points, reverse=True)
    assert (tmp_path / "rules" / "uct-epsilon_greedy").is_dir()


def test_the_loader_feeds_a_network_from_two_processes(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = ["--size", "3", "--simulations", "10", "--batches", "3", "--batch-size", "8", "--workers", "2"]
    losses = re.findall(
        r"batch \d: policy loss ([\d.]+), value loss ([\d.]+)", run(tmp_path, "selfplay_loader", *words)
    )
    assert len(losses) == 3 and all(0 < float(policy) < 10 for policy, _ in losses)


def test_the_agent_learns_in_gymnasium(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    words = ["--size", "3", "--updates", "10", "--games", "4"]
    shares = re.findall(r"update \d+: won (\d+)% of 4 games", run(tmp_path, "gym_agent", *words))
    assert len(shares) == 10 and {int(share) % 25 for share in shares} == {0}


def test_the_analysis_has_a_line_for_each_move(tmp_path: Path) -> None:
    miai.Game().play("E5", "C3", "pass", "G7").save(tmp_path / "game.sgf")
    header, *lines = run(tmp_path, "analyze_sgf", "game.sgf", "--net", "li-lim").splitlines()
    assert "network's choice" in header
    assert [line.split()[:3] for line in lines] == [
        ["1", "black", "E5"],
        ["2", "white", "C3"],
        ["3", "black", "pass"],
        ["4", "white", "G7"],
    ]
    assert all(0 <= float(line.split()[-1].rstrip("%")) <= 100 for line in lines)


def test_a_network_that_is_not_there_is_named(tmp_path: Path) -> None:
    miai.Game().save(tmp_path / "game.sgf")
    words = [sys.executable, FOLDER / "analyze_sgf.py", "game.sgf", "--net", "nowhere.bin.gz"]
    outcome = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert outcome.returncode == 2 and "nowhere.bin.gz" in outcome.stderr and "Traceback" not in outcome.stderr


def test_every_example_is_tested() -> None:
    named = set(re.findall(r'run\(tmp_path, "(\w+)"', Path(__file__).read_text(encoding="utf-8")))
    assert named == {path.stem for path in FOLDER.glob("*.py")}
