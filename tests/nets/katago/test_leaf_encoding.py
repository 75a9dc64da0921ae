"""Leaves of a search as KataGo's networks see them: what a game that goes there shows, superko included."""

import numpy as np
import pytest

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.actions import action_of_move
from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.search import BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT
from miai.nets.evaluator import NET_DOMAIN, NetEvaluator, load_recent, new_leaves
from miai.nets.inference.backend import Outputs
from miai.nets.katago.katago_net import KatagoConfig
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from tests.nets.symmetric_planes import transform_planes
from tests.playouts.transform import SYMMETRIES


class LinearBackend:
    """Says something else of every position, favours two points of the top row, and remembers what it was shown."""

    name = "linear"

    def __init__(self, size: int) -> None:
        rng = np.random.default_rng(1)
        self._size = size
        self._weights = rng.normal(size=(num_planes("katago") * size * size, size * size + 5))
        self.shown: list[np.ndarray] = []

    def evaluate(self, planes: np.ndarray) -> Outputs:
        self.shown += list(planes.copy())
        points = self._size**2
        sums = 0.03 * planes.reshape(len(planes), -1).astype(np.float64) @ self._weights
        sums[:, [0, 2]] += 2.0
        chances = np.exp(sums[:, points + 1 : points + 4])
        wdl = chances / chances.sum(axis=1, keepdims=True)
        ownership = np.tanh(sums[:, :points])
        return Outputs(*(np.float32(part) for part in (sums[:, : points + 1], wdl, sums[:, -1], ownership)))


def direct_planes(game: Game) -> np.ndarray:
    planes = np.full((1, num_planes("katago"), game.size, game.size), np.nan, dtype=np.float32)
    make_write_planes("katago")(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes[0])
    return planes


_SEND_TWO = """
    . X . X
    O O X .
    . . . .
    . . . .
"""
"""Black A4, White takes two stones at C4: Black may not retake at B4, wherever in the game that comes. White begins."""


def sending_two(rules: str) -> Game:
    game = Game(4, 0.5, RULES[rules])
    game.set_up(game_from_diagram(_SEND_TWO, WHITE).stones(), WHITE)
    return game


def searched(game: Game, leaves: int, batching: str, symmetries: int = 0) -> tuple[Search, LinearBackend]:
    config = KatagoConfig("linear")
    backend = LinearBackend(game.size)
    evaluator = NetEvaluator(config, backend, game.size, cached_positions=64)
    evaluator.symmetries = symmetries
    workspace: GoWorkspace = new_leaves(game.size, leaves)
    workspace.load(game, game.to_play)
    load_recent(workspace, game)
    batch = BatchEvaluation(workspace.records, evaluator, batching)
    parts = Parts(NET_DOMAIN, SELECTION_RULES["esprit" if batching == "waves" else "puct"], BACKUP_RULES["mean"])
    search = Search(parts, [workspace], 8 << 20, batch)
    search.run(Budget(1500), early_stop=False)
    return search, backend


def games_in(search: Search, game: Game) -> list[tuple[int, Game]]:
    """Return the nodes that were expanded, each with the game that leads there."""
    tree, found, open_nodes = search.tree, [], [(ROOT, game)]
    while open_nodes:
        node, reached = open_nodes.pop()
        if tree["first_child"][node] > 0:
            found.append((node, reached))
            for child in tree.children(node):
                if tree["visits"][child] > 0:
                    after = reached.copy()
                    after.play(after.to_play, int(tree["move"][child]))
                    open_nodes.append((child, after))
    return found


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
@pytest.mark.parametrize(("leaves", "batching"), [(1, "virtual-loss"), (8, "virtual-loss"), (8, "waves")])
def test_what_a_leaf_gets_is_what_the_network_says_of_its_game(rules: str, leaves: int, batching: str) -> None:
    root = sending_two(rules)
    search, backend = searched(root, leaves, batching)
    tree = search.tree
    nodes = games_in(search, root)
    num_banned_by_root, num_banned_by_path = 0, 0
    for node, game in nodes:
        planes = direct_planes(game)
        is_banned = game.why_illegal(game.to_play, "B4") == "superko"
        if is_banned:
            num_banned_by_root += [move for _, move in game.moves] == [PASS, move_at("A4", 4), move_at("C4", 4)]
            num_banned_by_path += game.moves[0][1] != PASS
        logits = backend.evaluate(planes).policy[0]
        children = tree.children(node)
        moves = [int(tree["move"][child]) for child in children]
        expected = np.exp([logits[action_of_move(move, 4)] for move in moves])
        if node != ROOT and len(moves) > 1 and (game.score() < 0) == (game.to_play == BLACK) and game.score() != 0:
            expected[moves.index(PASS)] = 0.0
        priors = tree["prior"][children.start : children.stop]
        np.testing.assert_allclose(priors, expected / expected.sum(), atol=1e-5)
    assert len(nodes) > 300
    if batching == "virtual-loss":  # a wave does not get there
        assert (num_banned_by_root > 0) == (rules == "tromp-taylor")
    assert (num_banned_by_path > 0) == (rules == "tromp-taylor")


def test_positions_are_shown_as_they_may_lie() -> None:
    game = sending_two("tromp-taylor")
    search, backend = searched(game, 4, "virtual-loss", symmetries=1)
    shown = {planes.tobytes() for planes in backend.shown}
    used = set()
    nodes = games_in(search, game)
    for _, reached in nodes:
        planes = direct_planes(reached)[0]
        ways = [symmetry for symmetry in SYMMETRIES if transform_planes(planes, symmetry).tobytes() in shown]
        assert ways
        used.update(ways)
    assert len(nodes) > 50
    assert len(used) == len(SYMMETRIES)
