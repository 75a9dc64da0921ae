"""`miai experiment policies`: how games are counted, and compared with the paper's table 2."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from miai.cli.experiments.policies import command
from miai.experiments.fernando_muller.mcts_of_policies import (
    NUMBERS,
    PAPERS_READING,
    MctsReading,
    mcts_options,
    player_of,
    read_back,
)
from miai.experiments.fernando_muller.oracles import Asked
from miai.experiments.fernando_muller.policy_matches import PAPER_GAMES, PolicyMatchPlan, games_for, games_of
from miai.experiments.fernando_muller.policy_report import read_scores, scores_of
from miai.experiments.fernando_muller.published import (
    BASES,
    BLUNDERS,
    ERRORS,
    LINES,
    STRENGTHS,
    SUBTRACTIVE,
    opponent_of,
    policy_of,
)
from miai.experiments.matches.game_rows import max_moves, play_game, replay
from miai.experiments.matches.match_scores import Score, chance_of_difference
from miai.experiments.running.pieces import Results, load_results, pieces_of
from miai.playouts.layer_order import POLICIES

MIAI = MctsReading("learned", "miai")


def plan_of(**changes: object) -> PolicyMatchPlan:
    fields: dict[str, object] = {
        "lines": LINES,
        "base": "fuego1585",
        "games": 16,
        "simulations": 2,
        "komi": 6.5,
        "counting": "twogtp",
        "reading": PAPERS_READING,
        "seed": 0,
    }
    return PolicyMatchPlan(**(fields | changes))  # type: ignore[arg-type]


def results_of(scores: list[float], moves: list[list[int]] | None = None) -> Results:
    """Return made-up games of the line no_ad."""
    rows = np.full((len(scores), max_moves(9)), -1, dtype=np.int16)
    for number, row in enumerate(rows):
        made = moves[number] if moves else [number, number + 1]
        row[: len(made)] = made
    return {
        "line": np.full(len(scores), LINES.index("no_ad")),
        "score": np.array(scores),
        "plays_black": np.arange(len(scores)) % 2 == 0,
        "moves": rows,
    }


def test_every_line_of_the_paper_is_a_policy_whatever_f_is() -> None:
    assert set(STRENGTHS) == set(ERRORS) == set(LINES) and set(BLUNDERS) == set(SUBTRACTIVE)
    for base in BASES:
        assert {policy_of(line, base) for line in LINES} <= set(POLICIES)
        assert len({policy_of(line, base) for line in LINES}) == len(LINES)
    assert (policy_of("R", "fuego"), policy_of("R", "fuego1585")) == ("random", "fuego1585_random")
    assert (opponent_of("no_ad"), opponent_of("F"), opponent_of("only_bp"), opponent_of("R")) == ("F", "F", "R", "R")


def test_more_games_or_lines_leave_the_pieces_as_they_are() -> None:
    few, many = plan_of(lines=("no_ad", "R"), games=16), plan_of(games=32)
    assert few.signature() == many.signature()
    assert set(pieces_of(few)) < set(pieces_of(many))
    assert sum(map(few.rows_of, pieces_of(few))) == 16 + 16
    assert sum(map(many.rows_of, pieces_of(many))) == 15 * 32
    first = pieces_of(few)[0]
    for name, values in few.run_piece(first).items():
        np.testing.assert_array_equal(values, many.run_piece(first)[name])


def test_every_line_has_the_games_that_are_asked_for_up_to_the_papers() -> None:
    assert {games_of(line, 400) for line in LINES} == {400}
    assert {line: games_of(line, PAPER_GAMES) for line in LINES} == {line: one.games for line, one in STRENGTHS.items()}
    assert games_of("R", 4000) == 1000
    for line in ("F", "R"):
        counts = [games_of(line, games) for games in range(2, 5000, 2)]
        assert counts == sorted(counts) and all(count % 2 == 0 for count in counts)
        assert all(games_of(line, games_for(line, number)) == number for number in range(2, 3000, 2))


def test_there_is_one_search_of_a_policy_unless_it_is_read_otherwise() -> None:
    paper = mcts_options("fuego1585", 5000)
    numbers = NUMBERS["fuego1585-amaf"]
    assert (paper.prior, paper.select, paper.parameters) == ("fuego1585", numbers.select, numbers.parameters)
    assert paper.count_kept and paper.resign_below == 0.0
    assert PAPERS_READING.describe()["search"] == {**numbers.parameters, "count_kept": True, "resign_below": 0.0}
    assert not mcts_options("fuego1585", 5000, MIAI).count_kept
    asked = Asked(None, "fuego1585", 5000, PAPERS_READING)
    assert asked.choose().contestant.options == paper
    other = MIAI._replace(without=("rave",))
    assert read_back(json.loads(json.dumps(other.describe()))) == other
    for module in ("policies", "blunders", "fair_komi"):
        made = importlib.import_module(f"miai.cli.experiments.{module}").command
        defaults = {one.name: one.default for one in made.params}
        assert (defaults["prior"], defaults["numbers"]) == PAPERS_READING[:2] and "without" in defaults


def test_a_pair_has_both_colours_and_its_moves_are_the_game() -> None:
    played = plan_of().run_piece(LINES.index("only_cap"))
    assert played["plays_black"].tolist() == [True, False] and played["line"].tolist() == [14, 14]
    for row, length in zip(played["moves"], played["length"], strict=True):
        assert len(replay(row, 9, 6.5).moves) == length
    assert (played["moves"][0] != played["moves"][1]).any()


def test_the_stronger_player_wins_with_either_colour() -> None:
    strong, weak = (player_of(mcts_options(name, number, MIAI)) for name, number in (("fuego", 300), ("random", 1)))
    assert play_game(strong, weak, 6.5).score == 1.0
    assert play_game(weak, strong, 6.5).score == 0.0


def test_twogtp_counts_draws_half_and_leaves_out_duplicates_and_games_without_end() -> None:
    nan = float("nan")
    moves = [[0, 5], [0, 5], [8, 3], [0, 5], [1, 5], [2, 5], [3, 5]]  # the third is the first one mirrored
    scores = scores_of(plan_of(), results_of([1.0, 0.0, 1.0, 0.0, 0.5, nan, 0.0], moves))
    # left: games 1 and 2 (other colours), 5 and 7
    assert scores["no_ad"].games == 4 and scores["no_ad"].percent == pytest.approx(37.5)
    assert scores["no_ad"].error == pytest.approx(100 * np.std([1.0, 0.0, 0.5, 0.0]) / 2)


def test_pairs_that_openings_decide_say_more_than_independent_games() -> None:
    results = results_of([1.0, 0.0] * 20)
    independent = scores_of(plan_of(), results)["no_ad"]
    paired = scores_of(plan_of(counting="pairs"), results)["no_ad"]
    assert paired.games == 40 and paired.percent == independent.percent == 50.0
    assert independent.error == pytest.approx(100 * 0.5 / np.sqrt(40)) and paired.error < independent.error / 2


def test_the_papers_standard_errors_are_those_of_independent_games() -> None:
    for paper in STRENGTHS.values():
        share = paper.score / 100
        assert round(100 * np.sqrt(share * (1 - share) / paper.games), 1) == pytest.approx(paper.error, abs=0.051)


def test_a_difference_is_chance_or_not() -> None:
    z, p = chance_of_difference(Score(2000, 18.2, 0.9, 1.0), STRENGTHS["no_ad"])
    assert z == pytest.approx(0.0) and p == pytest.approx(1.0)
    z, p = chance_of_difference(Score(2000, 22.2, 0.9, 1.0), STRENGTHS["no_ad"])
    assert z == pytest.approx(3.15, abs=0.01) and p == pytest.approx(0.0016, abs=1e-4)
    assert chance_of_difference(Score(2000, 22.2, 0.9, 4.0), STRENGTHS["no_ad"])[1] > p


def test_searches_can_do_without_knowledge() -> None:
    told = mcts_options("no_ad", 10, MIAI._replace(without=("prior", "rave"))).parameters
    assert told == {"rave.prior_weight": 0.0, "rave.schedule": 2, "rave.exploration": 0.4}
    assert plan_of(reading=MctsReading(without=("prior",))).signature() != plan_of().signature()


@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_numbers_of_the_search_are_those_it_was_given(numbers: str) -> None:
    player = player_of(mcts_options("no_ad", 10, reading := MctsReading("policy", numbers, ("rave",))))
    rule = player.options.select
    found = {name: player.parameters()[name].value for name in (f"{rule}.equivalence", "search.expand_at")}
    assert (
        tuple(found.values())
        == {
            "miai": (300.0, 2),
            "fuego1585": (5000.0, 3),
            "fuego1585-amaf": (5000.0, 1),
        }[numbers]
    )
    assert rule == ("rave-fuego" if numbers == "fuego1585-amaf" else "rave")
    assert player.parameters()[f"{rule}.exploration"].value == 0.4
    assert player.options.prior == "policy" and plan_of(reading=reading).signature()["numbers"] == numbers


def run_command(folder: Path, *arguments: str) -> Result:
    shared = ["--parallel", "1", "--simulations", "2", "--policy", "no_ad", "--policy", "R", "--output", str(folder)]
    return CliRunner().invoke(command, [*shared, *arguments])


@pytest.mark.parametrize("counting", ["twogtp", "pairs"])
def test_the_command_writes_a_table_and_a_figure_and_goes_on(tmp_path: Path, counting: str) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    assert run_command(folder, "--games", "2", "--counting", counting).exit_code == 0
    result = run_command(folder, "--games", "4", "--counting", counting)
    assert result.exit_code == 0, result.output
    table = (folder / "table.md").read_text()
    assert "18.2 ± 0.9" in table and "the full size of 2,500 games of these lines would take" in table
    assert set(read_scores(folder)) == {"no_ad", "R"}
    header, first, second = (folder / "table.csv").read_text().splitlines()
    assert header == "policy,games,score,error,paper_score,paper_error,z,p,command"
    assert first.startswith("no_ad,") and ",18.2,0.9," in first and second.startswith("R,")
    assert (folder / "strengths.svg").stat().st_size > 1000
    plan = plan_of(lines=("no_ad", "R"), games=4, counting=counting)
    assert load_results(plan, folder)["line"].tolist().count(LINES.index("no_ad")) == 4
    with np.load(folder / "games.npz") as data:
        assert data["lines"].tolist() == list(LINES) and len(data["score"]) == 8


def test_an_odd_number_of_games_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run_command(tmp_path / "out", "--games", "3")
    assert result.exit_code == 2 and "--games 3 is not allowed (allowed: an even number)" in result.output
