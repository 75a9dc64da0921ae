"""Learning pattern strengths: the fit finds known strengths again, and the command writes what playouts read."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from engine.go.game import Game
from engine.go.points import BLACK, PASS, opponent
from engine.go.sgf import save_game
from engine.random import new_stream
from playouts.patterns import canonical_codes, matched_codes, read_strengths
from playouts.policy import make_policy
from playouts.scratch import new_scratch
from selfplay.fit_patterns import command, competitions_of_game, fit, gather, log_likelihood

_FORMS = np.unique(canonical_codes(matched_codes()))


def _drawn_competitions(strengths: np.ndarray, number: int) -> list[tuple[list[int], int]]:
    """Return competitions of two to five shapes whose winners are drawn by the given strengths."""
    generator = np.random.default_rng(7)
    found = []
    for _ in range(number):
        shapes = generator.integers(0, len(strengths), size=generator.integers(2, 6))
        chances = strengths[shapes] / strengths[shapes].sum()
        found.append((_FORMS[shapes].tolist(), int(generator.choice(len(shapes), p=chances))))
    return found


def test_the_fit_finds_the_strengths_that_drew_the_winners() -> None:
    known = np.array([0.1, 0.5, 1.0, 2.0, 8.0])
    games = gather(_drawn_competitions(known, 20000), _FORMS)
    found, rounds = fit(games, len(known), prior=0.01, tolerance=1e-6, limit=1000)
    assert rounds < 1000
    assert found / found[2] == pytest.approx(known, rel=0.12)
    assert log_likelihood(found, games) >= log_likelihood(known, games)


def test_each_round_makes_the_games_more_probable() -> None:
    games = gather(_drawn_competitions(np.array([0.2, 1.0, 3.0]), 500), _FORMS)
    values = [log_likelihood(fit(games, 3, 1e-9, 0.0, rounds)[0], games) for rounds in range(1, 12)]
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(values))


def test_a_shape_never_seen_keeps_strength_one() -> None:
    games = gather([(_FORMS[[0, 1]].tolist(), 0)] * 5, _FORMS)
    found, _ = fit(games, 3, prior=1.0, tolerance=1e-9, limit=500)
    assert found[2] == pytest.approx(1.0)
    assert found[0] > 1.0 > found[1]


def _play_game(seed: int) -> Game:
    game = Game(9)
    scratch = new_scratch(9)
    scratch[0]["stream"] = new_stream(seed)
    choose = make_policy("no_bp").choose
    color = BLACK
    while not game.is_over and len(game.moves) < 150:
        move = int(choose(game.copy().board, scratch[0]))
        if not game.is_legal(color, move):
            move = PASS
        game.play(color, move)
        color = opponent(color)
    return game


def test_the_command_writes_strengths_of_known_shapes_and_names_broken_files(tmp_path: Path) -> None:
    for seed in range(6):
        save_game(_play_game(seed), tmp_path / f"{seed}.sgf")
    (tmp_path / "broken.sgf").write_text("no game")
    output = tmp_path / "strengths.txt"
    result = CliRunner().invoke(command, [str(tmp_path), "--output", str(output), "--held-out", "3"])
    assert result.exit_code == 0, result.output
    assert "games 6, broken 1" in result.output
    assert "held out" in result.output
    strengths = read_strengths(output)
    assert strengths
    assert set(strengths) <= set(_FORMS.tolist())


def test_the_command_refuses_a_folder_without_games(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.exit_code == 1
    assert "0 readable games" in result.output


def test_competitions_are_the_moves_that_the_pattern_layer_could_have_played() -> None:
    game = _play_game(3)
    competitions = competitions_of_game(game)
    assert 3 < len(competitions) < len(game.moves)
    for codes, played in competitions:
        assert len(codes) >= 2
        assert 0 <= played < len(codes)
        assert np.isin(codes, _FORMS).all()
