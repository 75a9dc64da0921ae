"""`miai experiment backups-go`: what Li & Lim's lines are, how their games are played, and what the report says."""

import dataclasses
import json
import math
import re
import weakref
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

pytest.importorskip("torch")  # runs the network `li-lim`
pytest.importorskip("matplotlib")

from miai.cli.experiments.backups_go import command
from miai.engine.go.points import point_at
from miai.engine.search.backup import BACKUP_RULES
from miai.experiments.li_lim.backup_match_report import score_table, weight_profiles
from miai.experiments.li_lim.backup_matches import SAMPLED_MOVES, BackupMatchPlan
from miai.experiments.li_lim.published import LINES, METHODS, MONOTONE, PUBLISHED, SOFTMAX, backup_of
from miai.experiments.matches.game_rows import max_moves, new_game, replay
from miai.experiments.matches.games_in_lockstep import GamesInLockstep, LockstepRules, games_in_lockstep
from miai.experiments.matches.match_scores import Score, chance_of_even
from miai.experiments.running.pieces import load_results, pieces_of
from miai.players.player import Player
from tests.nets.katago.model_writer import ModelWriter, spec_named

TABLE_1 = tuple(f"{method}:standard" for method in METHODS)
OPENINGS = tuple(
    tuple(point_at(*place, 9) for place in places) for places in (((2, 2), (6, 6)), ((2, 6), (5, 3)), ((4, 4),))
)


def plan_of(**changes: object) -> BackupMatchPlan:
    fields: dict[str, object] = {
        "size": 9,
        "lines": LINES[9],
        "net": "li-lim",
        "backend": "torch",
        "games": 4,
        "simulations": 4,
        "visits": 5000,
        "values": "signed",
        "erwa": "erwa-normalized",
        "parameters": (),
        "komi": 7.0,
        "resign_below": 0.05,
        "counting": "pairs",
        "together": 2,
        "seed": 0,
    }
    return BackupMatchPlan(**(fields | changes))  # type: ignore[arg-type]


def test_the_lines_are_those_of_the_papers_tables() -> None:
    assert len(LINES[9]) == 8 + 6 + 6 + 4 + 4 and len(LINES[19]) == 8 + 4
    assert LINES[9][:8] == LINES[19][:8] == TABLE_1
    tables = [published.table for published in PUBLISHED[9].values()]
    assert [tables.count(str(number)) for number in range(1, 6)] == [8, 6, 6, 4, 4]
    assert PUBLISHED[9]["softmax-2:coulom-4-32"].score == 59.5
    assert PUBLISHED[9]["softmax-2:coulom-4-32"].error == pytest.approx(100 * math.sqrt(0.595 * 0.405 / 1000))


def test_every_side_is_a_rule_with_the_papers_parameters() -> None:
    assert backup_of("coulom-4-32", 5000, "signed", "erwa").parameters == {"mix.weight": 4.0, "mix.growth": 32.0}
    assert backup_of("erwa-0.00001", 5000, "signed", "erwa") == ("erwa", {"erwa.rate": 1e-5})
    assert backup_of("gby", 1000, "signed", "erwa") == ("gby", {"gby.width": 100.0})
    for name, sets in (("monotone", MONOTONE), ("softmax", SOFTMAX)):
        for number, knots in enumerate(sets, 1):
            choice = backup_of(f"{name}-{number}", 800, "signed", "erwa")
            # the shipped rules of the paper's sets have the same knots
            shipped = BACKUP_RULES[name if number == 1 else f"{name}-2"].defaults
            assert tuple(choice.parameters[f"{name}.p{index}"] for index in range(6)) == tuple(shipped[:6]) == knots
            assert choice.parameters[f"{name}.simulations"] == 800


def test_equation_5_is_puct_whose_exploration_does_not_grow() -> None:
    signed, unit = (plan_of(values=values).sides_of("softmax-1:standard") for values in ("signed", "unit"))
    assert signed[1].parameters == {"puct.c0": 0.25, "puct.c1": 0.0, "puct.fpu": 2} and signed[1].backup == "mean"
    assert unit[1].parameters["puct.c0"] == 0.5
    # with weights half as great, values from −1 to 1 are told apart as those from 0 to 1 are
    assert unit[0].parameters["softmax.p0"] == pytest.approx(-4.0 - math.log(2.0))
    assert all(side.batch == 1 and side.evaluator == "net" and side.net == "li-lim" for side in signed)


def test_changed_parameters_are_those_of_the_sides_that_have_them() -> None:
    plan = plan_of(lines=("softmax-1:standard",), parameters=(("puct.fpu", 3), ("softmax.own", 1)))
    softmax, standard = plan.sides_of("softmax-1:standard")
    assert (softmax.parameters["puct.fpu"], softmax.parameters["softmax.own"]) == (3, 1)
    assert standard.parameters == {"puct.c0": 0.25, "puct.c1": 0.0, "puct.fpu": 3}
    plan.check()
    for name, reason in (("mix.weight", "no side has a parameter 'mix.weight'"), ("puct.no", "puct.no")):
        with pytest.raises(ValueError, match=re.escape(reason)):
            dataclasses.replace(plan, parameters=((name, 1),)).check()


