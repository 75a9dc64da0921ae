"""Networks in the search: what a leaf gets is what the network says of its position, whatever the batch."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, opponent
from miai.engine.search.batch_stepper import Stepper
from miai.engine.search.batched_search import BATCHINGS
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.rule_compatibility import fitting_pairs
from miai.engine.search.search import Budget
from miai.engine.search.tree import ROOT
from miai.nets.evaluator import NetEvaluator, value_kinds
from miai.nets.inference import Outputs
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from miai.nets.views import evaluate_turned
from tests.nets.tiny import TINY, TINY_LI_LIM, NetSearch, load_root, tiny_backend

SIZE = 5
CONFIGS = pytest.mark.parametrize("config", [TINY, TINY_LI_LIM], ids=["miai", "li-lim"])


def opening(moves: int = 7, seed: int = 1, size: int = SIZE) -> Game:
    rng = np.random.default_rng(seed)
    game = Game(size, 1.5)
    for _ in range(moves):
        game.play(game.to_play, int(rng.choice(game.legal_points(game.to_play))))
    return game


def planes_of(game: Game, config=TINY) -> np.ndarray:
    planes = np.zeros((1, num_planes(config.planes), game.size, game.size), dtype=np.float32)
    make_write_planes(config.planes)(game.board, recent_of(game)[0], game.komi, True, planes[0])
    return planes


def directly(game: Game, config=TINY) -> Outputs:
    """Return what the network says of the position of a game, by itself."""
    return tiny_backend(config).evaluate(planes_of(game, config))


def nodes_with_games(search, game: Game) -> list[tuple[int, Game]]:
    """Return all nodes that were visited and have children, each with the game that leads there."""
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


@CONFIGS
@pytest.mark.parametrize(("select", "batching"), [("puct", "virtual-loss"), ("esprit", "waves")])
def test_priors_and_values_are_those_of_the_position(config, select, batching) -> None:
    game = opening()
    made = NetSearch(game, select, 6, config=config, batching=batching)
    made.search.run(Budget(150), early_stop=False)
    tree, checked, num_lost = made.search.tree, 0, 0
    for node, reached in nodes_with_games(made.search, game):
        outputs = directly(reached, config)
        children = tree.children(node)
        moves = [int(tree["move"][child]) for child in children]
        expected = np.exp([outputs.policy[0, action_of_move(move, SIZE)] for move in moves])
        score = reached.score() if reached.to_play == BLACK else -reached.score()
        if node != ROOT and score < 0 and len(moves) > 1:
            num_lost += 1
            expected[moves.index(PASS)] = 0.0
        priors = tree["prior"][children.start : children.stop]
        assert priors.sum() == pytest.approx(1.0, abs=1e-5)
        np.testing.assert_allclose(priors, expected / expected.sum(), atol=1e-5)
        if tree["visits"][node] == 1:
            checked += 1
            value = outputs.wdl[0, 0] + 0.5 * outputs.wdl[0, 1]
            assert 1.0 - tree["value"][node] == pytest.approx(float(value), abs=1e-5)
            assert -tree["score"][node] == pytest.approx(float(outputs.score[0]), abs=1e-3)
    assert checked > 10
    assert num_lost > 10


def test_ownership_is_the_mean_of_what_the_network_says_for_black() -> None:
    game = opening()
    made = NetSearch(game)
    made.search.run(Budget(1), early_stop=False)
    from miai.engine.domains.go import mean_ownership

    sign = 1.0 if game.to_play == BLACK else -1.0
    np.testing.assert_allclose(mean_ownership([made.workspace]), sign * directly(game).ownership[0], atol=1e-5)


def test_rules_with_chances_get_those_of_every_child() -> None:
    game = opening()
    game.play(game.to_play, PASS)
    made = NetSearch(game, "dominance", 3, "wdl-product")
    made.search.run(Budget(1), early_stop=False)
    tree = made.search.tree
    for child in tree.children(ROOT):
        move, after = int(tree["move"][child]), game.copy()
        mover = after.to_play
        after.play(mover, move)
        if move == PASS:
            has_won = (after.score() > 0) == (mover == BLACK)
            win, loss = float(has_won), float(not has_won)
        else:
            loss, _, win = directly(after).wdl[0].tolist()
        assert 1.0 - np.exp(tree["log_not_win"][child]) == pytest.approx(win, abs=1e-5)
        assert np.exp(tree["log_loss"][child]) == pytest.approx(loss, abs=1e-5)
    made.search.run(Budget(40), early_stop=False)
    assert tree["visits"][ROOT] == 41


def test_one_leaf_at_a_time_is_what_a_search_without_batches_would_do() -> None:
    game = opening()
    single, batched = NetSearch(game), NetSearch(game, leaves=4)
    single.search.run(Budget(60), early_stop=False)
    stepper = Stepper([batched.search], batched.evaluator)
    for _ in range(60):  # cut to one leaf each
        stepper.step(np.array([1]))
    assert single.tree() == batched.tree()
    assert single.search.counts["collisions"] == 0


@pytest.mark.parametrize("batching", BATCHINGS)
def test_the_same_seed_gives_the_same_tree(batching: str) -> None:
    trees = []
    for _ in range(2):
        made = NetSearch(opening(), "esprit", 8, batching=batching)
        made.search.run(Budget(200), early_stop=False)
        trees.append(made.tree())
    assert trees[0] == trees[1]


def test_what_was_asked_before_comes_from_the_cache_and_is_the_same() -> None:
    made = NetSearch(opening(), cached_positions=1 << 16)
    made.search.run(Budget(80), early_stop=False)
    first, evaluated = made.tree(), made.evaluator.num_evaluated
    assert evaluated == made.search.counts["leaves"]
    made.search.clear()
    made.search.run(Budget(80), early_stop=False)
    assert made.tree() == first
    assert made.evaluator.num_evaluated == evaluated and made.search.counts["leaves"] == evaluated


def test_a_cache_with_one_place_or_none_gives_the_same_tree() -> None:
    trees = []
    for cached_positions in (0, 1, 256):
        made = NetSearch(opening(), leaves=1, cached_positions=cached_positions)
        made.search.run(Budget(80), early_stop=False)
        trees.append(made.tree())
    assert trees[0] == trees[1] == trees[2]


def test_a_cleared_cache_has_the_room_that_is_asked_for() -> None:
    made = NetSearch(opening(), leaves=1, cached_positions=1 << 16)

    def evaluations_of_a_search() -> int:
        before = made.evaluator.num_evaluated
        made.search.clear()
        made.search.run(Budget(80), early_stop=False)
        return made.evaluator.num_evaluated - before

    all_of_them = evaluations_of_a_search()
    assert evaluations_of_a_search() == 0
    made.evaluator.clear_cache()
    assert (evaluations_of_a_search(), evaluations_of_a_search()) == (all_of_them, 0)
    made.evaluator.clear_cache(cached_positions=0)
    assert (evaluations_of_a_search(), evaluations_of_a_search()) == (all_of_them, all_of_them)


def test_komi_history_and_player_are_told_apart_in_the_cache() -> None:
    game = opening()
    other_komi, other_order, other_player = game.copy(), Game(SIZE, 1.5), game.copy()
    other_komi.komi = 3.5
    moves = [*game.moves[-2::-1][::-1]]
    for color, move in [*moves[2:], *moves[:2], game.moves[-1]]:
        other_order.play(color, move)
    assert other_order.board["key"] == game.board["key"]
    other_player.to_play = opponent(game.to_play)
    made = NetSearch(game)
    for position in (game, other_komi, other_order, other_player):
        load_root(made.workspace, position)
        made.search.clear()
        made.search.run(Budget(1), early_stop=False)
    assert made.evaluator.num_evaluated == 4
    load_root(made.workspace, other_komi)
    made.search.clear()
    made.search.run(Budget(1), early_stop=False)
    assert made.evaluator.num_evaluated == 4


def test_symmetries_change_nothing_but_how_a_position_is_shown() -> None:
    """A network that knows no direction answers the same, and what it says of points lands on these points."""

    class Compass:
        name = "torch"

        def evaluate(self, planes: np.ndarray) -> Outputs:
            number = len(planes)
            stones = planes[:, 0] - planes[:, 1] + 0.25 * planes[:, 6]
            flat = stones.reshape(number, -1)
            policy = np.concatenate([flat, np.zeros((number, 1))], axis=1).astype(np.float32)
            wdl = np.full((number, 3), [0.5, 0.25, 0.25], dtype=np.float32)
            return Outputs(policy, wdl, flat.sum(axis=1).astype(np.float32), flat.astype(np.float32).copy())

    trees = []
    for symmetries in (0, 1, 2, 8):
        evaluator = NetEvaluator(TINY, Compass(), SIZE)
        evaluator.symmetries = symmetries
        made = NetSearch(opening(), leaves=4, evaluator=evaluator)
        made.search.run(Budget(100), early_stop=False)
        trees.append((made.tree(), made.workspace.records["ownership"].tolist()))
        assert evaluator.num_evaluated == max(symmetries, 1) * made.search.counts["leaves"]
    assert all(tree == trees[0] for tree in trees)


def test_the_mean_of_all_symmetries_turns_with_the_board() -> None:
    game, turned = opening(), Game(SIZE, 1.5)
    for color, move in game.moves:
        row, column = divmod(move, SIZE + 1)
        turned.play(color, column * (SIZE + 1) + row)
    found = []
    for symmetries in (0, 8):
        for position in (game, turned):
            evaluator = NetEvaluator(TINY, tiny_backend(), SIZE)
            evaluator.symmetries = symmetries
            made = NetSearch(position, evaluator=evaluator)
            made.search.run(Budget(1), early_stop=False)
            tree = made.search.tree
            children = tree.children(ROOT)
            priors = np.zeros(SIZE * SIZE + 1)
            moves = [action_of_move(int(move), SIZE) for move in tree["move"][children.start : children.stop]]
            priors[moves] = tree["prior"][children.start : children.stop]
            found.append((priors[:-1].reshape(SIZE, SIZE), tree["value"][ROOT]))
    (plain, value), (plain_turned, value_turned), (mean, mean_value), (mean_turned, mean_value_turned) = found
    assert not np.allclose(plain_turned, plain.T, atol=1e-4) and abs(value - value_turned) > 1e-5
    np.testing.assert_allclose(mean_turned, mean.T, atol=1e-5)
    assert mean_value_turned == pytest.approx(mean_value, abs=1e-5)
    logits = [evaluate_turned(tiny_backend(), planes_of(game), symmetry).policy[0] for symmetry in range(8)]
    expected = np.exp(np.mean(logits, axis=0))[:-1].reshape(SIZE, SIZE)
    legal = mean > 0
    np.testing.assert_allclose(mean[legal] / mean[legal].sum(), expected[legal] / expected[legal].sum(), atol=1e-5)


def test_games_in_lockstep_get_the_trees_that_they_get_alone() -> None:
    games = [opening(number, number) for number in range(4, 8)]
    evaluator = NetEvaluator(TINY, tiny_backend(), SIZE)
    together = [NetSearch(game, "gumbel", 2, evaluator=evaluator) for game in games]
    Lockstep([one.search for one in together], evaluator).run([40, 64, 5, 33])
    for game, one, budget in zip(games, together, (40, 64, 5, 33), strict=True):
        alone = NetSearch(game, "gumbel", 2)
        alone.search.run(Budget(budget), early_stop=False)
        assert one.tree()[:2] == alone.tree()[:2]
        np.testing.assert_allclose(one.tree()[2], alone.tree()[2], atol=1e-5)


@CONFIGS
def test_every_pair_of_rules_that_fits_runs(config) -> None:
    game = opening()
    kinds = value_kinds(config)
    assert ("points" in kinds) == (config is TINY)
    pairs = list(fitting_pairs(kinds))
    for selection, backup in pairs[:: max(1, len(pairs) // 12)] + [pairs[-1]]:
        made = NetSearch(game, selection.name, 4, backup.name, config)
        made.search.run(Budget(30), early_stop=False)
        assert made.search.tree["visits"][ROOT] == 30, (selection.name, backup.name)
