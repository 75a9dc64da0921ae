"""`miai loop` learns 5x5 from nothing: a network that began with random moves finds what is known of the game.

Black in the centre wins the whole board, which komi 24 makes the difference between winning and losing by a point.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE, move_at
from miai.engine.search.root import RootStatistics
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.selfplay.loop.journal import Journal

ROOT = Path(__file__).parents[2]
NETWORKS = 40
RECIPE = """
batch_size = 64
reuse = 4
ema_decay = 0.98
score_weight = 0.005
"""
LOOP = (
    *("--size", "5", "--komi", "24", "--komi-range", "20", "25", "--blocks", "3", "--filters", "32"),
    *("--teacher", "uct-random:simulations=1", "--teacher-games", "300", "--games", "200", "--simulations", "16"),
    *("--opening-window", "0", "1", "--rate-every", "10", "--rate-simulations", "32"),
    *("--networks", str(NETWORKS)),
)


def prior(found: RootStatistics, *vertices: str) -> float:
    """Return what the network gives these points together."""
    by_action = {
        action_of_move(int(move), 5): float(prior) for move, prior in zip(found.moves, found.priors, strict=True)
    }
    return sum(by_action[action_of_move(move_at(vertex, 5), 5)] for vertex in vertices)


@pytest.mark.slow
def test_5x5_is_learned_from_random_games(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    recipe, loop = tmp_path / "recipe.toml", tmp_path / "loop"
    recipe.write_text(RECIPE)
    program = [sys.executable, "-m", "miai.cli.main", "loop", "--output", str(loop), "--recipe", str(recipe), *LOOP]
    subprocess.run(program, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)
    entries = Journal(loop / "journal.jsonl").entries
    assert len(entries) == NETWORKS
    net = max((loop / "training" / "nets").iterdir())
    player = Player(PlayerOptions(select="puct", evaluator="net", net=str(net), batch=4, seed=1))
    game = Game(5, komi=24.0)
    first = player.search_root(game, BLACK, 200, early_stop=False)
    assert prior(first, "C3") > 0.5
    assert first.moves[np.argmax(first.policy)] == move_at("C3", 5)
    assert first.value > 0.6
    game.play(BLACK, move_at("C3", 5))
    second = player.search_root(game, WHITE, 200, early_stop=False)
    assert prior(second, "B3", "C2", "C4", "D3") > 0.8
