"""Holden's rules against transcriptions of his formulas in extended precision, and his opening example."""

from typing import Any

import numpy as np
import pytest

from miai.engine.random import new_stream
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.backup.wdl import WdlParameters, combine_children, init_wdl, wdl_product
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.dominance import dominance, write_dominance_policy
from miai.engine.search.tree import ROOT, TERMINAL, Tree
from miai.engine.search.wdl import log_complement
from tests.search.hash_game import HASH_GAME, HashWorkspace, best_moves
from tests.search.random_trees import new_workspace

Chances = np.ndarray
"""longdouble [3, children]: win, draw, loss for who moves at the node."""


def random_chances(rng: np.random.Generator, count: int) -> Chances:
    """Return chances of children, often extreme or certain."""
    kind = rng.integers(4)
    chances = rng.dirichlet([1.0, 1.0, 1.0], count) if kind else rng.dirichlet([0.02, 0.02, 0.02], count)
    if kind == 1:
        chances = np.array([[0, 0, 1.0], [0, 1.0, 0], [0.3, 0, 0.7]])[rng.integers(0, 3, count)]
    return np.asarray(chances.T, dtype=np.longdouble)


def root_with(chances: Chances) -> Tree:
    """Return a root whose children were given these chances by `init_wdl`."""
    count = chances.shape[1]
    tree, workspace = Tree(count + 1, wdl_product.columns), new_workspace()
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
    workspace["candidate_win"][:count], workspace["candidate_loss"][:count] = chances[0], chances[2]
    init_wdl(tree.record, 1, count, workspace)
    return tree


def chances_of(tree: Tree, node: int) -> tuple[float, float, float]:
    """Return win, draw and loss of a node for the player who moves at its parent."""
    not_win, loss = np.exp(float(tree["log_not_win"][node])), np.exp(float(tree["log_loss"][node]))
    return 1.0 - not_win, not_win - loss, loss


def slow_node(chances: Chances, kappa: float) -> tuple[float, float, float]:
    """Return the node's chances for who moves there."""
    win, _, loss = chances
    product = np.array([1 - np.prod(1 - win), np.prod(1 - win) - np.prod(loss), np.prod(loss)])
    return tuple(float(x) for x in kappa * product + (1 - kappa) * chances.mean(axis=1))


@pytest.mark.parametrize("kappa", [1.0, 0.3, 0.0])
def test_a_nodes_chances_follow_from_its_childrens(kappa: float) -> None:
    rng = np.random.default_rng(2)
    for count in (1, 2, 5, 80, 400):
        for _ in range(60):
            # float32 is what a workspace holds
            chances = np.float32(random_chances(rng, count)).astype(np.longdouble)
            tree = root_with(chances)
            combine_children(tree.record, ROOT, WdlParameters(kappa))
            loss, draw, win = chances_of(tree, ROOT)  # the parent's player's view
            assert win + draw + loss == pytest.approx(1.0, abs=1e-12)
            assert (win, draw, loss) == pytest.approx(slow_node(chances, kappa), abs=2e-5)


def test_products_that_underflow_keep_their_logarithm() -> None:
    tree = root_with(np.array([[0.9] * 400, [0.0] * 400, [0.1] * 400], dtype=np.longdouble))
    combine_children(tree.record, ROOT, WdlParameters())
    # the opponent's loss at the node is certain but for 0.1^400
    assert tree["log_loss"][ROOT] == pytest.approx(0.0, abs=1e-6)
    tree = root_with(np.array([[0.1] * 20, [0.0] * 20, [0.9] * 20], dtype=np.longdouble))
    combine_children(tree.record, ROOT, WdlParameters())
    assert chances_of(tree, ROOT)[0] == pytest.approx(0.9**20, rel=1e-5)


def test_the_complement_of_a_logarithm() -> None:
    for probability in (1e-200, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-12):
        assert np.exp(log_complement(float(np.log(probability)))) == pytest.approx(1 - probability, rel=1e-9)


def slow_dominance(chances: Chances) -> np.ndarray:
    """Return each child's chance of weakly dominating its siblings, normalized."""
    win, draw, loss = chances
    found = []
    for child in range(len(win)):
        others = np.arange(len(win)) != child
        found.append(win[child] + draw[child] * np.prod(1 - win[others]) + loss[child] * np.prod(loss[others]))
    return np.asarray(np.array(found) / sum(found), dtype=np.float64)


