"""`miai experiment esprit`: who plays whom, what is counted, and that it goes on where it stopped."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.esprit import command
from miai.engine.go.game import Game
from miai.engine.go.points import move_at
from miai.experiments.jones.esprit_matches import LINES, SIZE, EspritPlan, _player_of
from miai.experiments.matches.measured_players import MeasuredPlayer, score_of_pairs
from miai.experiments.running.pieces import pieces_of
from miai.match.statistics import estimate_score


def plan_of(**changes: object) -> EspritPlan:
    fields: dict[str, object] = {
        "lines": tuple(LINES),
        "games": 4,
        "net": "li-lim",
        "numbers": "miai",
        "rule": "esprit",
        "seconds": 0.02,
        "most_simulations": 4,
        "komi": 7.0,
        "seed": 0,
    }
    return EspritPlan(**(fields | changes))  # type: ignore[arg-type]


def test_lines_are_what_their_names_say() -> None:
    plan = plan_of(most_simulations=None)
    for number in (100, 400, 1600, 6400):
        first, second = map(plan.options_of, LINES[f"puct-{number}"])
        assert (first.select, second.select, first.simulations, second.simulations) == (
            "esprit",
            "puct",
            number,
            number,
        )
        assert first.batch == second.batch == 1 and first.evaluator == second.evaluator == "net"
    for batch in (8, 32, 128):
        for name, limits in ((f"waves-{batch}", (1600, None)), (f"waves-{batch}-time", (None, 0.02))):
            first, second = map(plan.options_of, LINES[name])
            assert (first.batching, second.batching) == ("waves", "virtual-loss")
            assert first.select == second.select == "esprit" and first.batch == second.batch == batch
            assert (first.simulations, first.time) == (second.simulations, second.time) == limits


def test_pucts_numbers_are_miais_or_alphazeros() -> None:
    side = LINES["puct-100"].second
    full = {"net.visits_per_leaf": 0.0}
    assert plan_of().options_of(side).parameters == {"puct.c0": 0.7, "puct.fpu_reduction": 0.1} | full
    player = _player_of(plan_of(numbers="paper").options_of(side), 1)
    assert [player.parameters()[name].value for name in ("puct.c0", "puct.c1", "puct.fpu")] == [1.25, 19652.0, 0]
    assert plan_of(numbers="paper").options_of(LINES["puct-100"].first).parameters == full


def test_more_games_or_lines_leave_the_pieces_as_they_are() -> None:
    few, many = plan_of(lines=("puct-100", "waves-8"), games=2), plan_of()
    assert few.signature() == many.signature()
    assert set(pieces_of(few)) < set(pieces_of(many))
    for piece in pieces_of(few):
        first, again = few.run_piece(piece), many.run_piece(piece)
        assert len(first["line"]) == 2 and len(again["line"]) == 4
        for name in ("line", "score", "moves", "simulations"):
            np.testing.assert_array_equal(first[name], again[name][:2])
        assert first["plays_black"].tolist() == [True, False] and set(first["line"]) == {piece}
        assert (first["simulations"] <= 4 * first["decisions"]).all() and (first["evaluations"] > 0).all()
        assert first["decisions"].sum() <= first["length"].sum()


def test_games_played_together_are_those_played_alone() -> None:
    openings = tuple((move_at(first, SIZE), move_at("E5", SIZE)) for first in ("C3", "G4"))
    together, alone = (
        plan_of(lines=("quarter-1600",), most_simulations=12, together=pairs, openings=openings) for pairs in (2, 1)
    )
    (piece,), pairs = pieces_of(together), pieces_of(alone)
    whole, parts = together.run_piece(piece), [alone.run_piece(pair) for pair in pairs]
    assert len(parts) == 2 and (whole["moves"][0] != whole["moves"][2]).any()
    for name in ("score", "plays_black", "moves", "decisions", "simulations"):
        np.testing.assert_array_equal(whole[name], np.concatenate([part[name] for part in parts]))
    assert (whole["decisions"].sum(1) == whole["length"] - 2).all(), "each move has a side"


@pytest.mark.parametrize("field", ["numbers", "rule", "seconds", "most_simulations", "komi", "seed", "together", "net"])
def test_what_decides_the_games_is_in_the_signature(field: str) -> None:
    other = {"numbers": "paper", "rule": "puct-policy", "net": "miai"}.get(field, 3)
    assert plan_of(**{field: other}).signature() != plan_of().signature()


def test_what_a_player_takes_is_counted() -> None:
    player = _player_of(plan_of(most_simulations=16).options_of(LINES["waves-8"].first), 0)
    player.set_seed(1)
    watched = MeasuredPlayer(player)
    game = Game(SIZE)
    for _ in range(2):
        color = game.to_play
        game.play(color, watched.choose(game, color).move)
        game.play(game.to_play, player.choose(game, game.to_play).move)
    assert watched.decisions == 2 and 0 < watched.evaluations <= watched.simulations <= 32 and watched.thinking > 0.0


def test_a_score_is_of_pairs_and_its_error_never_0() -> None:
    nan = float("nan")
    score = score_of_pairs(np.array([1.0, 0.0, 1.0, nan, 1.0, 0.5]))
    assert score is not None and score.games == 5 and score.percent == pytest.approx(70.0)
    assert score.interval == estimate_score([[1.0, 0.0], [1.0], [1.0, 0.5]])
    whole = score_of_pairs(np.ones(40))
    assert whole is not None and whole.percent == 100.0 and 0.5 < whole.error < 5.0
    assert score_of_pairs(np.array([nan, nan])) is None
    independent = score_of_pairs(np.array([1.0, 1.0, 0.0, 0.0] * 50))
    split = score_of_pairs(np.array([1.0, 0.0] * 100))
    assert independent is not None and split is not None and split.error < independent.error / 2
    assert independent.error == pytest.approx(100 * 0.5 / np.sqrt(100), rel=0.05)  # a pair says as much as one game


def run_command(folder: Path, *arguments: str) -> Result:
    shared = ["--net", "li-lim", "--parallel", "1", "--simulations", "2", "--seconds", "0.005", "--output", str(folder)]
    return CliRunner().invoke(command, [*shared, *arguments])


def test_the_command_writes_a_table_and_figures_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    lines = ["--line", "puct-100", "--line", "waves-8", "--line", "waves-8-time"]
    assert run_command(folder, "--games", "2", *lines).exit_code == 0
    result = run_command(folder, "--games", "4", *lines)
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "| `waves-8-time` | waves of 8, virtual loss (`esprit`)" in " ".join(table.split())
    assert "the full size of 1,200 games of these lines would take" in table
    header, *rows = (folder / "table.csv").read_text().splitlines()
    assert header.startswith("line,games,score,error,elo,elo_low,elo_high,first_simulations_a_move")
    assert [row.split(",")[:2] for row in rows] == [["puct-100", "4"], ["waves-8", "4"], ["waves-8-time", "4"]]
    for name in ("strength.svg", "speed.svg"):
        assert (folder / name).stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "3"], "--games 3 is not allowed (allowed: an even number)"),
        (["--net", "nowhere.safetensors"], "nowhere.safetensors"),
        (["--line", "puct-7"], "puct-100"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run_command(tmp_path / "out", *arguments)
    assert result.exit_code == 2 and message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()
