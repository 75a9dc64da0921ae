"""`miai bench compare`: ratios and noise of rounds, and programs that do not run."""

import json
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.benchmarks import compare
from miai.benchmarks.compare import SpeedComparison, compare_rounds
from miai.benchmarks.figures import Figure
from miai.cli.main import main


def rounds(name: str, unit: str, *values: float) -> list[list[Figure]]:
    return [[Figure(name, value, unit)] for value in values]


def test_a_rate_and_a_time_become_speeds_and_the_best_round_counts() -> None:
    [rate] = compare_rounds(rounds("a", "/s", 90, 100, 80), rounds("a", "/s", 110, 120, 115))
    assert rate == SpeedComparison("a", 100, 120, "/s", pytest.approx(1.2), pytest.approx(0.1))
    [start] = compare_rounds(rounds("b", "s", 0.2, 0.3), rounds("b", "s", 0.1, 0.1))
    assert start == SpeedComparison("b", 0.2, 0.1, "s", pytest.approx(2), pytest.approx(1 / 3))


def test_what_only_one_version_measures_is_left_out() -> None:
    both, one = Figure("both", 1, "/s"), Figure("one", 1, "/s")
    assert [found.name for found in compare_rounds([[both, one]], [[both]])] == ["both"]
    assert [found.name for found in compare_rounds([[both]], [[one, both]])] == ["both"]


def test_quotients_are_left_out() -> None:
    figures = [Figure("speed", 1, "/s"), Figure("gain", 1.9, "x")]
    assert [found.name for found in compare_rounds([figures], [figures])] == ["speed"]


def program(folder: Path, name: str, rate: float) -> str:
    """Write a program that answers as miai's benches do, and counts its rounds."""
    path = folder / name
    figures = json.dumps({"playouts.random.9x9": {"value": rate, "unit": "/s"}})
    lines = [f"#!{sys.executable}", "import sys", f"if '--json' in sys.argv: print({figures!r})"]
    lines += [f"if '--json' in sys.argv: open({str(folder / name)!r} + '.rounds', 'a').write('x')"]
    path.write_text("\n".join(lines))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_two_programs_take_turns_after_a_round_that_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "STARTS_A_ROUND", 1)
    before, after = program(tmp_path, "before", 100), program(tmp_path, "after", 150)
    ended = CliRunner().invoke(
        main, ["bench", "compare", before, after, "--bench", "playouts", "--bench", "start", "--rounds", "2"]
    )
    assert ended.exit_code == 0, ended.output
    rows = {line.split()[1]: line.split() for line in ended.output.splitlines() if line.startswith("| playouts")}
    assert rows["playouts.random.9x9"][3::2] == ["100", "150", "/s", "1.500", "0.0%"]
    assert all(name in ended.output for name in compare.STARTS)
    assert (tmp_path / "before.rounds").read_text() == (tmp_path / "after.rounds").read_text() == "xxx"


def test_one_bench_alone_is_measured(tmp_path: Path) -> None:
    command = program(tmp_path, "same", 100)
    ended = CliRunner().invoke(main, ["bench", "compare", command, command, "--bench", "playouts", "--rounds", "1"])
    assert ended.exit_code == 0 and "playouts.random.9x9" in ended.output and "start" not in ended.output


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("no-such-program", "cannot run no-such-program: No such file"),
        (f"{sys.executable} -c 'raise SystemExit(3)'", "ended with 3: nothing on standard error"),
        (f"{sys.executable} -c 'print(1)'", "printed no figures"),
    ],
)
def test_a_program_that_does_not_run_is_named_in_a_line(command: str, named: str) -> None:
    ended = CliRunner().invoke(main, ["bench", "compare", command, command, "--rounds", "1"])
    assert ended.exit_code == 1
    assert named in " ".join(ended.output.split()) and "Traceback" not in ended.output
