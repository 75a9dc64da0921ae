"""Our changes of Holden's rules against transcriptions in NumPy, and what they keep of his."""

import numpy as np
import pytest

from miai.engine.search.backup.wdl import WdlParameters, combine_children
from miai.engine.search.backup.wdl_effective import (
    CountsParameters,
    EffectiveParameters,
    combine_alternatives,
    wdl_counts,
    wdl_effective,
)
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.dominance import (
    DominancePriorParameters,
    dominance,
    dominance_prior,
    write_dominance_prior_policy,
)
from miai.engine.search.simulate import compose_steps, list_no_outcomes
from miai.engine.search.tree import ROOT, TERMINAL, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, best_moves, logged
from tests.search.random_trees import new_workspace
from tests.search.test_wdl import Chances, chances_of, random_chances, root_with, slow_dominance, slow_node


def visited_root(rng: np.random.Generator, count: int) -> tuple[Tree, Chances]:
    """Return a root whose children have chances, prior probabilities and visits, some none, and the chances."""
    chances = np.float32(random_chances(rng, count)).astype(np.longdouble)
    tree = root_with(chances)
    rows = slice(1, count + 1)
    tree["prior"][rows] = rng.dirichlet(np.ones(count))
    tree["visits"][rows] = rng.choice([0, 1, 30, 500], count)
    return tree, chances


def slow_alternatives(tree: Tree, chances: Chances, params: EffectiveParameters) -> tuple[float, float, float]:
    """Return the node's chances for who moves there."""
    count = chances.shape[1]
    rows = slice(1, count + 1)
    weights = tree["visits"][rows] + params.prior_weight * tree["prior"][rows].astype(np.float64)
    exponents = np.minimum(1.0, params.alternatives * weights / weights.sum())
    win, _, loss = chances
    with np.errstate(divide="ignore"):
        not_win, all_loss = np.prod((1 - win) ** exponents), np.prod(loss**exponents)
    all_loss = min(all_loss, not_win)  # rounded chances may exceed 1 by a trifle
    return float(1 - not_win), float(not_win - all_loss), float(all_loss)


def test_a_nodes_chances_are_a_product_of_as_many_as_are_alternatives() -> None:
    rng = np.random.default_rng(2)
    for count in (1, 2, 5, 80):
        for alternatives in (1.0, 2.5, 20.0):
            for _ in range(20):
                tree, chances = visited_root(rng, count)
                params = EffectiveParameters(alternatives, 3.0)
                combine_alternatives(tree.record, ROOT, params)
                loss, draw, win = chances_of(tree, ROOT)
                assert (win, draw, loss) == pytest.approx(slow_alternatives(tree, chances, params), abs=5e-5)
                assert win + draw + loss == pytest.approx(1.0, abs=1e-12) and draw > -1e-6


def test_with_ever_more_alternatives_it_is_holdens_product() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 5, 80):
        tree, chances = visited_root(rng, count)
        combine_alternatives(tree.record, ROOT, EffectiveParameters(1e9, 1.0))
        found = chances_of(tree, ROOT)
        combine_children(tree.record, ROOT, WdlParameters())
        assert found == pytest.approx(chances_of(tree, ROOT), abs=1e-6)
        assert found[::-1] == pytest.approx(slow_node(chances, 1.0), abs=2e-5)


def test_a_sure_win_is_one_for_the_node_however_little_it_weighs() -> None:
    chances = np.array([[0.1] * 9 + [1.0], [0.0] * 10, [0.9] * 9 + [0.0]], dtype=np.longdouble)
    tree = root_with(chances)
    tree["prior"][1:11], tree["visits"][1:11] = [0.11] * 9 + [0.01], [100] * 9 + [1]
    combine_alternatives(tree.record, ROOT, EffectiveParameters())
    assert chances_of(tree, ROOT) == pytest.approx((0, 0, 1), abs=1e-12)


def test_many_equal_moves_no_longer_look_like_a_win() -> None:
    chances = np.array([[0.4] * 80, [0.1] * 80, [0.5] * 80], dtype=np.longdouble)
    tree = root_with(chances)
    tree["prior"][1:81] = 1 / 80
    combine_children(tree.record, ROOT, WdlParameters())
    assert chances_of(tree, ROOT)[2] > 1 - 1e-12
    combine_alternatives(tree.record, ROOT, EffectiveParameters(alternatives=1.0))
    assert chances_of(tree, ROOT)[::-1] == pytest.approx((0.4, 0.1, 0.5), abs=1e-5)
    combine_alternatives(tree.record, ROOT, EffectiveParameters(alternatives=2.0))
    assert chances_of(tree, ROOT)[::-1] == pytest.approx((1 - 0.6**2, 0.6**2 - 0.5**2, 0.5**2), abs=1e-5)


