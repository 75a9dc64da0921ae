"""What flags of `miai fit-moves` and `miai fit-outcomes` do to the fit."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli.main import main
from miai.engine.go.game import Game
from miai.engine.go.points import PASS
from miai.engine.go.sgf import save_game
from miai.playouts.outcome import read_weights


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Return a folder of four games of twelve random moves and two passes, on 9x9."""
    folder = tmp_path / "games"
    folder.mkdir()
    for seed in range(4):
        game, stream = Game(9), random.Random(seed)
        for _ in range(12):
            game.play(game.to_play, stream.choice(game.legal_points(game.to_play)))
        game.play(game.to_play, PASS)
        game.play(game.to_play, PASS)
        save_game(game, folder / f"{seed}.sgf")
    return folder


def fit(name: str, games: Path, *arguments: object) -> str:
    """Run a command that holds out every other game; return what it said."""
    output = games.parent / "fitted.txt"
    words = [name, games, "--output", output, "--held-out", 2, *arguments]
    ended = CliRunner().invoke(main, [str(word) for word in words])
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_the_first_moves_of_each_game_are_left_out(games: Path) -> None:
    for skip, number in ((0, 28), (10, 8), (12, 4)):
        said = fit("fit-moves", games, "--min-count", 1, "--skip", skip)
        assert f"moves {number} to learn from, {number} held out" in said


def test_a_fit_that_may_be_rough_ends_sooner(games: Path) -> None:
    rounds = []
    for tolerance in (100.0, 0.1, 0.001):
        said = fit("fit-moves", games, "--min-count", 1, "--rounds", 10_000, "--tolerance", tolerance)
        rounds.append(int(re.findall(r"^converged in (\d+) rounds$", said, re.MULTILINE)[0]))
    assert 1 == rounds[0] < rounds[1] < rounds[2]


def test_a_penalty_keeps_the_weights_of_outcomes_small(games: Path) -> None:
    largest = []
    for penalty in ("1e-05", "1", "1000"):
        fit("fit-outcomes", games, "--rounds", 50, "--penalty", penalty)
        assert f"penalty {penalty}; held out" in (games.parent / "fitted.txt").read_text()
        largest.append(float(np.abs(read_weights(games.parent / "fitted.txt")).max()))
    assert largest[0] > 2 * largest[1] > 200 * largest[2] > 0
