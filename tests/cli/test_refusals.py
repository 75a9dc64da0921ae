"""Refusals of commands: what was wrong is what they name, and they come before anything is computed."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.benchmarks import search
from miai.cli.main import main
from miai.players.options import PlayerOptions

FITS = ("fit-moves", "fit-patterns", "fit-outcomes")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("match", "fuego", "fuego", "--time-settings", -1, 0, 0),
            "time settings -1 0 0 are not allowed (allowed: whole numbers from 0 on)",
        ),
        (("match", "fuego", "fuego", "--games", 0), "0 is not allowed (allowed: an even number from 2 on)"),
        (
            ("match", "fuego:simulations", "fuego"),
            "Error: 'fuego:simulations': 'simulations' is not allowed (allowed: NAME=VALUE, as in fuego:threads=2)",
        ),
        (
            ("match", "games.toml", "--games", 4),
            "--games: what is played stands in games.toml (allowed here: --output, --parallel, --workers, --json)",
        ),
        (
            ("selfplay", "--output", "out", "--komi-range", 5, 3),
            "Error: --komi-range 5 3 is not allowed (allowed: the lower bound first)",
        ),
        (
            ("label", ".", "--teacher", "miai", "--output", "out", "--ray", "auto", "--processes", 2),
            "Error: --processes is not allowed with --ray",
        ),
        (("play", "--net", "."), "Error: net: . is a folder (allowed: a file of weights)"),
        (("bench", "search", "--only", "zzz"), "no figure has 'zzz' in its name"),
        (("experiment", "blunders", "--komi", "nan"), "'nan' is not allowed (allowed: a number from -1000 to 1000)"),
        (("fit-moves", ".", "--output", "x", "--skip", -1), "'--skip': -1 is not in the range x>=0"),
        (("fit-moves", ".", "--output", "x", "--min-count", 0), "'--min-count': 0 is not in the range x>=1"),
        (("fit-moves", ".", "--output", "x", "--rounds", 0), "'--rounds': 0 is not in the range x>=1"),
        (("fit-patterns", ".", "--output", "x", "--rounds", 0), "'--rounds': 0 is not in the range x>=1"),
    ],
)
def test_what_was_wrong_is_named(
    words: tuple[object, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run(*words)
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_loop_names_the_window_and_not_the_number_of_games(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ended = run("loop", "--output", tmp_path / "out", "--opening-window", 0.6, 0.4)
    assert ended.exit_code == 2
    assert "Error: --opening-window: the first number must be below the second" in ended.stderr
    ended = run("loop", "--output", tmp_path / "out", "--rate-games", 3)
    assert ended.exit_code == 2 and "Error: --rate-games: the number of games must be even" in ended.stderr


def test_a_loop_whose_folder_cannot_be_made_says_so_before_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("miai.cli.loop.compile_if_cold", lambda *_: pytest.fail("it compiles"))
    (tmp_path / "file").write_text("")
    ended = run("loop", "--output", tmp_path / "file" / "loop", "--networks", 1)
    assert ended.exit_code == 1
    assert ended.stderr == f"Error: cannot write to {tmp_path}/file/loop: Not a directory\n"


@pytest.mark.parametrize("name", FITS)
def test_a_fit_writes_over_no_table_that_is_not_named(name: str, tmp_path: Path) -> None:
    ended = run(name, tmp_path)
    assert ended.exit_code == 2 and "Missing option '--output'" in ended.stderr


@pytest.mark.parametrize("name", FITS)
def test_an_output_that_cannot_be_written_is_refused_before_games_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "junk.sgf").write_text("no game")
    output = tmp_path / "missing" / "table.txt"
    ended = run(name, tmp_path, "--output", output)
    assert ended.exit_code == 2
    assert f"'--output': cannot write to {output}: No such file or directory" in ended.stderr
    assert "junk" not in ended.output


def test_a_match_shows_that_a_tournament_stands_alone() -> None:
    assert run("match", "--help").output.startswith("Usage: main match [OPTIONS] A|TOURNAMENT.toml [B]\n")


def test_the_gain_of_a_second_thread_is_measured_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "cases", lambda: {name: PlayerOptions() for name in ("rave.fuego", "rave.random")})
    monkeypatch.setattr(search, "measure_search", lambda *_: 2.0)
    assert list(search.run(only="speedup")) == []
    both = {"rave.fuego": PlayerOptions(), "rave.fuego.2threads": PlayerOptions(threads=2), "other": PlayerOptions()}
    monkeypatch.setattr(search, "cases", lambda: both)
    assert [figure.name for figure in search.run(only="speedup")] == ["search.speedup.2threads.9x9"]
