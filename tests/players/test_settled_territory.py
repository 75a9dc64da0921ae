"""A player with a tree from before a territory was settled."""

import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.points import BLACK, move_at
from miai.engine.search.report import SearchReport
from miai.players.options import resolve_options
from miai.players.player import Budget, Player

THROW_IN = """
    X X X . X X X X O
    . . X X X X X O O
    X X X X X O O O O
    X X X . X O O O .
    X X X X X O . O O
    X X . X O O O O O
    . X X X O . . . O
    X X X O O O . O .
    X X O O O O . . .
"""


@pytest.mark.parametrize("preset", ["fuego", "net"])
def test_a_stone_thrown_into_settled_territory_is_answered_in_a_tree_from_before(preset: str) -> None:
    """Once White has played G2 its corner is settled, yet the tree knows moves there. From a game against fuego."""

    def search(simulations: int) -> SearchReport:
        return player._search_position(game, BLACK, Budget(simulations), None, 0.0, None, early_stop=False)

    player = Player(resolve_options(preset, given={"seed": 1, "memory": 32})[0])
    game = game_from_diagram(THROW_IN, BLACK)
    corner = {move_at(vertex, 9) for vertex in ("G1", "J1", "J2")}
    for vertices in (["G3", "G2"], ["H1", "H3"]):
        search(1500)
        for vertex in vertices:
            game.play(game.to_play, move_at(vertex, 9))
    report = search(6000)
    assert report.visits > report.simulations, "the tree was kept"
    assert corner <= {move.move for move in report.moves}
    assert report.value < 0.1, "White wins"
    player.close()
