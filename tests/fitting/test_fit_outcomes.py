"""Learning outcomes from games: the fit against known weights, and the commands on games played here."""

import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli import branch_games as branch_command
from miai.cli import fit_outcomes
from miai.cli.main import main
from miai.engine.go.board import play
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, MAX_KOMI, PASS, RESIGN, format_score, opponent
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import GameInfo, load_game, save_game
from miai.fitting.outcome_regression import (
    Cases,
    calibration,
    constant_chances,
    fit,
    join_cases,
    probabilities,
    quality,
)
from miai.fitting.outcome_weights import cases_of_game
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.playouts.outcome import BOUNDS, DRAW, LOSS, PHASES, TERMS, WIN, new_estimate, read_weights
from miai.playouts.outcome_features import FEATURES
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace
from miai.selfplay import branch_games
from tests.playouts.outcome import find_outcome


def _play_game(seed: int, komi: float = 7.0, rules: str = "tromp-taylor") -> Game:
    game = Game(9, komi, RULES[rules])
    workspace = new_playout_workspace(9, seed)
    choose = make_policy("random").choose
    color = BLACK
    while not game.is_over:
        move = int(choose(game.copy().board, workspace[0]))
        game.play(color, move if game.is_legal(color, move) else PASS)
        color = opponent(color)
    return game


def _drawn_cases(number: int, weights: np.ndarray) -> Cases:
    """Return cases whose features are random and whose outcomes are drawn by the given weights."""
    rng = np.random.default_rng(3)
    features = np.zeros((number, len(FEATURES)), dtype=np.float32)
    for name, most in (("own.stones", 20), ("other.stones", 20), ("own.area_0", 4), ("other.area_0", 4)):
        features[:, FEATURES.index(name)] = rng.integers(0, most, size=number)
    features[:, FEATURES.index("turn")] = 1
    places = rng.random(number) * (len(PHASES) - 1)
    weights_by_phase = np.maximum(0, 1 - abs(places[:, None] - np.arange(len(PHASES)))).astype(np.float32)
    komi = (rng.integers(-6, 7, size=number) / 2).astype(np.float32)
    cases = Cases(features, weights_by_phase, komi, np.full(number, 81), np.zeros(number, dtype=np.int64))
    chances = probabilities(cases, weights)
    outcomes = (rng.random(number)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    return cases._replace(outcomes=np.minimum(outcomes, 2))


def test_the_fit_finds_the_weights_that_drew_the_outcomes() -> None:
    known = {"own.stones": 0.08, "other.stones": -0.12, "turn": 0.3, "komi": -0.15, "draw": -0.4, "draw.odd": -1.5}
    known[f"ahead.margin_0_{BOUNDS[1]:g}"] = 0.7
    known[f"apart.margin_0_{BOUNDS[1]:g}"] = -0.9
    weights = np.array([np.full(len(PHASES), known.get(term, 0.0)) for term in TERMS])
    weights[TERMS.index("own.stones")] *= np.linspace(0.5, 2.0, len(PHASES))
    cases = _drawn_cases(100_000, weights)
    found, rounds = fit(cases, 1e-9, 300, tuple(known))
    assert rounds < 300
    for term in known:
        row = TERMS.index(term)
        tolerance = 0.04 if term.endswith(("stones", "komi")) else 0.5
        assert found[row] == pytest.approx(weights[row], abs=tolerance), term
        assert found[row].mean() == pytest.approx(weights[row].mean(), abs=tolerance / 3), term
    assert quality(probabilities(cases, found), cases.outcomes).log_loss <= (
        quality(probabilities(cases, weights), cases.outcomes).log_loss
    )
    assert not found[[TERMS.index(term) for term in TERMS if term not in known]].any()


def test_weights_of_komi_and_margins_keep_their_signs_where_outcomes_say_the_opposite() -> None:
    known = {"komi": 0.3, "draw": 0.1}
    weights = np.array([np.full(len(PHASES), known.get(term, 0.0)) for term in TERMS])
    found, _ = fit(_drawn_cases(2000, weights), 1e-6, 50)
    assert (found[TERMS.index("komi")] <= 0).all()
    rows = [index for index, term in enumerate(TERMS) if term.startswith("ahead")]
    assert (found[rows] >= 0).all()


def test_cases_are_positions_of_the_game_with_the_result_under_each_komi() -> None:
    game = _play_game(1, komi=5.5)
    cases = cases_of_game(game, 10, np.random.default_rng(1))
    assert cases.number == 30
    score = game.score() + game.komi
    is_black = cases.komi[:10] == 5.5
    assert 0 < is_black.sum() < 10
    margin = np.tile(np.where(is_black, score, -score), 3) - cases.komi
    assert (np.where(margin > 0, WIN, np.where(margin < 0, LOSS, DRAW)) == cases.outcomes).all()
    assert (abs(cases.komi[10:]) <= 20.5).all()
    assert len(set(cases.komi[10:].tolist())) > 5


def test_compiled_code_and_regression_agree() -> None:
    game = _play_game(2)
    rng = np.random.default_rng(5)
    weights = rng.normal(scale=0.05, size=(len(TERMS), len(PHASES)))
    cases = cases_of_game(game, len(game.moves), rng)
    expected = probabilities(cases, weights)
    estimate = new_estimate(9, weights)
    board = Game(9).copy()._boards
    for index, (color, move) in enumerate(game.moves):
        board[0]["to_play"] = color
        assert find_outcome(board[0], 7.0, estimate) == pytest.approx(expected[index], abs=1e-4)
        play(board[0], move)


def test_measures_of_probabilities() -> None:
    outcomes = np.array([WIN, WIN, LOSS, DRAW])
    found = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 1.0, 0.0]])
    measured = quality(found, outcomes)
    assert measured.accuracy == 0.75
    assert measured.brier == pytest.approx((0.375 + 1.82) / 4)
    assert measured.log_loss == pytest.approx((np.log(2) + np.log(1e12)) / 4)
    bins = calibration(found[:, WIN], outcomes == WIN)
    assert [(entry.number, entry.expected, entry.seen) for entry in bins] == [
        (1, 0.0, 0.0),
        (1, 0.5, 1.0),
        (2, pytest.approx(0.95), 0.5),
    ]


