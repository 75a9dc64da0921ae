"""Tactical positions and `miai experiment tactics`: what the diagrams say, what counts as found, what goes on."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.tactics import command
from miai.cli.main import main
from miai.engine.go.diagram import read_diagram
from miai.engine.go.points import BLACK, WHITE
from miai.experiments.running.pieces import piece_file
from miai.experiments.tactics.tactic_report import main_table, mean_needed, theme_table
from miai.experiments.tactics.tactic_runs import (
    POSITION_SETS,
    RulePair,
    TacticPlan,
    checkpoints_up_to,
    pairs_to_run,
    positions_to_run,
    search_positions,
    simulations_needed,
)
from miai.experiments.tactics.tactical_positions import HARD_POSITIONS, SIZE, TacticalPosition

TWO = ("live-five", "throw-in")


def run_command(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--parallel", "1", *arguments])


@pytest.mark.parametrize("position", positions_to_run(), ids=lambda position: position.name)
def test_a_position_is_whole_and_its_marked_moves_are_legal(position: TacticalPosition) -> None:
    game = position.game()
    assert game.size == read_diagram(position.text).size == SIZE
    assert game.to_play == position.color and position.color in (BLACK, WHITE)
    assert game.stones() == read_diagram(position.text).stones, "no block without a liberty"
    assert position.right_moves
    assert all(game.is_legal(position.color, move) for move in position.right_moves)
    assert position.komi % 1 == 0.5, "no draws"


def test_there_are_twenty_positions_a_set_for_both_colours_and_no_name_comes_twice() -> None:
    for positions in POSITION_SETS.values():
        assert len(positions) == 20
        assert {position.color for position in positions} == {BLACK, WHITE}
    assert len({position.name for position in positions_to_run()} | set(POSITION_SETS)) == 42


def test_positions_are_named_by_themselves_or_by_their_set() -> None:
    assert positions_to_run(["hard"]) == HARD_POSITIONS
    assert [position.name for position in positions_to_run(TWO[::-1])] == list(TWO)
    assert len(positions_to_run(["clear", "throw-in"])) == 21


@pytest.mark.parametrize(
    ("right", "needed"),
    [
        ([True, True, True], 256),
        ([False, True, True], 512),
        ([True, False, True], 1024),
        ([False, False, False], np.inf),
        ([True, True, False], np.inf),
    ],
    ids=["at once", "from the second on", "left and found again", "never", "lost at the end"],
)
def test_a_move_counts_as_found_when_it_stays(right: list[bool], needed: float) -> None:
    assert simulations_needed(np.array(right), [256, 512, 1024]) == needed
    both = simulations_needed(np.array([right, [True, True, True]]), [256, 512, 1024])
    assert both.tolist() == [needed, 256.0]


def test_checkpoints_are_powers_of_two_up_to_the_simulations() -> None:
    assert checkpoints_up_to(16) == [16]
    assert checkpoints_up_to(300) == [16, 32, 64, 128, 256]


def test_all_pairs_are_those_that_go_together() -> None:
    pairs = pairs_to_run()
    assert len(set(pairs)) == len(pairs)
    assert RulePair("rave", "mean") in pairs and RulePair("puct", "softmax-2") in pairs
    assert RulePair("dominance", "wdl-product") in pairs and RulePair("dominance", "mean") not in pairs
    assert pairs_to_run(["uct"], ["softmax-2", "mean"]) == (RulePair("uct", "softmax-2"), RulePair("uct", "mean"))
    assert {pair.select for pair in pairs_to_run([], ["mean"])} == {pair.select for pair in pairs} - {
        "dominance",
        "dominance-prior",
    }


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_tables_show_medians_and_count_never_as_twice_the_most() -> None:
    positions = tuple(position for position in HARD_POSITIONS if position.name in TWO)
    plan = TacticPlan((RulePair("rave", "mean"), RulePair("uct", "mean")), positions, "fuego", 1024, 1)
    needed = np.array([[256.0, 1024.0], [512.0, np.inf]])
    np.testing.assert_allclose(mean_needed(plan, needed), [512.0, 1024.0])
    lines = main_table(plan, needed).splitlines()
    assert [cells_of(line) for line in lines[2:]] == [
        ["rave/mean", "2 of 2", "512", "256", "1024"],
        ["uct/mean", "1 of 2", "1024", "512", "–"],
    ]
    assert cells_of(theme_table(plan, needed).splitlines()[3]) == ["uct/mean", "512", "2048"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", "nonsense"], "no selection rule 'nonsense' (allowed: uct"),
        (["--backup", "nonsense"], "no backup rule 'nonsense' (allowed: mean"),
        (["--position", "nonsense"], "'nonsense' is not one of"),
        (["--select", "crazystone", "--backup", "softmax"], "softmax does not keep"),
        (["--simulations", "10"], "10 is not in the range x>=16"),
    ],
)
def test_what_is_not_allowed_is_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    result = run_command(*arguments, "--output", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


FAILS_LATER = """
from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.tree import children_of, visits

