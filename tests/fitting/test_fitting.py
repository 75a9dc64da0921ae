"""Learning strengths from games: the commands write what playouts and prior knowledge read."""

from pathlib import Path

import numpy as np
import pytest
from click import Command
from click.testing import CliRunner

from miai.cli import fit_moves, fit_patterns
from miai.cli.games_to_fit import read_games_to_fit
from miai.engine.go.board import new_board, play
from miai.engine.go.game import Game
from miai.engine.go.game_files import positions_of_game
from miai.engine.go.points import BLACK, PASS, WHITE, opponent, vertex_of
from miai.engine.go.rules import SIMPLE, Rules
from miai.engine.go.sgf import GameInfo, save_game
from miai.engine.random import new_stream
from miai.fitting import move_strengths, pattern_strengths
from miai.playouts.distribution import propose
from miai.playouts.move_features import FEATURES
from miai.playouts.move_features import read_strengths as read_move_strengths
from miai.playouts.patterns import canonical_codes, matched_codes, read_strengths
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace
from miai.selfplay.data.format import file_content, join_games, read_games
from miai.selfplay.data.labels import Labels, with_labels
from miai.selfplay.import_games import record_of_game

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
    result = CliRunner().invoke(command, [str(tmp_path), "--output", str(tmp_path / "learned.txt")])
    assert result.exit_code == 1
    assert "0 readable games" in result.output


def test_pattern_competitions_are_the_moves_that_the_layer_could_have_played() -> None:
    game = _play_game(3)
    competitions = pattern_strengths.competitions_of_game(positions_of_game(game), 9, _FORMS)
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


def test_too_few_games_for_the_shapes_that_are_asked_for_are_refused(tmp_path: Path) -> None:
    for seed in range(3):
        save_game(_play_game(seed), tmp_path / f"{seed}.sgf")
    output = tmp_path / "moves.txt"
    arguments = [str(tmp_path), "--output", str(output), "--held-out", "3", "--min-count", "100000"]
    result = CliRunner().invoke(fit_moves.command, arguments)
    assert result.exit_code == 1
    assert result.output == "Error: no shape was seen 100000 times; lower --min-count or give more games\n"
    assert not output.exists()


def test_every_move_of_a_game_is_a_competition_among_the_playable_moves() -> None:
    game = _play_game(4)
    competitions = move_strengths.competitions_of_game(positions_of_game(game), 9, skip=10)
    assert len(game.moves) - 20 <= len(competitions) <= len(game.moves) - 10
    board = new_board(9)
    for color, move in game.moves[:10]:
        board[0]["to_play"] = color
        play(board[0], move)
    first_candidates, _ = competitions[0]
    assert len(first_candidates) == len(propose(make_policy("random"), board[0]).moves) + 1


def _label(folder: Path, games: list[Game], favourite: int) -> None:
    """Write games whose teacher prefers a policy index everywhere, and says nothing of every third position."""
    folder.mkdir()
    records = [record_of_game(game, GameInfo()) for game in games]
    file = join_games(records)
    rows = np.flatnonzero(np.arange(file.num_rows) % 3)
    policy = np.zeros((len(rows), 82), dtype=np.uint16)
    policy[:, [favourite, 81]] = 60_000, 5_000
    file = with_labels(
        file,
        rows,
        Labels(
            policy,
            np.full((len(rows), 3), 20_000, dtype=np.uint16),
            np.zeros(len(rows), dtype=np.float32),
            np.zeros((len(rows), 81), dtype=np.int8),
        ),
    )
    (folder / "games-00000001.npz").write_bytes(file_content(file))


def test_the_best_moves_of_a_teacher_are_learned_where_it_says_something(tmp_path: Path) -> None:
    games = [_play_game(seed) for seed in range(6)]
    _label(tmp_path / "labels", games, favourite=40)
    found, num_broken = read_games_to_fit(tmp_path / "labels")
    assert (len(found), num_broken) == (6, 0)
    told = [[move and vertex_of(move, 9) for _, move in game.positions()] for game in found]
    assert [len(moves) for moves in told] == [len(game.moves) for game in games]
    flat = [move for moves in told for move in moves]
    assert flat == ["E5" if number % 3 else None for number in range(len(flat))]
    competitions = move_strengths.competitions_of_game(found[0].positions(), 9, skip=0)
    assert 3 < len(competitions) <= len(games[0].moves) * 2 // 3 + 1
    result = CliRunner().invoke(
        fit_moves.command,
        [str(tmp_path / "labels"), "--output", str(tmp_path / "moves.txt"), "--held-out", "3", "--min-count", "5"],
    )
    assert result.exit_code == 0 and "games 6, broken 0" in result.output


def test_game_data_without_labels_is_no_teacher(tmp_path: Path) -> None:
    (tmp_path / "games-00000001.npz").write_bytes(file_content(join_games([record_of_game(_play_game(1), GameInfo())])))
    result = CliRunner().invoke(fit_patterns.command, [str(tmp_path), "--output", str(tmp_path / "learned.txt")])
    assert result.exit_code == 1 and "have no labels: see miai label" in result.output
    (tmp_path / "games-00000002.npz").write_bytes(b"no game")
    result = CliRunner().invoke(fit_patterns.command, [str(tmp_path), "--output", str(tmp_path / "learned.txt")])
    assert result.exit_code == 1 and "have no labels: see miai label" in result.output
    (tmp_path / "games-00000001.npz").unlink()
    result = CliRunner().invoke(fit_patterns.command, [str(tmp_path), "--output", str(tmp_path / "learned.txt")])
    assert result.exit_code == 1 and f"0 readable games in {tmp_path}, 1 broken: too few" in result.output


def test_labelled_games_with_illegal_moves_are_named_and_left_out(tmp_path: Path) -> None:
    _label(tmp_path / "labels", [_play_game(seed) for seed in range(4)], favourite=40)
    path = tmp_path / "labels" / "games-00000001.npz"
    file = read_games(path)
    file.move[1] = file.move[0]
    (tmp_path / "labels" / "games-00000002.npz").write_bytes(file_content(file))
    found, num_broken = read_games_to_fit(tmp_path / "labels")
    assert (len(found), num_broken) == (4, 1)


def test_labelled_games_that_break_their_own_rules_are_named_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suicide = Game(9, rules=Rules(SIMPLE, suicide=True))
    for color, move in ((BLACK, "A2"), (WHITE, "pass"), (BLACK, "B1"), (WHITE, "A1")):
        suicide.play(color, move)
    _label(tmp_path / "labels", [_play_game(1), suicide, _play_game(2)], favourite=40)
    path = tmp_path / "labels" / "games-00000001.npz"
    file = read_games(path)
    file.games["suicide"] = 0
    path.write_bytes(file_content(file))
    found, num_broken = read_games_to_fit(tmp_path / "labels")
    assert (len(found), num_broken) == (2, 1)
    assert f"{path}: game 2: A1 is illegal: suicide" in capsys.readouterr().err
