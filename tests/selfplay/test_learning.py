"""`miai loop` learns 5x5 from nothing: what is known of the game is found by a network that began with random moves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.go.game import Game
from engine.go.points import BLACK
from gtp.options import PlayerOptions
from gtp.player import Player

ROOT = Path(__file__).parents[2]
RECIPE = """
batch_size = 64
reuse = 4
average_decay = 0.98
score_weight = 0.005
"""
LOOP = (
    *("--size", "5", "--komi", "24", "--komi-range", "20", "25", "--blocks", "3", "--filters", "32"),
    *("--teacher", "uct-random:simulations=1", "--teacher-games", "300", "--games", "200", "--simulations", "16"),
    *("--opening-window", "0", "1", "--rate-every", "10", "--rate-simulations", "32"),
)


@pytest.mark.slow
def test_5x5_is_learned_from_random_games(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    recipe, loop = tmp_path / "recipe.toml", tmp_path / "loop"
    recipe.write_text(RECIPE)
    program = [sys.executable, "-m", "gtp.command_line", "loop", "--output", loop, "--networks", "30"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([*program, *LOOP, "--recipe", recipe], cwd=ROOT, env=environment, check=True)
    net = str(max((loop / "training" / "nets").iterdir()))
    player = Player(PlayerOptions(select="puct", evaluator="net", net=net, simulations=100, batch=8, seed=1))
    game = Game(5, komi=24.0)
    player.search_root(game, BLACK, 100, early_stop=False)
