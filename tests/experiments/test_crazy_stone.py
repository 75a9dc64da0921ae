"""`miai experiment crazy-stone`: its lines, and the paper's table 2 beside ours."""

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.crazy_stone import command
from miai.experiments.coulom.crazy_stone import (
    DEFAULT_LINES,
    GNUGO,
    LINES,
    PAPER,
    PAPER_GAMES,
    VARIANTS,
    make_lines,
    printed_scores,
)
from miai.experiments.coulom.crazy_stone_report import compare_machines, rival_of
from miai.experiments.matches.match_lines import MatchLinesPlan
from miai.experiments.running.pieces import check_folder, lock_run
from miai.players.options import resolve_options
from tests.experiments.test_match_lines import FAKE, score_of

OPPONENT = f"{sys.executable} {FAKE}"


def test_the_papers_errors_are_two_standard_errors_of_400_games() -> None:
    for paper in PAPER.values():
        share = paper.score / 100
        assert 200 * np.sqrt(share * (1 - share) / PAPER_GAMES) == pytest.approx(paper.error, abs=0.051)


def test_every_line_exchanges_one_part_of_the_preset() -> None:
    lines = make_lines(OPPONENT, 7.5, None, 64)
    assert tuple(line.name for line in lines) == LINES and set(DEFAULT_LINES) < set(LINES)
    base = resolve_options("crazystone", None, {"memory": 64})[0]
    parts = ("select", "backup", "policy", "final", "evaluator", "simulations", "time")
    for line in lines:
        variant, _, minutes = line.name.rpartition("-")
        options = line.contestants()["A"].options
        assert options is not None and line.seconds == 60 * int(minutes) and line.komi == 7.5
        changed = {name for name in parts if getattr(options, name) != getattr(base, name)}
        expected = {"2006": set(), "playouts": {"policy"}, "no-selectivity": set(), "uct": {"select", "final"}}
        assert changed == expected.get(variant, {"backup"})
        assert options.parameters.get("crazystone.internal_at") == (10**9 if variant == "no-selectivity" else None)
        assert options.parameters.get("mix.internal_at") == (None if options.backup != "mix" else 0)


def test_simulations_take_the_place_of_minutes() -> None:
    lines = {line.name: line for line in make_lines(OPPONENT, 7.5, 100, 64)}
    found = [lines[f"2006-{minutes}"].contestants()["A"].options for minutes in PAPER]
    assert [options.simulations for options in found if options] == [100, 200, 400]
    assert all(line.seconds is None for line in lines.values())


def test_lines_are_compared_with_the_paper_or_with_crazy_stone_as_it_was() -> None:
    scores = {"2006-4": score_of(20, 40), "mean-4": score_of(10, 40), "mean-8": score_of(10, 40)}
    assert rival_of("2006-4", scores, printed_scores(GNUGO)) == ("paper", 0.25, 400)
    assert rival_of("2006-4", scores, printed_scores("crazystone:simulations=9")) is None
    assert printed_scores("mine.toml:simulations=9") == {}
    assert rival_of("mean-4", scores, PAPER) == ("`2006-4`", 0.5, 40)
    assert rival_of("mean-8", scores, PAPER) is None
    played = {"2006-4": scores["2006-4"]._replace(simulations=(8_160_000.0, 1.0), seconds=(200.0, 1.0))}
    told = compare_machines(played, PAPER)
    assert "4,080,000 in 4 minutes" in told and "2 times that; 40,800 a second" in told


def run_command(folder: Path, *arguments: str) -> Result:
    shared = [
        "--parallel",
        "1",
        "--simulations",
        "2",
        "--memory",
        "32",
        "--opponent",
        OPPONENT,
        "--output",
        str(folder),
    ]
    return CliRunner().invoke(command, [*shared, *arguments])


def test_the_command_writes_a_table_and_a_figure_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    assert run_command(folder, "--games", "2", "--line", "2006-4").exit_code == 0
    result = run_command(folder, "--games", "4", "--line", "2006-4", "--line", "2006-8")
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "| paper " in table and "25.0" in table and "Fake 1" in table
    assert "the full size of 400 games of these lines at as many simulations would" in table
    assert "17,000 random games a second" in table
    header, first, _ = (folder / "table.csv").read_text().splitlines()
    assert header.startswith("line,games,wins") and first.startswith("2006-4,") and ",paper,0.25,400," in first
    assert (folder / "scores.svg").stat().st_size > 1000
    with np.load(folder / "games.npz") as data:
        assert len(data["score"]) == 8 and len(data["lines"]) == len(LINES) == 3 * len(VARIANTS)


def test_against_a_player_of_ours_nothing_printed_stands_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    opponent = ("--opponent", "crazystone:simulations=2,memory=32")
    result = run_command(folder, "--games", "2", "--line", "2006-4", "--line", "mean-4", *opponent)
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "against crazystone:" in table and "paper " not in table and "Athlon" not in table
    assert "paper" not in (folder / "scores.svg").read_text()
    compared = {row.split("|")[1].strip(): row.split("|")[4].strip() for row in table.splitlines() if "-4` " in row}
    assert compared == {"`2006-4`": "", "`mean-4`": "`2006-4`"}


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run_command(tmp_path / "out", "--games", "3")
    assert result.exit_code == 2 and "--games 3 is not allowed (allowed: an even number)" in result.output
    result = run_command(tmp_path / "out", "--opponent", "nobody-at-all")
    assert result.exit_code == 2 and "nobody-at-all" in result.output and not (tmp_path / "out").exists()
    result = run_command(tmp_path / "out", "--opponent", "false")
    assert result.exit_code == 1 and "false: engine B cannot play" in result.output
    assert not (tmp_path / "out").exists(), "the same command with an engine that can begins it"


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "out").mkdir()
    with lock_run(tmp_path / "out"):
        result = run_command(tmp_path / "out", "--games", "2", "--line", "2006-4")
    assert result.exit_code == 2 and "out is in use by another miai; choose another --output" in " ".join(
        result.output.split()
    )


def test_a_player_that_has_changed_since_begins_another_experiment(tmp_path: Path) -> None:
    player = tmp_path / "mine.toml"

    def begin(simulations: int) -> None:
        player.write_text(f'preset = "uct"\nsimulations = {simulations}\n')
        lines = make_lines(str(player), 7.5, 20, 32)
        plan = MatchLinesPlan("crazy-stone", lines, ("2006-4",), 2, "tromp-taylor", "twogtp", 0)
        check_folder(plan, tmp_path / "out")

    begin(20)
    begin(20)
    with pytest.raises(ValueError, match="holds another experiment .players differ."):
        begin(40)