def test_constant_chances_tell_apart_where_a_draw_is_possible() -> None:
    part = cases_of_game(_play_game(3), 4, np.random.default_rng(1))
    cases = join_cases([part, part])._replace(
        komi=np.array([0.5, 1.0] * part.number, dtype=np.float32), outcomes=np.array([WIN, DRAW] * part.number)
    )
    assert constant_chances(cases).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_a_branch_starts_beside_the_game_and_is_played_to_the_end(tmp_path: Path) -> None:
    game = _play_game(4)
    for seed in range(5):
        branch = branch_games.branch_off(game, random.Random(seed))
        assert branch is not None
        assert abs(branch.komi - game.komi) <= 12
        assert not branch.moves
    folder = tmp_path / "games"
    folder.mkdir()
    save_game(game, folder / "1.sgf")
    arguments = [str(folder), str(tmp_path / "branches"), "--games", "2", "--simulations", "4"]
    result = CliRunner().invoke(branch_command.command, arguments)
    assert result.exit_code == 0, result.output
    for path in sorted((tmp_path / "branches").iterdir()):
        found, info = load_game(path)
        assert found.is_over
        assert found.setup_stones
        assert info.result[0] in "BW0"


def test_all_stones_of_a_branch_count_whatever_the_rules_of_its_game() -> None:
    branch = branch_games.branch_off(_play_game(4, rules="chinese"), random.Random(1))
    assert branch is not None and not branch.rules.removes_dead and not branch.rules.has_superko


