"""Backup rules against slow transcriptions: every simulation of a search is backed up again from its log."""

import functools
import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.backup.mix import MixParameters, mix, mixed_value
from miai.engine.search.backup.weighted import KnotParameters, feedback_ratio, feedback_weight, weight_at
from miai.engine.search.parameters import parameters_with
from miai.engine.search.rule_compatibility import fitting_pairs
from miai.engine.search.rule_declaration import BackupRule
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT, Tree
from tests.search.hash_game import HASH_GAME, HashWorkspace, best_moves, logged

SIMULATIONS = 900


SELECTION = {
    "uct": {"exploration": 2.0},
    "rave": {"exploration": 2.0, "equivalence": 1.0},
    "rave-fuego": {"exploration": 2.0, "equivalence": 1.0},
    "puct": {"c0": 8.0},
    "puct-policy": {"c0": 8.0},
    "regularized-policy": {"c0": 8.0},
    "esprit": {"sigma": 0.3},
    "esprit-stochastic": {"sigma": 0.3},
    "gumbel": {"c_visit": 1.0, "c_scale": 0.002},
    "crazystone": {"epsilon": 0.02},
}
"""Parameters with which rules explore enough to get over a wrong first impression; their defaults are for Go."""
BACKUP = {"erwa": {"rate": 0.02}, "erwa-normalized": {"rate": 0.02}, "mix": {"points": 4.0}}


def searched(rule: BackupRule, root_key: int = 3, select: str = "uct", **values: float) -> tuple[Search, HashWorkspace]:
    workspace = HashWorkspace(root_key, root_key, 5)
    search = Search(Parts(HASH_GAME, SELECTION_RULES[select], rule), [workspace], 1 << 20)
    search.settings.backup = parameters_with(rule.defaults, values)
    search.run(Budget(SIMULATIONS), early_stop=False)
    return search, workspace


