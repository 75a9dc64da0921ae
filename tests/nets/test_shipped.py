"""The networks that come with miai: small, whole, and described."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, move_at
from miai.nets.config import CONFIGS, SHIPPED
from miai.nets.net_files import load_weights, net_file
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Player

MAX_BYTES = 4 << 20
FORMS = {
    "miai": replace(CONFIGS["miai"], name="miai-10x128", planes="tactics", blocks=10, filters=128),
    "miai-zero": CONFIGS["miai"],
    "li-lim": CONFIGS["li-lim"],
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_network_says_what_it_is(name: str) -> None:
    net = load_weights(net_file(name))
    assert net.config == FORMS[name]
    assert net.licence == "MIT"
    assert net.summary["command"].startswith("miai ")
    assert name in (Path(net_file(name)).parent / "README.md").read_text()


def test_they_are_small() -> None:
    assert sum(file.stat().st_size for file in net_file("miai").parent.iterdir()) <= MAX_BYTES


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_network_opens_near_the_centre(name: str) -> None:
    player = Player(PlayerOptions(select="puct", evaluator="net", net=name, seed=1, memory=16))
    opening = player.choose(Game(9), BLACK, Budget(100)).move
    player.close()
    assert opening in {move_at(f"{column}{row}", 9) for column in "CDEFG" for row in range(3, 8)}


def test_playing_with_one_loads_no_torch() -> None:
    code = """
import sys
import miai.nets.inference.backend
from miai.engine.go.game import Game
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Player
miai.nets.inference.choice._may_have_gpu = lambda: False
player = Player(PlayerOptions(select="puct", evaluator="net", memory=16))
player.choose(Game(9), 1, Budget(4))
print(player.evaluation._backend.name, "torch" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["openvino-int8", "False"]
