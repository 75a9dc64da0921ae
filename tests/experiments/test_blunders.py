"""`miai experiment blunders`: which moves are blunders, and the position of figure 5."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from miai.cli.experiments import policies
from miai.cli.experiments.blunders import command
from miai.engine.go.board import new_board, play
from miai.engine.go.points import BLACK, WHITE
from miai.experiments.fernando_muller.blunder_report import count_blunders, overall_line
from miai.experiments.fernando_muller.blunder_runs import MAX_MOVES, BlunderPlan, blunders_of, play_policy
from miai.experiments.fernando_muller.mcts_of_policies import PAPERS_READING, MctsReading, mcts_options
from miai.experiments.fernando_muller.nakade_position import position, sight_of, vital_point
from miai.experiments.fernando_muller.policy_report import read_scores
from miai.experiments.fernando_muller.published import STRENGTHS, SUBTRACTIVE, policy_of
from miai.players.player import Player
from miai.playouts.distribution import propose
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace


def values_of(**given: float) -> np.ndarray:
    """Return Black's chances after each number of moves, 0.5 unless given as `after_N`."""
    values = np.full(MAX_MOVES + 1, 0.5)
    for name, value in given.items():
        values[int(name.removeprefix("after_"))] = value
    return values


def test_a_blunder_takes_the_movers_own_chances_from_high_to_low() -> None:
    assert blunders_of(values_of(after_12=0.8, after_13=0.2), 20) == [13]  # Black's move
    assert blunders_of(values_of(after_12=0.2, after_13=0.8), 20) == []  # Black's gain
    assert blunders_of(values_of(after_13=0.2, after_14=0.8), 20) == [14]  # White's move
    assert blunders_of(values_of(after_12=0.74, after_13=0.1, after_15=0.26, after_16=0.9), 20) == []


def test_the_first_ten_moves_and_what_follows_the_end_do_not_count() -> None:
    assert blunders_of(values_of(after_8=0.9, after_9=0.1), 20) == []
    assert blunders_of(values_of(after_10=0.9, after_11=0.1), 20) == [11]
    assert blunders_of(values_of(after_20=0.9, after_21=0.1), 20) == []


def test_a_series_of_blunders_by_both_counts_each() -> None:
    assert blunders_of(values_of(after_12=0.9, after_13=0.1, after_14=0.9, after_15=0.1), 20) == [13, 14, 15]


def test_a_swing_over_several_moves_is_no_blunder() -> None:
    assert blunders_of(values_of(after_12=0.9, after_14=0.2, after_17=0.8, after_18=0.9), 20) == []


def test_games_are_counted_by_their_blunders() -> None:
    values = np.stack(
        [values_of(), values_of(after_12=0.9, after_13=0.1), values_of(after_12=0.9, after_13=0.1, after_14=0.9)]
    )
    results = {"line": np.full(3, SUBTRACTIVE.index("no_ll")), "length": np.array([20, 30, 50]), "values": values}
    found = count_blunders(results)
    assert list(found) == ["no_ll"]
    one = found["no_ll"]
    assert (one.free, one.even, one.judged.tolist()) == (1, 2, [10, 20, 40])
    assert one.figures == pytest.approx((100 / 3, 200 / 3, 300 / 70)) and one.share_of_all == pytest.approx(3.0)
    # blunders beyond the mean share: -3/7, 1/7, 2/7
    error = 100 * np.sqrt(14 / 49 / 9) / (70 / 3)
    assert one.error == pytest.approx(error)
    p = 2 * stats.norm.sf(abs(300 / 70 - 4.25) / error / np.sqrt(1 + 3 / 100))
    told = overall_line(found)
    assert "33.3 % of games have no blunder (52.0)" in told
    assert f"4.29 ± {error:.2f} % of the moves judged are blunders (4.25; p = {p:.2g}," in told
    assert told.endswith("3.00 % of all moves. No game has more than 2.")


