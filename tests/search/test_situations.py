"""Simple tactics: a diagram and the moves expected, together; lower-case letters mark them."""

from typing import NamedTuple

import pytest

from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.points import BLACK, WHITE, vertex_of
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Player


class Situation(NamedTuple):
    """Who is to move and must find a marked move; the rest of the board is such that it decides the game."""

    name: str
    color: int
    komi: float
    text: str
    expected: str


CUTTING_STONES = """
    . . . . . . .
    . . X X . . .
    . X O O a . .
    . . X X O . .
    . . . O O . .
    . . . . . . .
    . . . . . . .
"""
THREE_IN_A_ROW = """
    . a . O X . .
    O O O O X . .
    X X X X X . .
    . . . . . X X
    . . . O O O O
    . . . O . O .
    . . . O O O O
"""
BULKY_FIVE = """
    . a . O X . .
    . . O O X . .
    O O O X X . .
    X X X X . . .
    . . . X X X X
    . . X O O O O
    . . X O . O .
"""
EDGE = """
    . X X X O . O
    X X X X O O O
    . X X X O . O
    X X X X O O O
    X X X X X O .
    . X X O a O O
    . . . b . O .
"""
SNAPBACK = """
    . X X O . O .
    X X X O O O O
    . X X O . O .
    X X X O O O O
    X X X O . O .
    O O X O O O O
    . a O O . O .
"""
RACE = """
    O b X O a X .
    O b X O a X X
    O b X O a X .
    O O X O X X X
    . O X O X X .
    O O O X X X X
    . O O X X . X
"""

SITUATIONS = [
    Situation("capture two stones that cut", BLACK, 0.5, CUTTING_STONES, "a"),
    Situation("save two stones from atari", WHITE, 0.5, CUTTING_STONES, "a"),
    Situation("kill at the vital point of three in a row", BLACK, -2.5, THREE_IN_A_ROW, "a"),
    Situation("live at the vital point of three in a row", WHITE, -2.5, THREE_IN_A_ROW, "a"),
    Situation("kill at the vital point of a bulky five", BLACK, 17.5, BULKY_FIVE, "a"),
    Situation("live at the vital point of a bulky five", WHITE, 17.5, BULKY_FIVE, "a"),
    Situation("chase a stone to the edge, away from its friends", BLACK, 9.5, EDGE, "a"),
    Situation("join a stone to its friends", WHITE, 9.5, EDGE, "ab"),
    Situation("sacrifice a stone for a snapback", BLACK, -12.5, SNAPBACK, "a"),
    Situation("avoid a snapback", WHITE, -12.5, SNAPBACK, "a"),
]


RACES = [
    Situation("win a race of three liberties by moving first", BLACK, 6.5, RACE, "a"),
    Situation("win the same race from the other side", WHITE, 6.5, RACE, "b"),
]
"""Whoever moves first wins, by filling liberties from outside. The first playouts after each such move are lost."""


def check(situation: Situation, seed: int, simulations: int, **parameters: float) -> None:
    diagram = read_diagram(situation.text)
    named = {f"rave.{name}": value for name, value in parameters.items()}
    player = Player(PlayerOptions(seed=seed, memory=32, parameters=named))
    game = game_from_diagram(situation.text, situation.color, situation.komi)
    choice = player.choose(game, situation.color, Budget(simulations))
    expected = {vertex_of(point, diagram.size) for mark in situation.expected for point in diagram.marks[mark]}
    assert vertex_of(choice.move, diagram.size) in expected, choice.report.moves[:3]


def name_of(situation: Situation) -> str:
    return situation.name.replace(" ", "-")


@pytest.mark.parametrize("situation", SITUATIONS, ids=name_of)
def test_the_search_finds(situation: Situation) -> None:
    check(situation, 1, 2000)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("situation", RACES, ids=name_of)
def test_a_search_that_explores_finds(situation: Situation, seed: int) -> None:
    check(situation, seed, 2000, exploration=0.1)


@pytest.mark.parametrize("situation", RACES, ids=name_of)
def test_the_default_explores_enough_to_find(situation: Situation) -> None:
    check(situation, 1, 8000)