def test_a_run_that_goes_on_plays_the_same_branches(tmp_path: Path) -> None:
    folder, output = tmp_path / "games", tmp_path / "branches"
    folder.mkdir()
    save_game(_play_game(4), folder / "1.sgf")
    contents = []
    for _ in range(2):
        result = CliRunner().invoke(
            branch_command.command, [str(folder), str(output), "--games", "2", "--simulations", "4"]
        )
        assert result.exit_code == 0, result.output
        contents.append((output / "00002.sgf").read_bytes())
        (output / "00002.sgf").unlink()
    assert contents[0] == contents[1]


def test_a_player_that_would_resign_plays_a_branch_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miai.players.player.decide", lambda *_: RESIGN)
    game = Game(3)
    branch_games.play_to_end(game, Player(PlayerOptions(simulations=20, seed=1)))
    assert any(move != PASS for _, move in game.moves)


def test_a_branch_of_a_game_with_extreme_komi_keeps_within_what_is_allowed() -> None:
    for komi in (-MAX_KOMI, MAX_KOMI):
        for seed in range(10):
            branch = branch_games.branch_off(_play_game(4, komi), random.Random(seed))
            assert branch is not None and abs(branch.komi) <= MAX_KOMI


def test_the_command_writes_weights_that_the_estimate_reads(tmp_path: Path) -> None:
    for seed in range(8):
        save_game(_play_game(seed), tmp_path / f"{seed}.sgf")
    (tmp_path / "broken.sgf").write_text("no game")
    unfinished = Game(9)
    unfinished.play(BLACK, PASS)
    save_game(unfinished, tmp_path / "unfinished.sgf")
    output = tmp_path / "weights.txt"
    arguments = [str(tmp_path), "--output", str(output), "--held-out", "4", "--rounds", "20"]
    outputs = []
    for _ in range(2):
        result = CliRunner().invoke(fit_outcomes.command, arguments)
        assert result.exit_code == 0, result.output
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1]
    assert "8 finished games, 1 unfinished, 1 broken" in result.output
    assert "stones and komi" in result.output
    assert read_weights(output).any()


def test_games_scored_otherwise_than_the_board_stands_are_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, rules in enumerate(("tromp-taylor", "chinese", "chinese")):
        game = _play_game(seed, rules=rules)
        save_game(game, tmp_path / f"right-{seed}.sgf", GameInfo(result=format_score(game.score())))
    game = _play_game(3)
    save_game(game, tmp_path / "other.sgf", GameInfo(result=f"B+{abs(game.score()) + 9:g}"))
    save_game(game, tmp_path / "resigned.sgf", GameInfo(result="W+R"))
    save_game(_play_game(4, rules="chinese"), tmp_path / "unknown.sgf")
    arguments = [str(tmp_path), "--output", str(tmp_path / "weights.txt"), "--held-out", "3", "--rounds", "1"]
    result = CliRunner().invoke(fit_outcomes.command, arguments)
    assert result.exit_code == 0, result.output
    assert "3 finished games, 0 unfinished, 0 broken, 3 scored otherwise" in result.output
    told = result.output + capsys.readouterr().err
    assert all(f"left out: {tmp_path / name}.sgf" in told for name in ("other", "resigned", "unknown"))
    assert "right-" not in told


@pytest.mark.parametrize("name", ["fit-moves", "fit-patterns", "fit-outcomes", "branch-games"])
def test_a_folder_without_games_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    source, output = tmp_path / "games", tmp_path / "new"
    source.mkdir()
    arguments = [name, str(source), *([str(output)] if name == "branch-games" else ["--output", str(output)])]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "games" in result.output and str(source) in result.output and len(result.output.splitlines()) == 1
    assert not output.exists()


def test_a_branch_that_cannot_be_played_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    save_game(_play_game(1), tmp_path / "game.sgf")
    monkeypatch.setattr(branch_command, "play_to_end", fail)
    result = CliRunner().invoke(main, ["branch-games", str(tmp_path), str(tmp_path / "new")])
    assert result.exit_code == 1 and result.output == "Error: No space left on device\n"
    assert not (tmp_path / "new").exists()
