"""Positions as diagrams with the status of their blocks; `expected` is what a search would think of every point."""

import numpy as np

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.points import BLACK, WHITE, all_points, vertex_of
from miai.players.status import expect_owners, find_blocks, name_statuses


def statuses(diagram, expected):
    game = game_from_diagram(diagram)
    sign = {"x": 1.0, "o": -1.0, "?": 0.0}
    owners = expect_owners(game, np.array([sign[mark] for mark in expected.split()], dtype=np.float32))
    blocks = find_blocks(game)
    statuses = name_statuses(blocks, owners, [block for block in blocks if block.owned_fraction(owners) <= 0.0])
    order = all_points(game.size)
    return {vertex_of(min(block.points, key=order.index), game.size): status for block, status in statuses.items()}


def test_blocks_have_their_points_and_liberties():
    game = game_from_diagram(". X X\n O X .\n O . O")
    found = [
        (
            block.color,
            sorted(vertex_of(point, 3) for point in block.points),
            sorted(vertex_of(point, 3) for point in block.liberties),
        )
        for block in find_blocks(game)
    ]
    assert found == [
        (BLACK, ["B2", "B3", "C3"], ["A3", "B1", "C2"]),
        (WHITE, ["A1", "A2"], ["A3", "B1"]),
        (WHITE, ["C1"], ["B1", "C2"]),
    ]


def test_stones_that_become_the_opponents_are_dead():
    diagram = """
        . X . O .
        . X X . .
        . . X . .
        . . X . .
        O . X . .
    """
    assert statuses(diagram, "x " * 25) == {"B5": "alive", "D5": "dead", "A1": "dead"}
    expected = "x x x o o   x x x o o   x x x o o   x x x o o   o x x o o"
    assert statuses(diagram, expected) == {"B5": "alive", "D5": "alive", "A1": "alive"}


def test_what_is_proved_counts_more_than_what_is_expected():
    diagram = """
        . X . X O
        X X X X .
        . . . . .
        . . . . .
        . . . . .
    """
    assert statuses(diagram, "o " * 25) == {"B5": "alive", "E5": "alive"}
    assert statuses(diagram, "x " * 25) == {"B5": "alive", "E5": "dead"}


def test_blocks_that_share_liberties_nobody_gets_are_in_seki():
    diagram = """
        X . O X .
        X . O X X
        X . O X .
        X . O X X
        X . O X .
    """
    assert statuses(diagram, "x ? o x x " * 5) == {"A5": "seki", "C5": "seki", "D5": "alive"}
    assert statuses(diagram, "x x x x x " * 5) == {"A5": "alive", "C5": "dead", "D5": "alive"}
