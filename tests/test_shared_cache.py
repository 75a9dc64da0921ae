"""A cache that programs of every kind filled, each in a process of its own and in any order, and one that loads it all.

The players' moves from such a cache are those from a fresh one.
"""

import random
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_symbols import Cache

OWN_RULE = """
from typing import NamedTuple

from miai.engine.search.rule_declaration import selection_rule
from miai.engine.search.tree import children_of, values, visits


class Parameters(NamedTuple):
    width: float = 0.4


@selection_rule(Parameters())
def wide(tree, node, params, workspace):
    children = children_of(tree, node)
    best = children.first
    for child in range(children.first, children.end):
        if values(tree)[child] + params.width / (1 + visits(tree)[child]) > (
            values(tree)[best] + params.width / (1 + visits(tree)[best])
        ):
            best = child
    return best
"""

PLAYERS = """
import json
import sys

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE
from miai.players.fallback import options_on
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.players.presets import PRESETS


def play(preset, size, own_rule):
    values = PRESETS[preset].values | {"simulations": 60, "seed": 1, "resign_below": 0.0}
    if own_rule:
        values |= {"select": own_rule, "parameters": {}}
    options = PlayerOptions(**values)
    player, game = Player(options_on(options, size)), Game(size)
    for number in range(12):
        color = (BLACK, WHITE)[number % 2]
        game.play(color, player.choose(game, color).move)
    player.close()
    return [move for _, move in game.moves] + [game.score()]


for argument in sys.argv[1:]:
    preset, size, *own_rule = argument.split(",")
    print(argument, json.dumps(play(preset, int(size), *(own_rule or [None]))))
"""

_OWN = "{folder}/own_rule.py:wide"
MANY = (
    *(f"{preset},9" for preset in ("fuego", "uct", "puct", "esprit", "mix", "softmax", "monotone", "gumbel")),
    *(f"{preset},9" for preset in ("crazystone", "holden", "uct-random", "rave-random", "crazystone-playouts", "net")),
    *(f"{preset},{size}" for size in (2, 5, 13, 19) for preset in ("fuego", "uct-random", "crazystone")),
    f"uct,9,{_OWN}",
    f"uct-random,7,{_OWN}",
)
"""Players: a preset, the size of the board, and a rule of one's own."""
EXPERIMENTS = (
    "tactics --select puct --select rave --backup mean --backup mix --position clear --simulations 64 --seeds 1",
    "trees --trees 8 --playouts 64 --select esprit --select puct/softmax --select puct/mix",
    "backups --positions 2 --simulations 128 --game-simulations 16",
)


@pytest.fixture
def new_cache(tmp_path: Path) -> Callable[[str], Cache]:
    def make(name: str) -> Cache:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "play_games.py").write_text(PLAYERS)
        return Cache(folder)

    (tmp_path / "own_rule.py").write_text(OWN_RULE)
    return make


def test_players_on_boards_of_two_sizes_play_the_same_together(new_cache: Callable[[str], Cache]) -> None:
    cache = new_cache("cache")
    alone = [cache.run("play_games", f"uct-random,{size}") for size in (3, 4)]
    cache.check_symbols()
    assert cache.run("play_games", "uct-random,3", "uct-random,4") == "".join(alone)


@pytest.mark.slow
def test_everything_compiled_in_any_order_plays_as_from_a_fresh_cache(
    new_cache: Callable[[str], Cache], tmp_path: Path
) -> None:
    players = [player.format(folder=tmp_path) for player in MANY]
    fresh = new_cache("fresh").run("play_games", *players)
    for seed in range(3):
        cache = new_cache(f"shuffled {seed}")
        programs = [("play_games", player) for player in players]
        for number, experiment in enumerate(EXPERIMENTS):
            output = str(tmp_path / f"experiment {seed} {number}")
            arguments = ("--parallel", "2", "--output", output)
            programs.append(("miai", "experiment", *shlex.split(experiment), *arguments))
        random.Random(seed).shuffle(programs)
        for program in programs:
            cache.run(*program)
        cache.check_symbols()
        assert cache.run("play_games", *players) == fresh