def test_shares_are_the_chances_of_weak_dominance() -> None:
    rng = np.random.default_rng(3)
    workspace = new_workspace()
    for count in (1, 2, 5, 80, 400):
        for _ in range(40):
            chances = np.float32(random_chances(rng, count)).astype(np.longdouble)
            tree = root_with(chances)
            write_dominance_policy(tree.record, ROOT, dominance.defaults, workspace)
            np.testing.assert_allclose(workspace["policy"][:count], slow_dominance(chances), atol=1e-5)
            assert workspace["policy"][:count].sum() == pytest.approx(1.0)


def test_children_are_drawn_by_dominance() -> None:
    chances = np.float32(random_chances(np.random.default_rng(5), 7)).astype(np.longdouble)
    tree, workspace, number = root_with(chances), new_workspace(), 40_000
    workspace["stream"] = new_stream(1)
    drawn = [dominance.select(tree.record, ROOT, dominance.defaults, workspace) - 1 for _ in range(number)]
    found = np.bincount(drawn, minlength=7) / number
    np.testing.assert_allclose(found, slow_dominance(chances), atol=5 * np.sqrt(0.25 / number))


def chances_of_scores(scores: list[float]) -> Chances:
    """Return chances without draws whose expected payoff, from -1 to 1, is each score."""
    win = (np.array(scores) + 1) / 2
    return np.array([win, 0 * win, 1 - win], dtype=np.longdouble)


def test_holdens_opening_example_prefers_many_good_moves_to_one() -> None:
    """A move that leaves five good choices beats one that leaves a single, slightly better one."""
    values = []
    for scores in ([0.499, 0.498, 0.497, 0.496, 0.495], [0.5, -1.0, -1.0, -1.0, -1.0]):
        tree = root_with(chances_of_scores(scores))
        combine_children(tree.record, ROOT, WdlParameters())
        values.append(1.0 - 0.5 * (1 + chances_of(tree, ROOT)[0] - chances_of(tree, ROOT)[2]))
    many, one = values
    assert one == pytest.approx(0.75) and many == pytest.approx(1 - 0.2515**5, abs=1e-3) and many > one


@pytest.mark.parametrize("result", [0.0, 0.5, 1.0])
def test_the_end_of_a_game_is_certain(result: float) -> None:
    tree, workspace = root_with(chances_of_scores([0.2])), new_workspace()
    tree["first_child"][1] = TERMINAL
    workspace["result"] = result
    assert wdl_product.backup(tree.record, 1, workspace, WdlParameters()) == pytest.approx(result)
    expected = {0.0: (0, 0, 1), 0.5: (0, 1, 0), 1.0: (1, 0, 0)}[result]
    assert chances_of(tree, 1) == pytest.approx(expected, abs=1e-12)


def searched(stop_probability: float = 0.0, **settings: Any) -> tuple[Search, int]:
    workspace = HashWorkspace(8, 3)
    search = Search(Parts(HASH_GAME, dominance, BACKUP_RULES["wdl-product"], "payoff"), [workspace], 1 << 20)
    search.settings.parameters = search.settings.parameters._replace(
        expand_at=1, stop_probability=stop_probability, **settings
    )
    return search, search.run(Budget(4000))[0]


def test_a_small_game_is_solved_and_the_search_stops_when_a_move_dominates() -> None:
    search, simulations = searched()
    assert simulations == 4000
    assert int(search.tree["move"][search.root_order()[0]]) in best_moves(8)
    stopped, fewer = searched(stop_probability=1e-3)
    assert fewer < 4000
    policy = np.sort(stopped.policy(ROOT))
    assert policy[-2] < 1e-3 and policy.sum() == pytest.approx(1.0)


def test_the_payoffs_decide_what_is_played() -> None:
    tree = root_with(np.array([[0.5, 0.4], [0.0, 0.35], [0.5, 0.25]], dtype=np.longdouble))
    search, _ = searched(draw_payoff=0.0)
    search.tree = tree
    assert search.root_order() == [1, 2]
    search.settings.parameters = search.settings.parameters._replace(draw_payoff=0.5)
    assert search.root_order() == [2, 1]
