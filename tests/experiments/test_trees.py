"""`miai experiment trees`: what it refuses, that it goes on where it stopped, whose figures it reports."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.trees import command
from miai.engine.domains.simulated import TESTS, SimulatedWorkspace, TreeTest, list_candidates, reset, true_values
from miai.engine.search.search import Budget
from miai.engine.search.tree import ROOT
from miai.experiments.jones.tree_ranks import sample_ranks
from miai.experiments.jones.tree_report import compare_with_paper, main_table, slope_and_error
from miai.experiments.jones.tree_runs import TreePlan, make_search, read_contestant
from miai.experiments.jones.tree_scan import C0_SCAN, C0_VALUES, plot_scan
from miai.experiments.running.pieces import is_done, keep_piece, load_results, piece_file
from miai.experiments.running.progress import run_with_bar
from miai.experiments.running.workers import LocalPieceWorkers

RULES = ("esprit", "puct/max:c0=1.5")


def plan_of(num_trees: int) -> TreePlan:
    return TreePlan("A", 64, num_trees, tuple(read_contestant(text, "A") for text in RULES), 0)


def run_command(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--parallel", "1", *arguments])


def test_rules_are_read_with_the_papers_settings_unless_told_otherwise() -> None:
    assert dict(read_contestant("puct", "C").values) == {"c0": 0.4, "fpu": 0.0}
    found = read_contestant("puct/softmax:c0=3,simulations=100", "A")
    assert (found.select, found.backup) == ("puct", "softmax")
    assert dict(found.values) == {"c0": 3.0, "fpu": 0.0, "simulations": 100.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "no selection rule 'nonsense' (allowed: uct"),
        ("puct/nonsense", "no backup rule 'nonsense' (allowed: mean"),
        ("puct:c7=1", "'c7' is no parameter (allowed: c0"),
        ("esprit:sigma=wide", "'wide' is no number"),
        ("rave", "rave needs moves that mean the same later on"),
        ("crazystone/mix", "crazystone needs scores in points, which are not known here"),
        ("dominance/mean", "with dominance go wdl-product"),
        ("uct:waves=4", "waves need a search policy, which uct has not"),
        ("puct:batch=0", "'0' is not allowed (allowed: 1 to 1024 leaves)"),
    ],
)
def test_wrong_rules_are_refused_with_what_is_allowed(text: str, message: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run_command("--select", text, "--output", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_batches_are_compared_on_the_same_trees_and_their_collisions_told(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rules = ["esprit", "esprit:batch=8", "esprit:waves=8", "dominance/wdl-product"]
    arguments = [word for rule in rules for word in ("--select", rule)]
    result = run_command(*arguments, "--playouts", "128", "--trees", "3", "--output", str(tmp_path))
    assert result.exit_code == 0, result.output
    text = (tmp_path / "table.md").read_text()
    with np.load(tmp_path / "regrets.npz") as data:
        collisions, regrets = data["collisions"], data["regrets"]
    assert regrets.shape == (3, 4, 8) and (regrets[:, 0] != regrets[:, 1]).any()
    assert (collisions[:, [0, 3]] == 0).all() and (collisions[:, 1:3].mean(axis=0) > 0).all()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["esprit:waves=8", "8, waves", f"{collisions[:, 2].mean():.2%}"] in cells
    assert not any(row[:1] == ["esprit"] for row in cells)


def test_regrets_are_those_of_the_searches(tmp_path: Path) -> None:
    plan = plan_of(12)
    run_with_bar(plan, tmp_path, LocalPieceWorkers(1), "tree")
    regrets = load_results(plan, tmp_path)["regrets"]
    assert regrets.shape == (12, 2, 7) and plan.checkpoints == [1, 2, 4, 8, 16, 32, 64]
    for index in (0, 11):
        for place, contestant in enumerate(plan.contestants):
            workspace = SimulatedWorkspace(TESTS["A"], index, 0)
            search = make_search(contestant, workspace, 64)
            search.run(Budget(16), early_stop=False)
            children = search.tree.children(ROOT)
            worth = true_values(search.tree, children)
            assert regrets[index, place, 4] == worth.max() - worth[search.root_order()[0] - children.start]


def test_an_interrupted_run_goes_on_and_more_trees_may_be_added(tmp_path: Path) -> None:
    plan = plan_of(40)
    for piece, results in LocalPieceWorkers(1).run(plan, range(2)):
        keep_piece(tmp_path, piece, results)
    content = bytearray(piece_file(tmp_path, 0).read_bytes())
    content[60 : len(content) // 3] = bytes(255 - byte for byte in content[60 : len(content) // 3])
    piece_file(tmp_path, 2).write_bytes(content)
    piece_file(tmp_path, 1).write_bytes(piece_file(tmp_path, 1).read_bytes()[:500])
    assert [is_done(plan, tmp_path, piece) for piece in range(4)] == [True, False, False, False]
    kept = piece_file(tmp_path, 0).stat().st_mtime_ns
    run_with_bar(plan, tmp_path, LocalPieceWorkers(1), "tree")
    assert piece_file(tmp_path, 0).stat().st_mtime_ns == kept
    more = plan_of(45)
    run_with_bar(more, tmp_path, LocalPieceWorkers(1), "tree")
    np.testing.assert_array_equal(load_results(more, tmp_path)["regrets"][:40], load_results(plan, tmp_path)["regrets"])


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    arguments = ["--playouts", "16", "--trees", "20", "--select", "esprit", "--select", "puct", "--output", str(folder)]
    result = run_command(*arguments)
    assert result.exit_code == 0, result.output
    assert re.search(r"\| 16 +\| puct +\|", result.output)
    table = (folder / "table.md").read_text()
    assert re.search(r"\| m_mean +\| 10 +\|", table)
    shown = shlex.join(["miai", "experiment", "trees", *arguments[:-2], "--parallel", "1", "--output", str(folder)])
    assert f"```\n{shown}\n```" in table
    for name in ("regret.png", "best.png", "ranks.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    with np.load(folder / "regrets.npz") as data:
        assert data["regrets"].shape == (20, 2, 5) and data["rules"].tolist() == ["esprit", "puct"]
        assert (data["ranks"][:, :2] >= 1).all() and (data["ranks"][:, :2] <= data["ranks"][:, 2:]).all()
    uneven = run_command("--playouts", "100")
    assert uneven.exit_code == 2 and "100 is not allowed (allowed: a power of two)" in uneven.output
    other = run_command(*arguments[2:], "--playouts", "32")
    assert other.exit_code == 2 and "another experiment" in other.output


def test_the_scan_has_19_values_near_powers_of_the_cube_root_of_2_and_all_that_the_paper_settles_on() -> None:
    assert len(C0_VALUES) == 19 and (C0_VALUES[0], C0_VALUES[-1]) == (0.25, 16.0)
    for power, value in enumerate(C0_VALUES):
        assert value == pytest.approx(0.25 * 2 ** (power / 3), rel=0.02)
    assert {test.c0 for test in TESTS.values()} <= set(C0_VALUES)


def test_a_scan_tells_how_far_each_c0_is_from_the_papers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    result = run_command("--scan-c0", "--playouts", "8", "--trees", "3", "--output", str(folder))
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    (chosen,) = [line for line in table.splitlines() if "the paper's" in line and line.startswith("| 2.5 ")]
    assert "+0.00 ± 0.00" in chosen and "| least" in table.replace("the paper's, least", "| least")
    with np.load(folder / "regrets.npz") as data:
        assert tuple(data["rules"].tolist()) == C0_SCAN
    assert "10,000 trees with 1,048,576 playouts would take" in table
    assert f"miai experiment trees --playouts 8 --trees 3 --scan-c0 --parallel 1 --output {folder}" in table


def test_a_scan_is_drawn_by_c0_with_the_number_printed_of_the_papers_choice() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    plan = TreePlan("A", 1 << 16, 2, tuple(read_contestant(text, "A") for text in C0_SCAN), 0)
    plot_scan(axes, plan, np.arange(19.0), np.ones(19), 3.16)
    (paper,) = [line for line in axes.lines if line.get_marker() == "D"]
    assert paper.get_xydata().tolist() == [[2.5, 3.16]]
    (ours,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert ours.get_xydata().tolist() == [list(point) for point in zip(C0_VALUES, range(19), strict=True)]


def test_a_printed_number_stands_beside_the_papers_search_and_no_other() -> None:
    contestants = tuple(read_contestant(text, "A") for text in ("puct", "puct:c0=1", "puct/softmax"))
    plan = TreePlan("A", 1 << 16, 2, contestants, 0)
    table = main_table(plan, np.ones((2, 3, len(plan.checkpoints))))
    assert [line.split("|")[2].strip() for line in table.splitlines() if "3.16" in line] == ["puct"]


def test_slopes_are_those_of_a_power_law() -> None:
    plan = TreePlan("A", 1 << 16, 50, (read_contestant("esprit", "A"),), 0)
    spread = np.random.default_rng(0).uniform(0.5, 1.5, size=(50, 1, 1))
    regrets = spread * np.array(plan.checkpoints, dtype=np.float64) ** -0.33
    found = slope_and_error(plan, regrets, 0)
    assert found is not None and found[0] == pytest.approx(-0.33) and found[1] == pytest.approx(0.0, abs=1e-9)
    assert slope_and_error(replace(plan, playouts=1 << 11), regrets[..., :12], 0) is None
    (slope,) = [one for one in compare_with_paper(plan, regrets) if "slope" in one.what]
    assert slope.agrees


def test_the_policy_orders_moves_better_than_evaluations_whose_inherited_noise_is_their_own() -> None:
    ranks = sample_ranks(TESTS["A"], 3000)
    by_evaluation, alone, by_policy = (ranks.shares(one)[0] for one in ranks.kinds)
    assert alone < by_policy - 0.02 and by_policy < by_evaluation
    assert all(ranks.shares(one).sum() == pytest.approx(1.0) for one in ranks.kinds)
    likelier, says = ranks.sharpness
    assert 0.4 < likelier / says < 2.5


def share_of_best_moves_by_policy(test: TreeTest, num_trees: int) -> float:
    """Return in which share of the trees the move of greatest prior probability is the best one."""
    workspace = SimulatedWorkspace(test, 0)
    best = 0
    for index in range(num_trees):
        workspace.load(test, index)
        reset(workspace.record)
        list_candidates(workspace.record)
        count = int(workspace.record["num_candidates"])
        best += (
            workspace.record["candidate_prior"][:count].argmax() == workspace.record["candidate_logit"][:count].argmin()
        )
    return best / num_trees


def test_the_policys_noise_is_read_as_the_papers_share_of_best_moves_says() -> None:
    test = TESTS["B"]
    assert share_of_best_moves_by_policy(test, 8000) == pytest.approx(0.08, abs=0.01)
    the_other_way_round = replace(test, p_ch=test.p_eval, p_eval=test.p_ch)
    assert share_of_best_moves_by_policy(the_other_way_round, 8000) > 0.09