def test_more_games_or_lines_leave_the_pieces_as_they_are() -> None:
    few, many = plan_of(lines=("gay:standard",), games=6), plan_of(games=20)
    assert few.signature() == many.signature()
    assert set(pieces_of(few)) < set(pieces_of(many))
    assert [few.rows_of(piece) for piece in pieces_of(few)] == [4, 2]
    assert sum(map(many.rows_of, pieces_of(many))) == 28 * 20
    openings = {"openings": OPENINGS}
    first = pieces_of(few)[0]
    longer = dataclasses.replace(many, **openings).run_piece(first)
    for name, values in dataclasses.replace(few, **openings).run_piece(first).items():
        np.testing.assert_array_equal(values, longer[name])


def test_a_pair_is_an_opening_with_both_colours_and_its_moves_are_the_games() -> None:
    place = LINES[9].index("softmax-1:standard")
    played = plan_of(openings=OPENINGS).run_piece(place)
    assert played["line"].tolist() == [place] * 4 and played["plays_black"].tolist() == [True, False] * 2
    for row, length, score, is_black in zip(
        played["moves"], played["length"], played["score"], played["plays_black"], strict=True
    ):
        game = replay(row, 9, 7.0)
        assert len(game.moves) == length
        if game.is_over:
            for_black = 0.5 * (1 + np.sign(game.score()))
            assert score == (for_black if is_black else 1 - for_black)
    assert [replay(row, 9, 7.0).moves[0][1] for row in played["moves"]] == [
        OPENINGS[index // 2][0] for index in range(4)
    ]
    assert (played["moves"][0] != played["moves"][1]).any()


def test_games_from_the_empty_board_differ_by_their_sampled_first_moves() -> None:
    played = plan_of(counting="twogtp", simulations=16).run_piece(0)
    assert len({row.tobytes() for row in played["moves"][:, :SAMPLED_MOVES]}) > 1


def test_a_game_in_lockstep_is_searched_as_it_is_alone() -> None:
    plan = plan_of(simulations=40)
    sides = plan.sides_of("monotone-2:coulom-8-64")
    rules = LockstepRules(9, 7.0, (40, 40), 0.0)
    games = GamesInLockstep(sides, 9, 3)
    together = [one.actions for one in games.play(OPENINGS, [1, 2, 3], rules).rows]
    # the same player alone chooses the first move of the third game, and the second of the first
    for number, num_moves, side in ((2, 1, 1), (0, 2, 0)):
        game = new_game(9, 7.0, OPENINGS[number])
        color = game.to_play
        alone = Player(sides[side])
        move = alone.choose(game, color).move
        game.play(color, move)
        assert len(OPENINGS[number]) == num_moves
        assert replay(np.array(together[number][: num_moves + 1]), 9, 7.0).moves == game.moves


def test_games_begin_with_a_cache_whose_room_fits_what_is_searched_and_without_what_others_left() -> None:
    games = GamesInLockstep(plan_of().sides_of("gby:standard"), 9, 2)
    evaluations = []
    for simulations in (200, 200, 2):
        taken = games.play(OPENINGS[:2], [1, 2], LockstepRules(9, 7.0, (simulations, simulations), 0.0)).taken
        evaluations.append(taken["evaluations"].sum())
    assert evaluations[0] == evaluations[1]
    caches = {len(one._cache) for one in games._evaluation._evaluators.values()}
    assert caches == {2 * 2 * 4}


def test_a_process_keeps_the_searches_of_one_line_only() -> None:
    plan = plan_of(simulations=2)
    first = games_in_lockstep(plan.sides_of("gby:standard"), 9, 2)
    assert games_in_lockstep(plan.sides_of("gby:standard"), 9, 2) is first
    trees = weakref.ref(first._players[0][0].search_on(9).tree)
    del first
    games_in_lockstep(plan.sides_of("gay:standard"), 9, 2)
    assert trees() is None


def test_one_of_katagos_networks_plays_both_sides(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    file = ModelWriter(spec_named("v15-learned")).write(tmp_path)
    plan = plan_of(net=str(file), backend="openvino-float32", games=2, simulations=2, lines=LINES[9][:1])
    plan.check()
    assert plan.run_piece(0)["length"].min() > 0


def test_a_game_ends_once_both_sides_see_it_lost() -> None:
    plan = plan_of(simulations=8)
    games = GamesInLockstep(plan.sides_of("gby:standard"), 9, 2)
    openings = (OPENINGS[0], OPENINGS[0])
    played_out = games.play(openings, [1, 1], LockstepRules(9, 7.0, (8, 8), 0.0))
    given_up = games.play(openings, [1, 1], LockstepRules(9, 7.0, (8, 8), 0.45))
    for long, short in zip(played_out.rows, given_up.rows, strict=True):
        assert short.actions == long.actions[: len(short.actions)]
        assert len(short.actions) < len(long.actions) <= max_moves(9) and short.score in (0.0, 1.0)


def test_the_profiles_are_the_weights_that_the_rules_use() -> None:
    profiles = weight_profiles(5000)
    assert {figure: list(lines) for figure, lines in profiles.items()} == {
        "figure 1": ["GAX", "GAY", "GBX", "GBY"],
        "figure 2": ["monotone-1", "monotone-2"],
        "figure 3": ["softmax-1", "softmax-2"],
    }
    for figure, start in (("figure 1", 1.0), ("figure 2", 1.0), ("figure 3", 0.0)):
        for weights in profiles[figure].values():
            assert len(weights) == 5001 and weights[0] == start and (np.diff(weights) >= 0).all()
    # by hand: a piece from -4 to -10 or back is 1000·e^-4·(1 − e^-6)/6, one at -4 is 1000·e^-4
    slope, flat = 1000 * math.exp(-4) * (1 - math.exp(-6)) / 6, 1000 * math.exp(-4)
    assert profiles["figure 3"]["softmax-1"][-1] == pytest.approx(4 * slope + flat)
    assert profiles["figure 2"]["monotone-2"][-1] == pytest.approx(1 + 3 * flat + 2 * slope)


def test_a_table_tells_the_difference_from_the_paper_from_that_of_50_percent() -> None:
    assert chance_of_even(Score(1000, 53.1, 1.6, 1.0)) == pytest.approx(0.05, abs=0.001)
    line = score_table({"softmax-1:standard": Score(1000, 56.3, 1.6, 1.0)}, PUBLISHED[9]).splitlines()[-1]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:6] == ["4", "`softmax-1`", "`standard`", "1,000", "56.3 ± 1.6", "56.3 ± 1.6"]
    assert (cells[6], float(cells[7]), float(cells[8])) == ("+0.0", 0.0, 1.0) and float(cells[9]) < 1e-4


def run_command(folder: Path, *arguments: str) -> Result:
    shared = ["--parallel", "1", "--simulations", "2", "--together", "1", "--net-backend", "torch"]
    return CliRunner().invoke(command, [*shared, "--output", str(folder), *arguments])


def test_the_command_writes_tables_and_figures_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    assert run_command(folder, "--line", "softmax-2:standard", "--games", "2").exit_code == 0
    lines = ["--line", "gay:standard", "--line", "softmax-2:standard"]
    result = run_command(folder, *lines, "--games", "4")
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "57.8 ± 1.6" in table and "the full size of 2,000 games of these lines would take" in table
    header, first, second = (folder / "table.csv").read_text().splitlines()
    assert header == "line,games,score,error,paper_score,paper_error,z,p,p_even,command"
    assert first.startswith("gay:standard,4,") and second.startswith("softmax-2:standard,4,")
    for name in ("scores.svg", "profiles.svg"):
        assert (folder / name).stat().st_size > 1000
    results = load_results(plan_of(lines=("gay:standard",), together=1), folder)
    assert results["line"].tolist() == [LINES[9].index("gay:standard")] * 4
    with np.load(folder / "games.npz") as data:
        assert data["lines"].tolist() == list(LINES[9]) and len(data["score"]) == 8


def test_the_visits_and_the_form_of_erwa_that_are_asked_for_are_in_the_plan(tmp_path: Path) -> None:
    arguments = ["--line", "erwa-0.001:standard", "--games", "2", "--visits", "7", "--erwa", "erwa"]
    result = run_command(tmp_path, *arguments)
    assert result.exit_code == 0, result.output
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert (plan["simulations"], plan["visits"], plan["erwa"]) == (2, 7, "erwa")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--games", "3"], "--games 3 is not allowed (allowed: an even number)"),
        (["--line", "gay"], "--line 'gay' is not allowed on 9x9 (allowed: coulom-2-16:standard,"),
        (["--size", "19", "--line", "gay:standard"], "network li-lim plays on 9x9 boards only, not 19x19"),
        (["--net", "missing.safetensors"], "missing.safetensors"),
        (["--line", "gay:standard", "--set", "mix.weight=1"], "no side has a parameter 'mix.weight'"),
        (["--set", "puct.c0=500"], "puct.c0"),
    ],
)
def test_what_is_not_allowed_is_said_and_leaves_no_folder(tmp_path: Path, arguments: list[str], reason: str) -> None:
    result = run_command(tmp_path / "out", *arguments)
    assert result.exit_code == 2 and reason in " ".join(result.output.split()), result.output
    assert not (tmp_path / "out").exists()
