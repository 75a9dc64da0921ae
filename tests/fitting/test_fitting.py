"""Learning strengths from games: the commands write what playouts and prior knowledge read."""

from pathlib import Path

import numpy as np
import pytest
from click import Command
from click.testing import CliRunner

from miai.cli import fit_moves, fit_patterns
from miai.engine.go.board import new_board, play
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, opponent
from miai.engine.go.sgf import save_game
from miai.engine.random import new_stream
from miai.fitting import move_strengths, pattern_strengths
from miai.playouts.distribution import propose
from miai.playouts.move_features import FEATURES
from miai.playouts.move_features import read_strengths as read_move_strengths
from miai.playouts.patterns import canonical_codes, matched_codes, read_strengths
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

_FORMS = np.unique(canonical_codes(matched_codes()))


def _play_game(seed: int) -> Game:
    game = Game(9)
    workspace = new_playout_workspace(9)
    workspace[0]["stream"] = new_stream(seed)
    choose = make_policy("no_bp").choose
    color = BLACK
    while not game.is_over and len(game.moves) < 150:
        move = int(choose(game.copy().board, workspace[0]))
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
    result = CliRunner().invoke(fit_patterns.command, [str(tmp_path), "--output", str(output), "--held-out", "3"])
    assert result.exit_code == 0, result.output
    assert "games 6, broken 1" in result.output
    assert "held out" in result.output
    strengths = read_strengths(output)
    assert strengths
    assert set(strengths) <= set(_FORMS.tolist())


@pytest.mark.parametrize("command", [fit_patterns.command, fit_moves.command])
def test_the_command_refuses_a_folder_without_games(command: Command, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.exit_code == 1
    assert "0 readable games" in result.output


def test_pattern_competitions_are_the_moves_that_the_layer_could_have_played() -> None:
    game = _play_game(3)
    competitions = pattern_strengths.competitions_of_game(game, _FORMS)
    assert 3 < len(competitions) < len(game.moves)
    for shapes, played in competitions:
        assert len(shapes) >= 2
        assert 0 <= played < len(shapes)
        assert ((shapes > 0) & (shapes <= len(_FORMS))).all()


def test_the_command_writes_strengths_of_moves_that_knowledge_reads(tmp_path: Path) -> None:
    for seed in range(6):
        save_game(_play_game(seed), tmp_path / f"{seed}.sgf")
    output = tmp_path / "moves.txt"
    arguments = [str(tmp_path), "--output", str(output), "--held-out", "3", "--min-count", "5"]
    result = CliRunner().invoke(fit_moves.command, arguments)
    assert result.exit_code == 0, result.output
    shapes, features = read_move_strengths(output)
    assert set(features) < set(FEATURES)
    assert features["layer.atari_capture"] > 1.0 > features["liberties.self_atari_1"]
    assert canonical_codes(np.array(list(shapes))).tolist() == list(shapes)


def test_every_move_of_a_game_is_a_competition_among_the_playable_moves() -> None:
    game = _play_game(4)
    competitions = move_strengths.competitions_of_game(game, skip=10)
    assert len(game.moves) - 20 <= len(competitions) <= len(game.moves) - 10
    board = new_board(9)
    for color, move in game.moves[:10]:
        board[0]["to_play"] = color
        play(board[0], move)
    first_candidates, _ = competitions[0]
    assert len(first_candidates) == len(propose(make_policy("random"), board[0]).moves) + 1
