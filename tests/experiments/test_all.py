"""`miai experiment all`: what it plans, runs, leaves out, and how it goes on."""

import importlib
import re
import types
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import miai.cli.experiments as group
from miai.cli.experiments.all import command
from miai.cli.experiments.catalogue import declared_experiments
from miai.cli.lazy_group import LazyCommand
from tests.experiments import coins

pytest.importorskip("matplotlib")

REAL_EXPERIMENTS = group.EXPERIMENTS
"""What there is beside the experiments of `known`."""


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be the experiments of `coins` and no others."""
    import sys

    failing = types.ModuleType("broken_coins")
    failing.command = coins.broken  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "broken_coins", failing)
    commands = {
        "coins": LazyCommand("tests.experiments.coins", "Throw coins."),
        "broken": LazyCommand("broken_coins", "Fail."),
    }
    monkeypatch.setattr(group, "EXPERIMENTS", commands)
    monkeypatch.setattr(group.command, "lazy_commands", commands)
    coins.THROWN.clear()
    coins.STOP_AT.clear()


def run_command(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, ["--parallel", "1", "--output", str(folder), *arguments])


def cells(output: str, name: str) -> list[str]:
    (line,) = [line for line in output.splitlines() if re.match(rf"\| {name} +\|", line)]
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_a_dry_run_measures_and_prints_the_plan(tmp_path: Path) -> None:
    result = run_command(tmp_path, "--budget", "0.1", "--only", "coins", "--dry-run")
    assert result.exit_code == 0, result.output
    assert cells(result.output, "coins") == ["coins", "100 coins", "0.10", "1,000", "1.0"]
    assert coins.THROWN == [0, 1]
    header, row = (tmp_path / "full-sizes.csv").read_text().splitlines()
    assert header == "experiment,unit,full,seconds_a_unit,hours,command"
    assert row == "coins,coins,1000,3.600,1.0,miai experiment coins --coins 1000"
    assert run_command(tmp_path, "--budget", "0.1", "--only", "coins", "--dry-run").exit_code == 0
    assert coins.THROWN == [0, 1], "what was measured is not measured again"


def test_a_run_ends_with_the_overview(tmp_path: Path) -> None:
    result = run_command(tmp_path, "--budget", "0.1", "--only", "coins")
    assert result.exit_code == 0, result.output
    wanted = [
        "Anon 1713",
        "table 1",
        "coins",
        "heads, %: 75.0",
        "75.0 ± 5.0",
        "yes",
        "100 coins; full size: 1,000 coins",
        "0.1",
        "`miai experiment coins`",
    ]
    assert cells((tmp_path / "overview.md").read_text(), "Anon 1713") == wanted
    assert cells(result.output, "Anon 1713") == wanted
    assert coins.THROWN == list(range(50))


def test_what_was_interrupted_goes_on_with_the_same_sizes_and_more_time_adds(tmp_path: Path) -> None:
    coins.STOP_AT.append(30)
    result = run_command(tmp_path, "--budget", "0.1", "--only", "coins")
    assert result.exit_code == 1
    told = f"interrupted; the same command goes on, results so far are in {tmp_path}"
    assert told in " ".join(result.output.split())
    assert coins.THROWN == list(range(30))
    assert run_command(tmp_path, "--budget", "0.1", "--only", "coins").exit_code == 0
    assert coins.THROWN == list(range(50))
    assert run_command(tmp_path, "--budget", "0.2", "--only", "coins").exit_code == 0
    assert coins.THROWN == list(range(100))


def test_a_failure_is_told_and_the_others_run(tmp_path: Path) -> None:
    result = run_command(tmp_path, "--budget", "0.1")
    assert result.exit_code == 1 and "failed: broken (no coins are left)" in result.output
    table = (tmp_path / "overview.md").read_text()
    assert "75.0 ± 5.0" in table and table.count("not run") == 2


def test_a_package_that_one_experiment_lacks_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lack(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'botorch'", name="botorch")

    monkeypatch.setattr(coins.broken, "callback", lack)
    result = run_command(tmp_path, "--budget", "0.1")
    assert result.exit_code == 1 and "failed: broken (this needs botorch, which is not installed: pip install" in (
        result.output
    )
    assert "75.0 ± 5.0" in (tmp_path / "overview.md").read_text()


def test_a_sample_apart_is_measured_once_and_is_no_part_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coins, "experiments", (coins.experiment("coins", sample_apart=True),))
    for _ in range(2):
        result = run_command(tmp_path, "--budget", "0.1", "--only", "coins", "--dry-run")
        assert result.exit_code == 0, result.output
    assert coins.THROWN == [0, 1] and not (tmp_path / "coins").exists()
    assert run_command(tmp_path, "--budget", "0.1", "--only", "coins").exit_code == 0
    assert coins.THROWN == [0, 1, *range(50)]


def test_the_cost_of_a_small_sample_is_scaled_until_the_run_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = coins.experiment("coins", sample_apart=True, sample_cost=0.5)
    monkeypatch.setattr(coins, "experiments", (made,))
    result = run_command(tmp_path, "--budget", "0.1", "--only", "coins", "--dry-run")
    assert cells(result.output, "coins") == ["coins", "50 coins", "0.10", "1,000", "2.0"]
    assert run_command(tmp_path, "--budget", "0.1", "--only", "coins").exit_code == 0
    result = run_command(tmp_path, "--budget", "0.2", "--only", "coins", "--dry-run")
    assert cells(result.output, "coins") == ["coins", "200 coins", "0.20", "1,000", "1.0"]


def test_what_was_run_before_and_is_not_chosen_now_is_in_the_overview(tmp_path: Path) -> None:
    assert run_command(tmp_path, "--budget", "0.1", "--only", "coins").exit_code == 0
    result = run_command(tmp_path, "--budget", "0.1", "--only", "dice")
    assert result.exit_code == 0, result.output
    table = (tmp_path / "overview.md").read_text()
    assert "| 100 coins;" in table and table.count("not run") == 1


def test_what_does_not_fit_or_lacks_games_is_named(tmp_path: Path) -> None:
    result = run_command(tmp_path, "--budget", "0.01", "--dry-run", "--only", "coins", "--only", "dice")
    assert cells(result.output, "coins")[1] == "left out: the floor of 20 does not fit"
    assert cells(result.output, "dice")[1] == "left out: needs games, see --from"


def test_an_experiment_that_is_not_known_is_refused(tmp_path: Path) -> None:
    result = run_command(tmp_path / "out", "--budget", "1", "--only", "cards")
    assert result.exit_code == 2 and "--only cards is not allowed (allowed: coins, broken, dice)" in result.output
    assert not (tmp_path / "out").exists()


def test_the_real_experiments_are_declared_once_each() -> None:
    known = declared_experiments(REAL_EXPERIMENTS)
    names = [one.name for one in known]
    assert len(set(names)) == len(names)
    wanted = {"trees-A", "trees-B", "trees-C", "backups", "backups-go", "policies", "blunders", "fair-komi", "esprit"}
    assert wanted | {"crazy-stone", "dominance", "tactics", "tune-softmax", "tune-monotone"} <= set(names)
    for one in known:
        assert one.smallest <= one.floor <= one.full and one.floor % one.step == one.full % one.step == 0
        assert 0 < one.rows(one.smallest) <= one.rows(one.full)
        assert callable(one.account_of)


def test_the_samples_of_the_real_experiments_are_options_of_theirs() -> None:
    sampled = [one for one in declared_experiments(REAL_EXPERIMENTS) if one.sample]
    assert len(sampled) == 6
    for one in sampled:
        module = importlib.import_module(f"miai.cli.experiments.{one.words[0].replace('-', '_')}")
        module.command.make_context(one.name, [*one.words[1:], *one.sample, one.option, str(one.smallest)])
