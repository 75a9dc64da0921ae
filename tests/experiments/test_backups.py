"""`miai experiment backups`: whose values are compared with what, and that it goes on where it stopped."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.backups import command
from miai.engine.search.tree import ROOT, Tree
from miai.experiments.coulom.backup_report import PAPER, error_table
from miai.experiments.coulom.backup_runs import OPERATORS, BackupPlan, root_estimates, search_positions, take_position
from miai.experiments.running.pieces import piece_file


def run_command(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--parallel", "1", *arguments])


def test_estimates_of_the_root_are_in_points_for_the_player_to_move() -> None:
    tree = Tree(5)
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, 4
    tree["score"][ROOT], tree["value"][ROOT] = -6.0, 0.45  # from the other player's view
    tree["visits"][1:5] = [10, 90, 0, 5]
    tree["value"][1:5] = [0.7, 0.55, 0.0, 0.2]
    found = root_estimates(tree, 80.0)
    assert found == pytest.approx({"mean": 6.0, "max": 32.0, "robust-max": 8.0, "mix": 8.0})


def test_positions_are_the_same_again_and_differ_from_each_other() -> None:
    plan = BackupPlan(3, 128, 10, 7)
    first, again, other = take_position(0, plan), take_position(0, plan), take_position(1, plan)
    assert first.moves == again.moves != other.moves
    assert len(first.moves) < 60


def test_errors_are_differences_to_mix_after_twice_the_simulations() -> None:
    plan = BackupPlan(2, 256, 10, 7)
    both = search_positions(plan, range(2))
    assert both.shape == (2, 2, len(OPERATORS))
    np.testing.assert_array_equal(both[1:], search_positions(plan, range(1, 2)))
    # the value of mix after 256 is what those after 128 are compared with, and is itself compared with that after 512
    longer = search_positions(BackupPlan(2, 512, 10, 7), range(2))
    np.testing.assert_array_equal(longer[:, :2], both)
    assert (both[:, :, OPERATORS.index("max")] >= both[:, :, OPERATORS.index("robust-max")]).all()


def test_the_table_has_the_papers_figures_beside_ours() -> None:
    errors = np.array([[[1.0, -2.0, 3.0, 0.0]], [[3.0, 2.0, 3.0, 0.0]]])
    lines = error_table(BackupPlan(2, 128, 10, 0), errors).splitlines()
    cells = [cell.strip() for cell in lines[2].split("|")[1:-1]]
    assert cells[:5] == ["128", "2.24 (6.44)", "+2.00 ± 1.00 (-3.32)", "2.00 (41.70)", "+0.00 ± 2.00 (37.00)"]
    assert all(len(row) == len(OPERATORS) for row in PAPER.values())


def test_the_command_writes_a_table_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    arguments = ["--simulations", "128", "--game-simulations", "10", "--output", str(folder)]
    assert run_command(*arguments, "--positions", "5").exit_code == 0
    kept = piece_file(folder, 0).stat().st_mtime_ns
    result = run_command(*arguments, "--positions", "7")
    assert result.exit_code == 0, result.output
    assert piece_file(folder, 0).stat().st_mtime_ns == kept
    with np.load(folder / "errors.npz") as data:
        assert data["errors"].shape == (7, 1, 4) and data["operators"].tolist() == list(OPERATORS)
    assert "7 positions" in (folder / "table.md").read_text() and (folder / "errors.png").stat().st_size > 1000
    for wrong, allowed in (
        ("crazystone.slop=1", "crazystone.slope"),
        ("mix.weight=-1", "from 0 to"),
        ("mix.weight=x", "a number"),
    ):
        refused = run_command("--set", wrong, "--output", str(tmp_path / "none"))
        assert refused.exit_code == 2 and allowed in refused.output and not (tmp_path / "none").exists()
    assert (
        run_command(
            *arguments[:4], "--positions", "2", "--set", "crazystone.prior=0.1", "--output", str(tmp_path / "less")
        ).exit_code
        == 0
    )
    other = run_command(*arguments, "--positions", "7", "--seed", "1")
    assert other.exit_code == 2 and "another experiment" in other.output