def test_a_judged_game_has_a_value_after_every_move_but_the_first_and_its_end_is_certain() -> None:
    plan = BlunderPlan(SUBTRACTIVE, "fuego1585", 1, 2, 6.5, PAPERS_READING, 3)
    results = plan.run_piece(1)
    length, values = int(results["length"][0]), results["values"][0]
    assert np.isnan(values[:10]).all() and np.isfinite(values[10 : length + 1]).all()
    assert np.isnan(values[length + 1 :]).all() and values[length] in (0.0, 1.0)
    assert results["moves"][0, length - 2 : length].tolist() == [81, 81]
    np.testing.assert_array_equal(values, plan.run_piece(1)["values"][0])
    assert play_policy("fuego1585_no_ac", (3, 1, 0)) != play_policy("fuego1585_no_ac", (3, 1, 1))


@pytest.mark.parametrize("line", ["F", "R"])
def test_every_move_of_a_policys_game_is_as_if_a_playout_began_there(line: str) -> None:
    policy = policy_of(line, "fuego1585_listed")
    boards, stream = new_board(9), new_playout_workspace(9, 7)["stream"].copy()
    for move in play_policy(policy, (7,)):
        workspace = new_playout_workspace(9, 0)
        workspace["stream"] = stream
        assert make_policy(policy).choose(boards[0], workspace[0]) == move
        play(boards[0], move)
        stream = workspace["stream"].copy()


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_the_vital_point_is_the_only_move_that_does_not_lose(to_play: int) -> None:
    game = position(to_play)
    player = Player(mcts_options("fuego", 2000, MctsReading("learned", "miai")))
    report = player.search(game, to_play)
    assert report.moves[0].move == vital_point() and report.moves[0].value > 0.9
    for other in game.legal_points(to_play):
        if other != vital_point():
            following = game.copy()
            following.play(to_play, other)
            assert player.search(following, following.to_play).moves[0].value > 0.9
    player.close()


def test_the_layer_nakade_sees_the_point_after_the_owner_played_beside_the_space() -> None:
    assert propose(make_policy("fuego"), position(BLACK).board).layer == "nakade"
    assert propose(make_policy("no_nakade"), position(BLACK).board).layer != "nakade"
    assert propose(make_policy("fuego"), position(WHITE).board).layer != "nakade"
    with_layer, without = (sight_of(name, BLACK, 400) for name in ("fuego", "no_nakade"))
    assert with_layer.at_once == with_layer.by_mover == with_layer.black_wins == 1.0
    assert without.at_once < 1.0 and without.by_mover < 0.95 and 0.0 < without.by_opponent < 0.5


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    arguments = ["--games", "1", "--simulations", "2", "--parallel", "1", "--output", str(folder)]
    for line in ("F", "no_ad", "no_patt"):
        arguments += ["--policy", line]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "the paper's figures +0.10" in table and "the full size of 300 games of these lines would take" in table
    assert "| Black, after White's w" in table
    assert all((folder / name).stat().st_size > 1000 for name in ("strength.svg", "nakade.svg", "games.npz"))
    result = CliRunner().invoke(command, [*arguments, "--strengths", str(tmp_path)])
    assert result.exit_code == 2 and "holds no results of miai experiment policies" in result.output


def test_strengths_that_were_measured_take_the_place_of_the_papers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines, strengths = ("F", "no_ad", "no_patt"), tmp_path / "policies"
    shared = ["--simulations", "2", "--parallel", "1", *(word for line in lines for word in ("--policy", line))]
    result = CliRunner().invoke(policies.command, [*shared, "--games", "8", "--output", str(strengths)])
    assert result.exit_code == 0, result.output
    folder = tmp_path / "out"
    arguments = [*shared, "--games", "3", "--output", str(folder), "--strengths", str(strengths)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    with np.load(folder / "games.npz") as data:
        found = count_blunders(dict(data))

    def told(strengths: Mapping[str, float]) -> str:
        correlation = stats.pearsonr([found[line].figures[2] for line in lines], [strengths[line] for line in lines])
        return f"- % of blunder moves: {correlation.statistic:+.2f} (p = {correlation.pvalue:.2g});"

    table = (folder / "table.md").read_text()
    assert "Correlation with the strengths measured here (figure 4)" in table
    assert told({line: one.percent for line, one in read_scores(strengths).items()}) in table
    assert told({line: one.score for line, one in STRENGTHS.items()}) not in table
