"""`miai experiment fair-komi`: other oracles' values of the same positions, and the policies of short searches."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.fair_komi import command
from miai.experiments.fernando_muller.annotations import AnnotatedPosition, legal_actions, write_annotations
from miai.experiments.fernando_muller.published import LINES
from tests.experiments.test_fair_komi import annotated

pytest.importorskip("matplotlib")


def positions_losing(points: float, *games: str) -> list[AnnotatedPosition]:
    """Return the positions after the moves of some games, in which every legal move loses Black so many points."""
    found = [annotated(moves, float(len(moves)), {}) for moves in games]
    for position in found:
        position.after[legal_actions(position.game)] = position.value.fair - points
    return found


def run_command(folder: Path, *arguments: object) -> Result:
    searches = ("--search", 1, "--annotations", folder / "annotated", "--output", folder / "out")
    return CliRunner().invoke(command, [str(word) for word in ("--parallel", 1, *searches, *arguments)])


def test_what_another_oracle_says_of_the_same_positions_is_compared_by_pairs(tmp_path: Path) -> None:
    games = ("E5 D4", "E5 D4 C3 C4", "E5 D4 C3 C4 G7 F7")
    write_annotations(positions_losing(1.0, *games), {}, tmp_path / "annotated")
    write_annotations(positions_losing(3.0, "E5 D4 C3 C4 G7 F7 G6 F6", *games[:2]), {}, tmp_path / "others")
    result = run_command(tmp_path, "--against", tmp_path / "others")
    assert result.exit_code == 0, result.output
    told = (tmp_path / "out" / "table.md").read_text().partition("## By another oracle")[2]
    assert "Fair komi of 2 positions: this oracle's minus the other's +0.00 ± 0.00" in told
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in told.splitlines() if line[:3] == "| `"]
    assert [row[:4] for row in rows] == [[f"`{line}`", "1.00", "3.00", "-2.00 ± 0.00"] for line in LINES]


def test_another_oracles_positions_that_are_others_are_refused(tmp_path: Path) -> None:
    write_annotations(positions_losing(1.0, "E5 D4"), {}, tmp_path / "annotated")
    write_annotations(positions_losing(3.0, "E5 D4 C3 C4"), {}, tmp_path / "others")
    result = run_command(tmp_path, "--against", tmp_path / "others")
    assert result.exit_code == 2 and "--against holds none of these positions" in result.output
    assert not list((tmp_path / "out").rglob("*.npz"))


def test_short_searches_are_of_the_policies_that_are_asked_for(tmp_path: Path) -> None:
    write_annotations(positions_losing(1.0, "E5 D4"), {}, tmp_path / "annotated")
    result = run_command(tmp_path, "--search-policy", "no_ad", "--search-policy", "only_bp")
    assert result.exit_code == 0, result.output
    (plan,) = (tmp_path / "out" / "searches").glob("*/plan.json")
    assert json.loads(plan.read_text())["policies"] == ["fuego1585_listed_no_ad", "fuego1585_listed_only_bp"]
    told = (tmp_path / "out" / "table.md").read_text().partition("## Policies against short searches")[2]
    rows = [line.split("|") for line in told.splitlines() if line.startswith("| points lost")]
    assert [row[2].strip() for row in rows] == ["`no_ad`", "`only_bp`"]
