"""`miai compare` as users run it."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.cli.main import main
from tests.match.fake_engine import fake

ROOT = Path(__file__).parents[2]
JUDGE = "fuego:simulations=300,memory=16,seed=1"
GAME = "(;SZ[7]KM[9];B[cc];W[ee];B[ec];W[ce];B[cd])"


@pytest.fixture(name="games", autouse=True)
def write_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "game.sgf").write_text(GAME)
    return tmp_path / "game.sgf"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


def test_players_are_compared_and_nothing_is_asked_again(games: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    arguments = [fake("D4"), fake("A1"), "--games", games, "--judge", JUDGE, "--positions", 3, "--output", kept]
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    lines = first.stdout.splitlines()
    number, rows = int(lines[0].split()[0]), [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[7:]]
    assert [line[:3] for line in lines[2:4]] == ["1: ", "2: "] and [row[0] for row in rows] == ["1", "2"]
    assert 1 <= number <= 3 and lines[0].endswith(" of 1 games") and len(rows) == 2
    good, bad = (float(row[1].split()[0]) for row in rows)
    assert good < 2.0 < bad - good == pytest.approx(float(rows[1][2].split()[0]), abs=0.02)
    assert rows[0][2] == rows[0][3] == "" and rows[1][3] == "100"
    content = kept.read_bytes()
    assert run(*arguments).stdout == first.stdout and kept.read_bytes() == content
    both_at_once = run(*arguments[:-2], "--parallel", 2)
    assert both_at_once.exit_code == 0 and both_at_once.stdout.splitlines()[0] == lines[0]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["fuego", "nobody"], "nobody"),
        (["fuego", "uct", "--judge", "cat"], "--judge"),
        (["fuego", "uct", "--judge", "fuego:select=none"], "none"),
        (["fuego", "uct", "--games", "nowhere"], "nowhere"),
        (["fuego"], "two or more"),
        (["fuego", "uct:komi=0"], "komi: the first position says 9, 'uct:komi=0' says 0"),
        (["fuego", "uct:rules=chinese"], "rules: the first position says tromp-taylor"),
        (["fuego", "uct", "--judge", "puct:evaluator=net,net=li-lim"], "li-lim"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(games: Path, arguments: list[str], reason: str) -> None:
    outcome = run(*arguments, "--games", games)
    assert outcome.exit_code == 2 and isinstance(outcome.exception, SystemExit), outcome.output
    assert outcome.output.splitlines()[-1].startswith("Error: ") and reason in outcome.output


def test_games_without_a_position_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "empty.sgf").write_text("(;SZ[7])")
    outcome = run("fuego", "uct", "--games", tmp_path / "none", "--judge", JUDGE)
    assert outcome.exit_code == 1 and "no position" in outcome.output


def test_a_player_that_fails_is_named(games: Path) -> None:
    outcome = run("fuego:simulations=20", fake("crash"), "--games", games, "--judge", JUDGE)
    assert outcome.exit_code == 1 and "fake_engine.py crash failed" in outcome.output


def test_a_decided_game_has_no_positions(tmp_path: Path) -> None:
    lost = tmp_path / "lost.sgf"
    lost.write_text(GAME.replace("KM[9]", "KM[60]"))
    outcome = run("fuego:simulations=20", "uct:simulations=20", "--games", lost, "--judge", JUDGE)
    assert outcome.exit_code == 1 and "no positions" in outcome.output