def test_the_policy_goes_from_the_prior_to_sharpened_dominance() -> None:
    rng, workspace = np.random.default_rng(4), new_workspace()
    params = DominancePriorParameters(2.0, 6.0)
    for count in (1, 2, 5, 80):
        for _ in range(20):
            tree, chances = visited_root(rng, count)
            rows = slice(1, count + 1)
            visits, prior = tree["visits"][rows], tree["prior"][rows].astype(np.float64)
            write_dominance_prior_policy(tree.record, ROOT, params, workspace)
            dominated = np.where(visits > 0, slow_dominance(chances), 0.0)
            quality = (dominated / max(dominated.max(), 1e-300)) ** params.sharpness
            quality = np.where(visits > 0, quality / max(quality.sum(), 1e-300), 0.0)
            expected = (2.0 * prior + np.sqrt(visits) * quality) / (2.0 + np.sqrt(visits))
            np.testing.assert_allclose(workspace["policy"][:count], expected / expected.sum(), atol=2e-4)


def test_among_many_like_moves_the_search_looks_where_the_prior_says() -> None:
    count = 80
    chances = np.array([[0.55] + [0.5] * 79, [0.0] * count, [0.45] + [0.5] * 79], dtype=np.longdouble)
    tree, workspace = root_with(chances), new_workspace()
    tree["prior"][1], tree["prior"][2 : count + 1], tree["visits"][1 : count + 1] = 0.2, 0.8 / 79, 25
    dominance.policy(tree.record, ROOT, dominance.defaults, workspace)  # type: ignore[misc]
    assert workspace["policy"][0] < 0.02
    write_dominance_prior_policy(tree.record, ROOT, DominancePriorParameters(sharpness=40.0), workspace)
    assert workspace["policy"][0] > 0.2


def slow_counts(
    tree: Tree, node: int, results: dict[int, list[float]], params: CountsParameters
) -> tuple[float, float]:
    """Return win and loss of a node for who moves at its parent, by the results of that view and its children."""
    own = np.array(results[node])
    if tree["first_child"][node] == TERMINAL:
        return float(own[0] == 1.0), float(own[0] == 0.0)
    half = params.smoothing / 2
    win, loss = (((own == result).sum() + half) / (len(own) + params.smoothing) for result in (1.0, 0.0))
    if not len(tree.children(node)):
        return float(win), float(loss)
    visited = [child for child in tree.children(node) if tree["visits"][child] > 0]
    total = params.mean_weight + sum(len(results[child]) for child in visited)
    # a win for who moves here is a loss for who moves at the parent
    not_win, all_loss = (1 - loss) ** (params.mean_weight / total), win ** (params.mean_weight / total)
    for child in visited:
        power = min(1.0, params.alternatives * len(results[child]) / total)
        child_win, _, child_loss = chances_of(tree, child)
        not_win *= (1 - child_win) ** power
        all_loss *= child_loss**power
    return float(all_loss), float(1 - not_win)


@pytest.mark.parametrize("alternatives", [1.0, 3.0])
def test_counted_outcomes_are_those_of_a_transcription(alternatives: float) -> None:
    workspace = HashWorkspace(5, 3)
    search = Search(Parts(HASH_GAME, dominance_prior, wdl_counts, "visits"), [workspace], 1 << 20)
    params = CountsParameters(alternatives, 5.0, 1.5)
    search.settings.backup = params
    search.run(Budget(300), early_stop=False)
    results: dict[int, list[float]] = {}
    simulations = list(logged(workspace))
    for path, _, result in simulations:
        for depth, node in enumerate(path):
            results.setdefault(node, []).append(result if (len(path) - 1 - depth) % 2 else 1.0 - result)
    last = simulations[-1][0]
    assert len(last) > 2
    # on the last path all nodes were backed up with what their children are now
    for node in last:
        win, _, loss = chances_of(search.tree, node)
        assert (win, loss) == pytest.approx(slow_counts(search.tree, node, results, params), abs=1e-4)


def test_counts_need_no_outcomes_of_new_children() -> None:
    assert wdl_effective.needs_outcomes and not wdl_counts.needs_outcomes
    domain = HASH_GAME._replace(list_outcomes=list_no_outcomes)
    with pytest.raises(ValueError, match="wdl-effective needs win, draw and loss"):
        compose_steps(domain, dominance_prior, wdl_effective)
    search = Search(Parts(domain, dominance_prior, wdl_counts, "visits"), [HashWorkspace(8, 3)], 1 << 20)
    search.run(Budget(4000), early_stop=False)
    assert int(search.tree["move"][search.root_order()[0]]) in best_moves(8)