@selection_rule()
def fails_later(tree, node, params, workspace):
    if visits(tree)[node] > 40:
        return node
    return children_of(tree, node).first
"""


def test_a_users_rule_that_fails_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    rule = tmp_path / "rules.py"
    rule.write_text(FAILS_LATER)
    arguments = ["--select", f"{rule}:fails_later", "--backup", "mean", "--position", TWO[0], "--simulations", "64"]
    result = CliRunner().invoke(
        main, ["experiment", "tactics", *arguments, "--parallel", "1", "--output", str(tmp_path / "out")]
    )
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {rule}:fails_later failed during a search: ")
    assert "no child" in result.output and len(result.output.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_command_searches_writes_tables_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ["--select", "rave", "--backup", "mean", "--simulations", "512", "--output", str(folder)]
    for name in TWO:
        arguments += ["--position", name]
    result = run_command(*arguments, "--seeds", "1")
    assert result.exit_code == 0, result.output
    assert "all 2 positions: 1 of 1 pairs" in result.output and "clear" not in result.output
    for text in (result.output, (folder / "table.md").read_text()):
        assert ["rave/mean", "2 of 2"] in [cells_of(line)[:2] for line in text.splitlines()]
    kept = piece_file(folder, 0).stat().st_mtime_ns
    more = run_command(*arguments, "--seeds", "2")
    assert more.exit_code == 0, more.output
    assert piece_file(folder, 0).stat().st_mtime_ns == kept
    with np.load(folder / "right.npz") as data:
        assert data["right"].shape == (2, 1, 2, 6) and data["simulations"].tolist() == [16, 32, 64, 128, 256, 512]
        assert data["positions"].tolist() == list(TWO) and data["rules"].tolist() == ["rave/mean"]
    other = run_command(*arguments, "--policy", "random")
    assert other.exit_code == 2 and "another experiment" in other.output


def test_a_search_judged_on_its_way_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    positions = tuple(position for position in HARD_POSITIONS if position.name in ("cutting-stones", "block"))
    plan = TacticPlan((RulePair("rave", "mean"),), positions, "fuego", 1024, 2)
    longer = TacticPlan(plan.pairs, positions, "fuego", 2048, 2)
    first = search_positions(plan, plan.pairs[0], 1)
    np.testing.assert_array_equal(first, search_positions(longer, plan.pairs[0], 1)[:, :-1])


FIND_ALL = ("uct", "rave", "puct", "puct-policy", "esprit", "esprit-stochastic")
"""Selection rules that find every move with `mean`; what others miss is told in docs/results/papers.md."""


@pytest.mark.slow
@pytest.mark.parametrize("pair", pairs_to_run(FIND_ALL, ["mean"]), ids=lambda pair: pair.label)
def test_every_move_is_found_with_the_mean(pair: RulePair) -> None:
    plan = TacticPlan((pair,), HARD_POSITIONS, "fuego", 16384, 1)
    needed = simulations_needed(search_positions(plan, pair, 0), plan.checkpoints)
    missed = [position.name for position, number in zip(HARD_POSITIONS, needed, strict=True) if not np.isfinite(number)]
    assert not missed