class Replay:
    """Nodes as a slow transcription sees them; values are from the view of the player who moves at the parent."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.visits: dict[int, int] = defaultdict(int)
        self.values: dict[int, float] = {}
        self.results: dict[int, list[float]] = defaultdict(list)
        """All results that came to the node, first to last."""
        self.own: dict[int, list[float]] = defaultdict(list)
        """Those of simulations that ended there."""

    def children(self, node: int) -> list[int]:
        """Return the children visited so far."""
        return [child for child in self.tree.children(node) if self.visits[child]]

    def run(self, workspace: HashWorkspace, backup: Callable[["Replay", int, float], tuple[float, float]]) -> None:
        """Back up all simulations by `backup(replay, node, result) -> value, result to hand on`."""
        for path, _, result in logged(workspace):
            for node in path:
                self.visits[node] += 1
            for depth in range(len(path) - 1, -1, -1):
                node = path[depth]
                result = 1.0 - result
                if depth == len(path) - 1:
                    self.own[node].append(result)
                value, result = backup(self, node, result)
                self.values[node] = value


def agree(search: Search, replay: Replay, tolerance: float = 1e-6) -> None:
    tree = search.tree
    assert len(replay.values) > 50
    for node in range(tree.num_nodes):
        assert tree["visits"][node] == replay.visits[node]
        if replay.visits[node]:
            assert tree["value"][node] == pytest.approx(replay.values[node], abs=tolerance), node


def agrees_with(rule: str, backup: Any, **values: float) -> None:
    """Check that a search by the rule backs up what another transcription says of the same simulations."""
    search, workspace = searched(BACKUP_RULES[rule], **values)
    replay = Replay(search.tree)
    replay.run(workspace, backup)
    agree(search, replay, tolerance=1e-5)


def slow_mean(replay: Replay, node: int, result: float) -> tuple[float, float]:
    replay.results[node].append(result)
    return float(np.mean(replay.results[node])), result


def slow_max(replay: Replay, node: int, result: float) -> tuple[float, float]:
    mean, _ = slow_mean(replay, node, result)
    children = replay.children(node)
    return (1.0 - max(replay.values[child] for child in children) if children else mean), result


def slow_robust_max(replay: Replay, node: int, result: float) -> tuple[float, float]:
    mean, _ = slow_mean(replay, node, result)
    children = replay.children(node)
    if not children:
        return mean, result
    return 1.0 - replay.values[max(children, key=lambda child: (replay.visits[child], -child))], result


def slow_maxmcts(replay: Replay, node: int, result: float) -> tuple[float, float]:
    children = replay.children(node)
    if children:
        result = 1.0 - (0.7 * max(replay.values[child] for child in children) + 0.3 * (1.0 - result))
    return slow_mean(replay, node, result)


def slow_weighted(weight: Callable[[float], float]) -> Callable[[Replay, int, float], tuple[float, float]]:
    def backup(replay: Replay, node: int, result: float) -> tuple[float, float]:
        replay.results[node].append(result)
        weights = [weight(t) for t in range(len(replay.results[node]))]
        return float(np.average(replay.results[node], weights=weights)), result

    return backup


def slow_erwa(replay: Replay, node: int, result: float) -> tuple[float, float]:
    before = replay.values.get(node)
    return (result if before is None else before + 0.05 * (result - before)), result


def integral(knots: list[float], simulations: float, t: float) -> float:
    """Return `∫ e^p` from 0 to t by many small steps; p linear between the knots, and beyond by the last slope."""
    width = simulations / 5
    s = (np.arange(20_000) + 0.5) * t / 20_000
    piece = np.clip(s // width, 0, 4).astype(int)
    values = np.array(knots)
    p = values[piece] + (values[piece + 1] - values[piece]) * (s / width - piece)
    return float(np.exp(p).sum() * t / 20_000)


def slow_softmax(replay: Replay, node: int, result: float, weight_of_own: float = 1.0) -> tuple[float, float]:
    mean, _ = slow_mean(replay, node, result)
    children = replay.children(node)
    if not children:
        return mean, result
    q = np.array([2.0 * replay.values[child] - 1.0 for child in children])
    weight = weight_at(float(replay.visits[node]), KNOTS)
    alphas = np.array([replay.visits[child] for child in children]) * np.exp(weight * q)
    own = weight_of_own * len(replay.own[node]) * math.exp(weight * (q.max() - 1.0))
    own_q = 1.0 - 2.0 * float(np.mean(replay.own[node])) if replay.own[node] else 0.0
    soft = (alphas @ q + own * own_q) / (alphas.sum() + own)
    return 1.0 - (soft + 1.0) / 2.0, result


def slow_mix(replay: Replay, node: int, result: float) -> tuple[float, float]:
    """Coulom's program, the slide's Fig. 1, line by line, for values from 0 to 1."""
    mean, _ = slow_mean(replay, node, result)
    children = sorted(replay.children(node), key=lambda child: (-replay.values[child], child))
    if not children:
        return mean, result
    most = max(children, key=lambda child: (replay.visits[child], -child))
    second = children[1:2] if most in children[:2] else [most]
    games = [replay.visits[child] for child in [children[0], *second]] + [0]
    values = [replay.values[child] for child in [children[0], *second]] + [0.0]
    return 1.0 - slide_program(1.0 - mean, replay.visits[node], games, values, 2.0, 16.0, 4.0), result


def slide_program(
    mean: float, simulations: int, games: list[int], values: list[float], x: float, y: float, points: float
) -> float:
    mean_weight = x * points
    if simulations > y * points:
        mean_weight *= simulations / (y * points)
    value = mean
    if not (games[1] and games[0]):
        return values[0]
    averaged = [(games[i] * values[i] + mean_weight * value) / (games[i] + mean_weight) for i in range(2)]
    if games[0] < games[1]:
        if values[1] > value:
            value = averaged[1]
        elif values[0] < value:
            value = averaged[0]
    else:
        value = averaged[0]
    return value


KNOTS = KnotParameters(-3.0, -8.0, -4.0, -4.0, -5.0, -6.0, simulations=400.0)

CASES: dict[str, tuple[dict[str, float], Any]] = {
    "mean": ({}, slow_mean),
    "max": ({}, slow_max),
    "robust-max": ({}, slow_robust_max),
    "maxmcts": ({"eligibility": 0.3}, slow_maxmcts),
    "erwa": ({"rate": 0.05}, slow_erwa),
    "erwa-normalized": ({"rate": 0.05}, slow_weighted(lambda t: 0.95**-t)),
    "monotone": (KNOTS._asdict(), slow_weighted(lambda t: 1.0 + weight_at(float(t), KNOTS))),
    "softmax": (KNOTS._asdict(), slow_softmax),
    "mix": ({"points": 4.0}, slow_mix),
    "gax": ({"width": 20.0}, slow_weighted(lambda t: 1.0 + 0.5 * (t // 20))),
    "gay": ({"width": 20.0}, slow_weighted(lambda t: 1.5 ** (t // 20))),
    "gbx": ({"width": 20.0}, slow_weighted(lambda t: 1.0 + 0.5 * math.floor(math.log2(t / 20 + 1)))),
    "gby": ({"width": 20.0}, slow_weighted(lambda t: 1.5 ** math.floor(math.log2(t / 20 + 1)))),
}


@pytest.mark.parametrize("name", CASES)
def test_a_search_backs_up_what_the_transcription_says(name: str) -> None:
    values, backup = CASES[name]
    agrees_with(name, backup, **values)


@pytest.mark.parametrize("t", [0.0, 1.0, 79.5, 80.0, 200.0, 399.0, 400.0, 500.0])
def test_the_weight_function_is_the_integral_of_the_exponential_of_its_knots(t: float) -> None:
    expected = integral(list(KNOTS)[:6], 400.0, t)
    assert weight_at(t, KNOTS) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_flat_knots_make_a_linear_weight() -> None:
    flat = KnotParameters(*[-2.0] * 6, simulations=100.0)
    assert [weight_at(t, flat) for t in (0.0, 50.0, 300.0)] == pytest.approx(
        [0.0, 50 * math.exp(-2), 300 * math.exp(-2)]
    )


def test_erwa_is_monotone_with_the_knots_of_proposition_3_2_but_for_the_first_result() -> None:
    """The proposition gives the first result the weight α·(1 − α)^n; ERWA, which begins with it, gives it (1 − α)^n."""
    rate = 0.02
    slope = -math.log(1.0 - rate)
    # the proposition has w(0) = rate; divided by that, w(0) = 1
    knots = {f"p{index}": slope * index * 100.0 + math.log(slope) for index in range(6)}
    weights = [1.0 + weight_at(float(t), KnotParameters(**knots, simulations=500.0)) for t in (0, 1, 7, 700)]
    assert weights == pytest.approx([(1.0 - rate) ** -t for t in (0, 1, 7, 700)], rel=1e-9)
    search, workspace = searched(BACKUP_RULES["monotone"], **knots, simulations=500.0)
    replay = Replay(search.tree)

    def erwa(replay: Replay, node: int, result: float) -> tuple[float, float]:
        before = replay.values.get(node, result)
        return before + rate * (result - before), result

    replay.run(workspace, erwa)
    often = [node for node in range(search.tree.num_nodes) if replay.visits[node] > 300]
    assert len(often) >= 2
    for node in often:
        assert search.tree["value"][node] == pytest.approx(
            replay.values[node], abs=3.0 * (1.0 - rate) ** replay.visits[node]
        )


@pytest.mark.parametrize(("internal_at", "threshold"), [(0, 4), (1, 1), (10, 10)])
def test_mix_is_the_mean_below_its_threshold_which_0_makes_the_points_of_the_board(
    internal_at: int, threshold: int
) -> None:
    def backup(replay: Replay, node: int, result: float) -> tuple[float, float]:
        return (slow_mean if replay.visits[node] < threshold else slow_mix)(replay, node, result)

    agrees_with("mix", backup, points=4.0, internal_at=internal_at)


def test_softmax_without_weight_is_the_mean() -> None:
    agrees_with("softmax", slow_mean, **{f"p{index}": -100.0 for index in range(6)})


def test_softmax_with_a_huge_weight_is_the_maximum() -> None:
    agrees_with("softmax", slow_max, **{f"p{index}": 15.0 for index in range(6)})


def test_softmax_as_printed_knows_children_only() -> None:
    agrees_with("softmax", functools.partial(slow_softmax, weight_of_own=0.0), **KNOTS._asdict(), own=0.0)


def test_erwa_as_printed_hardly_leaves_the_first_result_where_the_normalized_one_is_nearly_the_mean() -> None:
    found = {}
    for rule, name in (("erwa", "equation 3"), ("erwa-normalized", "proposition 3.2")):
        search, workspace = searched(BACKUP_RULES[rule], rate=1e-5)
        results = [1.0 - result if len(path) % 2 else result for path, _, result in logged(workspace)]
        found[name] = float(search.tree["value"][ROOT]), results[0], float(np.mean(results))
    value, first, mean = found["equation 3"]
    assert abs(mean - first) > 0.05 and value == pytest.approx(first, abs=SIMULATIONS * 1e-5)
    value, _, mean = found["proposition 3.2"]
    assert value == pytest.approx(mean, abs=0.005)


def test_maxmcts_at_one_is_the_mean() -> None:
    agrees_with("maxmcts", slow_mean, eligibility=1.0)


def test_maxmcts_at_zero_hands_the_best_childs_value_on() -> None:
    def backup(replay: Replay, node: int, result: float) -> tuple[float, float]:
        children = replay.children(node)
        if children:
            result = 1.0 - max(replay.values[child] for child in children)
        return slow_mean(replay, node, result)

    agrees_with("maxmcts", backup, eligibility=0.0)


def test_mix_takes_every_branch_of_the_slides_program() -> None:
    rng = np.random.default_rng(3)
    branches = set()
    params = MixParameters(2.0, 16.0)
    for _ in range(3000):
        count = int(rng.integers(1, 6))
        tree = Tree(count + 1, mix.columns)
        rows = slice(1, count + 1)
        tree["visits"][rows] = rng.integers(0, 30, count)
        tree["value"][rows] = rng.random(count)
        tree["visits"][ROOT] = int(rng.choice([10, 60, 70, 500]))
        tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, count
        mean = float(rng.random())
        found = mixed_value(tree.record, ROOT, mean, 4.0, params)
        visited = sorted((c for c in range(1, count + 1) if tree["visits"][c]), key=lambda c: -tree["value"][c])
        if not visited:
            assert found == mean
            branches.add("no child")
            continue
        most = max(visited, key=lambda c: (tree["visits"][c], -c))
        second = visited[1:2] if most in visited[:2] else [most]
        games = [int(tree["visits"][c]) for c in [visited[0], *second]] + [0]
        values = [float(tree["value"][c]) for c in [visited[0], *second]] + [0.0]
        assert found == pytest.approx(
            slide_program(mean, int(tree["visits"][ROOT]), games, values, 2.0, 16.0, 4.0), abs=1e-12
        )
        if not games[1]:
            branches.add("one child")
        elif games[0] >= games[1]:
            branches.add("best has most games")
        else:
            branches.add((values[1] > mean, values[0] < mean))
        branches.add("grown" if tree["visits"][ROOT] > 64 else "not grown")
    assert len(branches) == 8


def test_feedback_weights_grow_from_segment_to_segment() -> None:
    by_name = {name: BACKUP_RULES[name].defaults._replace(width=10.0) for name in ("gax", "gay", "gbx", "gby")}
    found = {name: [feedback_weight(t, params) for t in (0.0, 9.0, 10.0, 35.0)] for name, params in by_name.items()}
    assert found == {
        "gax": [1.0, 1.0, 1.5, 2.5],
        "gay": [1.0, 1.0, 1.5, 1.5**3],
        "gbx": [1.0, 1.0, 1.5, 2.0],
        "gby": [1.0, 1.0, 1.5, 1.5**2],
    }


@pytest.mark.parametrize("name", ["gax", "gay", "gbx", "gby"])
def test_feedback_weights_of_long_searches_have_a_ratio(name: str) -> None:
    params = BACKUP_RULES[name].defaults._replace(width=10.0, growth=50.0)
    for t in (9.0, 10.0, 35.0):
        expected = feedback_weight(t - 1.0, params) / feedback_weight(t, params)
        assert feedback_ratio(t, params) == pytest.approx(expected, rel=1e-12)
    ratios = [feedback_ratio(float(t), params) for t in range(1_000_000, 1_000_020)]
    assert all(0.0 < ratio <= 1.0 for ratio in ratios)


@pytest.mark.parametrize("name", ["monotone", "monotone-2", "softmax", "softmax-2"])
def test_weights_of_long_searches_are_numbers(name: str) -> None:
    params = BACKUP_RULES[name].defaults
    weights = [weight_at(10.0**power, params) for power in range(10)]
    assert np.isfinite(weights).all() and weights == sorted(weights)


def pairs() -> list[Any]:
    """Return all pairs of rules; those of two unusual ones are checked in the slow run only."""
    marks = {True: (), False: (pytest.mark.slow,)}
    return [
        pytest.param(
            selection.name, backup.name, marks=marks[selection.name in ("puct", "dominance") or backup.name == "mean"]
        )
        for selection, backup in fitting_pairs()
    ]


@pytest.mark.parametrize(("select", "backup"), pairs())
def test_every_pair_of_rules_finds_the_best_move(select: str, backup: str) -> None:
    for root_key in (3, 8, 21):
        workspace = HashWorkspace(root_key, root_key, 5)
        search = Search(Parts(HASH_GAME, SELECTION_RULES[select], BACKUP_RULES[backup]), [workspace], 1 << 20)
        search.settings.selection = parameters_with(SELECTION_RULES[select].defaults, SELECTION.get(select, {}))
        search.settings.backup = parameters_with(BACKUP_RULES[backup].defaults, BACKUP.get(backup, {}))
        for simulations in (20_000, 180_000, 800_000):
            search.run(Budget(simulations), early_stop=False)
            if int(search.tree["move"][search.root_order()[0]]) in best_moves(root_key):
                break
        else:
            pytest.fail(f"{select} with {backup} plays the wrong move in the game of key {root_key}")
