"""Regret: what a network's best move loses is what the teacher says of the positions before and after it."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli.main import main
from miai.engine.go.actions import move_of_action
from miai.engine.go.points import vertex_of
from miai.library.games import Game
from miai.library.networks import Evaluation, Network
from miai.nets.net_files import net_file
from miai.selfplay.data.format import GameFile, write_games
from miai.selfplay.labelling.pieces import find_pieces
from miai.selfplay.labelling.regret import Asked, Judge, Regrets, draw_positions
from miai.selfplay.labelling.teacher import Teacher, TeacherOptions
from tests.selfplay.games_for_tests import random_game, record_of

NUM_GAMES = 5


def _network(name: str) -> Teacher:
    return Teacher(TeacherOptions(net_file(name), "openvino", symmetry="none"))


def _positions(folder: Path, number: int = 1000, seed: int = 1) -> list[Asked]:
    return draw_positions(find_pieces([folder], 7.0, 1.0, pytest.fail), number, seed)


def _played(file: GameFile, row: int) -> list[str]:
    """Return the moves before a row."""
    game = int(np.searchsorted(file.games["first"], row, side="right")) - 1
    moves = file.move[int(file.games["first"][game]) : row].tolist()
    return [vertex_of(move_of_action(move, file.size), file.size) for move in moves]


def _expected(said: Evaluation) -> float:
    return said.win + 0.5 * said.draw


@pytest.fixture(name="games")
def write_some(tmp_path: Path) -> Path:
    """Return a folder of random games."""
    write_games(tmp_path / "games", [record_of(random_game(2 * seed), seed) for seed in range(NUM_GAMES)])
    return tmp_path / "games"


def test_a_loss_is_what_the_teacher_says_before_and_after_the_move(games: Path) -> None:
    asked = _positions(games, 40)
    found = Judge(_network("miai"), asked, lambda number: None).regrets(_network("miai-zero"))
    teacher, network = Network("miai", "openvino"), Network("miai-zero", "openvino")
    place = 0
    for one in asked:
        for row in one.rows.tolist():
            game = Game(one.file.size, 7.5).play(*_played(one.file, row))
            before, said = teacher.evaluate(game), network.evaluate(game)
            best = next(iter(said.policy))
            after = teacher.evaluate(game.play(best))
            assert found.loss[place] == pytest.approx(_expected(before) + _expected(after) - 1.0, abs=2e-3)
            assert found.value_error[place] == pytest.approx(abs(_expected(said) - _expected(before)), abs=2e-3)
            assert found.agrees[place] == (best == next(iter(before.policy)))
            assert found.played[place] == len(_played(one.file, row))
            place += 1
    assert place == len(found.loss) == 40


def test_a_teacher_agrees_with_itself_and_every_position_is_reported(games: Path) -> None:
    asked, reported = _positions(games, 30), []
    teacher = _network("miai-zero")
    judge = Judge(teacher, asked, reported.append)
    first, second = judge.regrets(teacher), judge.regrets(_network("miai-zero"))
    assert first.agrees.all() and not first.value_error.any()
    assert np.array_equal(first.loss, second.loss)
    assert sum(reported) == 5 * 30


def test_no_position_is_drawn_twice_or_after_a_pass(games: Path) -> None:
    everything = _positions(games)
    rows = np.concatenate([one.rows for one in everything])
    (file,) = {id(one.file): one.file for one in everything}.values()
    starts = set(file.games["first"].tolist())
    passes = set(np.flatnonzero(file.move == file.size**2).tolist())
    assert passes and not {row for row in rows.tolist() if row - 1 in passes and row not in starts}
    assert len(rows) == len(set(rows.tolist())) > 50 * NUM_GAMES
    some = [one.rows.tolist() for one in _positions(games, 20, 3)]
    assert (
        some
        == [one.rows.tolist() for one in _positions(games, 20, 3)]
        != [one.rows.tolist() for one in _positions(games, 20, 4)]
    )
    assert sum(map(len, some)) == 20 and set(some[0]) <= set(rows.tolist())


def test_the_error_is_over_games() -> None:
    loss = np.array([0.0, 0.0, 1.0, 1.0], dtype=np.float32)
    nothing = np.zeros(4, dtype=np.float32)
    found = Regrets(loss, nothing > 0, nothing, np.array([0, 30, 0, 50]), np.array([0, 0, 1, 1]))
    assert found.mean() == pytest.approx((0.5, 0.5))
    one_game_each = Regrets(loss, nothing > 0, nothing, found.played, np.arange(4))
    assert one_game_each.mean() == pytest.approx((0.5, 0.5 / 3**0.5))
    assert found.by_phase() == {"opening": 0.5, "middle": 0.0, "endgame": 1.0}


def test_the_command_compares_networks(games: Path) -> None:
    arguments = ["regret", str(games), "--teacher", "miai", "--backend", "openvino", "--positions", "25"]
    outcome = CliRunner().invoke(main, [*arguments, "--net", "miai", "--net", "miai-zero"])
    assert outcome.exit_code == 0, outcome.output
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith("25 positions of ")
    judged = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[4:]]
    assert [row[0] for row in judged] == ["miai", "miai-zero"]
    assert judged[0][-2:] == ["100.0", "0.0000"] and judged[0][2] == ""
    first, second, change = (float(text.split()[0]) for text in (judged[0][1], judged[1][1], judged[1][2]))
    assert change == pytest.approx(second - first, abs=2e-4)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--teacher", "nobody", "--net", "miai"], "nobody"),
        (["--teacher", "miai", "--net", "nobody"], "nobody"),
        (["--teacher", "miai", "--net", "miai", "--backend", "abacus"], "abacus"),
        (["--teacher", "miai"], "--net"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_line(games: Path, arguments: list[str], reason: str) -> None:
    outcome = CliRunner().invoke(main, ["regret", str(games), *arguments])
    assert outcome.exit_code in (1, 2) and isinstance(outcome.exception, SystemExit), outcome.output
    assert outcome.output.splitlines()[-1].startswith("Error: ") and reason in outcome.output.splitlines()[-1]


def test_a_folder_without_games_is_refused(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(main, ["regret", str(tmp_path), "--teacher", "miai", "--net", "miai"])
    assert outcome.exit_code == 1 and outcome.stderr == f"Error: there are no positions in {tmp_path}\n"
