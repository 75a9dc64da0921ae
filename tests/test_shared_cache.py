"""A cache that programs of every kind filled, each in a process of its own, and a program that loads it all.

Its players' moves are those of the processes that compiled, in either order.
"""

import random
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from miai.engine.search.selection import SELECTION_RULES
from miai.players.options import PlayerOptions
from miai.players.presets import PRESETS
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
PLAYERS_TO_RUN = (
    "fuego,5",
    "crazystone,9",
    "holden,9",
    "net,9",
    "gumbel,5",
    "esprit,9",
    "monotone,5",
    "uct-random,2",
    "uct-random,19",
    f"uct-random,7,{_OWN}",
)
"""Players: a preset, the size of the board, and a rule of one's own.

Together they have every evaluator, every policy, every way of running a search, rules of each kind of value, and
compositions on boards of two sizes.
"""
EXPERIMENTS = (
    "tactics --select rave --backup mix --position kill-four --simulations 64 --seeds 2",
    "trees --trees 4 --playouts 64 --select esprit --select puct/softmax",
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


def test_the_players_have_every_part_that_a_search_is_composed_of() -> None:
    chosen = [PRESETS[player.split(",")[0]].values for player in PLAYERS_TO_RUN]
    known = [preset.values for preset in PRESETS.values()]
    for name in ("policy", "evaluator"):
        assert {values.get(name) for values in chosen} == {values.get(name) for values in known}
    kinds = {SELECTION_RULES[values.get("select", PlayerOptions().select)].kind for values in chosen}
    assert kinds == {rule.kind for rule in SELECTION_RULES.values()}
    assert {player.split(",")[1] for player in PLAYERS_TO_RUN if player.startswith("uct-random")} >= {"2", "19"}


@pytest.mark.slow
def test_everything_compiled_in_either_order_plays_the_same(new_cache: Callable[[str], Cache], tmp_path: Path) -> None:
    """In one of the two orders a program is before any other, so each compiles what they share and each finds it."""
    players = [player.format(folder=tmp_path) for player in PLAYERS_TO_RUN]
    programs = [("play_games", player) for player in players]
    programs += [("miai", "experiment", *shlex.split(experiment), "--parallel", "2") for experiment in EXPERIMENTS]
    random.Random(1).shuffle(programs)
    played = []
    for name, order in (("forwards", programs), ("backwards", programs[::-1])):
        cache = new_cache(name)
        alone = {}
        for number, program in enumerate(order):
            output = () if program[0] == "play_games" else ("--output", str(tmp_path / f"experiment {name} {number}"))
            alone[program] = cache.run(*program, *output)
        cache.check_symbols()
        played.append("".join(alone["play_games", player] for player in players))
        played.append(cache.run("play_games", *players))
    assert played == [played[0]] * 4
