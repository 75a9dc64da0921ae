"""The simulate loop on a game without a board: what it counts, what it averages, what it finds."""

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest

from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.backup.mean import mean
from miai.engine.search.parameters import parameters_with
from miai.engine.search.rule_compatibility import fits
from miai.engine.search.rule_declaration import SelectionRule
from miai.engine.search.search import Budget, Parts, Search, Settings
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.simulate import SearchParameters, columns_of, compose_steps
from miai.engine.search.tree import ROOT, TERMINAL, UNEXPANDED, Tree, publish_children, reset_node
from tests.search.hash_game import HASH_GAME, PLIES, HashWorkspace, best_moves, key_after, logged, minimax, num_moves
from tests.search.leaf_results import visits_and_sums

_WITH_MEAN = [rule for rule in SELECTION_RULES.values() if fits(rule, mean)]
RULES = pytest.mark.parametrize("rule", _WITH_MEAN, ids=[rule.name for rule in _WITH_MEAN])


def make_search(
    rule: SelectionRule, root_key: int, expand_at: int = 2, **values: float
) -> tuple[Search, HashWorkspace]:
    workspace = HashWorkspace(root_key, root_key, 7)
    search = Search(Parts(HASH_GAME, rule, mean), [workspace], 1 << 20)
    search.settings = Settings(SearchParameters(expand_at), parameters_with(rule.defaults, values), mean.defaults)
    return search, workspace


def run(search: Search, simulations: int) -> int:
    return search.run(Budget(simulations), early_stop=False)[0]


@RULES
def test_simulations_are_counted_exactly(rule: SelectionRule) -> None:
    search, workspace = make_search(rule, 1)
    expected = 0
    for simulations in (1, 2, 249, 250, 251, 600):
        assert run(search, simulations) == simulations
        expected += simulations
        assert search.tree["visits"][ROOT] == expected == workspace.record["num_logged"]
        assert workspace.record["num_open"] == 0


def test_a_search_without_limits_ends_before_the_visits_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miai.engine.search.search._MOST_VISITS", 1000)
    search, _ = make_search(_WITH_MEAN[0], 1)
    assert search.run(Budget(), early_stop=False)[0] == 1000
    assert search.run(Budget(), early_stop=False)[0] == 1, "one more for whoever asks again"


@RULES
@pytest.mark.parametrize("expand_at", [1, 2, 7])
def test_visits_values_and_scores_are_those_of_the_simulations_below(rule: SelectionRule, expand_at: int) -> None:
    search, workspace = make_search(rule, 2, expand_at)
    run(search, 700)
    tree = search.tree
    for path, trace, _ in logged(workspace):
        assert path[0] == ROOT and len(path) <= PLIES + 1
        assert [int(tree["move"][node]) for node in path[1:]] == trace[: len(path) - 1]
    visits, sums = visits_and_sums((path, result) for path, _, result in logged(workspace))
    for node in range(tree.num_nodes):
        assert tree["visits"][node] == visits[node]
        if visits[node]:
            mean = sums[node] / visits[node]
            assert tree["value"][node] == pytest.approx(mean, abs=1e-9)
            assert tree["score"][node] == pytest.approx(10.0 * mean - 5.0, abs=1e-3)


@pytest.mark.parametrize("name", [name for name, rule in BACKUP_RULES.items() if not rule.needs_outcomes])
def test_visits_of_other_threads_under_way_are_no_results(name: str) -> None:
    backup, record, rules = BACKUP_RULES[name], HashWorkspace(1, 1).record, SELECTION_RULES["uct"]
    trees = [Tree(8, columns_of(HASH_GAME, rules, backup), results_apart) for results_apart in (False, True)]
    back_up = compose_steps(HASH_GAME, rules, backup).back_up
    node = 1
    for tree, under_way in zip(trees, (0, 3), strict=True):
        tree.record["num_nodes"][0] = 2
        reset_node(tree.record, node, 1, 1.0)
        backup.init_children(tree.record, node, 1, record)
        publish_children(tree.record, ROOT, node, 1)
        record["path"][:2] = ROOT, node
        for number, result in enumerate((0.0, 0.0, 1.0), start=1):
            tree["visits"][:2] = number + under_way
            back_up(tree.record, record, 1, result, backup.defaults)
    for column in ("value", "score"):
        assert trees[0][column][node] == trees[1][column][node]
    assert trees[1]["results"][:2].tolist() == [3, 3] and 0.5 < trees[1]["value"][node] < 1.0


def test_threads_count_their_results() -> None:
    workspaces = [HashWorkspace(1, seed) for seed in (1, 2)]
    search = Search(Parts(HASH_GAME, SELECTION_RULES["uct"], mean), workspaces, 1 << 20)
    run(search, 500)
    assert 250 < search.tree["results"][ROOT] <= 500  # now and then an update is lost
    search.advance(int(search.tree["move"][search.tree.children(ROOT)[0]]))
    assert 0 < search.tree["results"][ROOT] <= 500
    search.clear()
    assert search.tree["results"][ROOT] == 0


@RULES
@pytest.mark.parametrize("expand_at", [1, 2, 7])
def test_children_hold_all_visits_but_those_before_the_expansion(rule: SelectionRule, expand_at: int) -> None:
    search, _ = make_search(rule, 3, expand_at)
    run(search, 1000)
    tree = search.tree
    num_delayed = 0
    for node in range(tree.num_nodes):
        first, below = tree["first_child"][node], sum(tree["visits"][child] for child in tree.children(node))
        if first > 0 and node == ROOT:
            assert below == tree["visits"][node]  # the root is expanded at once
        elif first > 0:
            before = tree["visits"][node] - below
            # the simulation that gives the parent its children makes no grandchildren
            assert before == expand_at - 1 or (expand_at == 1 and before == 1)
            num_delayed += before == 1
        elif first == UNEXPANDED:
            assert tree["visits"][node] < max(expand_at, 2)
        else:
            assert first == TERMINAL and below == 0
    assert expand_at != 1 or num_delayed > 0


@RULES
def test_children_are_the_candidates_with_their_priors(rule: SelectionRule) -> None:
    search, _ = make_search(rule, 4)
    run(search, 500)
    tree = search.tree
    todo = [(ROOT, 4, 0)]
    depths = Counter[int]()
    while todo:
        node, key, depth = todo.pop()
        depths[depth] += 1
        children = tree.children(node)
        assert (tree["first_child"][node] == TERMINAL) == (depth == PLIES and tree["visits"][node] > 0)
        if children:
            assert [int(tree["move"][child]) for child in children] == list(range(1, num_moves(key) + 1))
            assert sum(tree["prior"][child] for child in children) == pytest.approx(1.0, abs=1e-6)
            assert tree["prior"][children[-1]] > tree["prior"][children[0]]
        todo += [(child, key_after(key, int(tree["move"][child])), depth + 1) for child in children]
    assert sum(depths.values()) == tree.num_nodes and depths[PLIES] > 0


EXPLORING = {
    "uct": {"exploration": 0.7},
    "rave": {"exploration": 0.5, "equivalence": 20.0},
    "rave-fuego": {"exploration": 0.5, "equivalence": 20.0},
    "puct-adaptive": {"c0": 2.0},
    "gumbel": {"c_visit": 1.0, "c_scale": 0.1},
    "crazystone": {"epsilon": 0.02},
}


@RULES
def test_search_finds_the_best_move(rule: SelectionRule) -> None:
    num_decided = 0
    for root_key in range(10, 30):
        if len(best_moves(root_key)) == num_moves(root_key):
            continue  # every move is as good
        num_decided += 1
        search, _ = make_search(rule, root_key, **EXPLORING.get(rule.name, {}))
        run(search, 20_000)
        best = search.root_order()[0]
        assert int(search.tree["move"][best]) in best_moves(root_key)
        if rule.name != "gumbel":  # below the root, one bad result may make it give up a move
            assert search.tree["value"][best] == pytest.approx(minimax(root_key), abs=0.15)
        line = search.variations([best])[0]
        counts = search.tree["visits"][line].tolist()
        assert counts == sorted(counts, reverse=True) and counts[-1] > 0
        for parent, node in itertools.pairwise(line):
            children = search.tree.children(parent)
            ranks = [(search.tree["visits"][one], search.tree["value"][one]) for one in children]
            assert ranks[node - children.start] == max(ranks)
    assert num_decided >= 8


def test_steps_after_begin_are_the_search_itself() -> None:
    whole, _ = make_search(SELECTION_RULES["uct"], 11)
    run(whole, 300)
    stepped, _ = make_search(SELECTION_RULES["uct"], 11)
    stepped.begin(300)
    assert [stepped.step(number) for number in (1, 99, 200)] == [1, 99, 200]
    for name in ("visits", "value", "first_child"):
        np.testing.assert_array_equal(
            stepped.tree[name][: stepped.tree.num_nodes], whole.tree[name][: whole.tree.num_nodes]
        )


def test_a_game_that_is_over_at_the_root_is_counted_and_has_no_moves() -> None:
    search, _ = make_search(SELECTION_RULES["rave"], 5)
    run(search, 3000)
    node, key = ROOT, 5
    for _ in range(PLIES):
        move = int(search.tree["move"][search.root_order()[0]])
        assert search.advance(move)
        key = key_after(key, move)
    assert search.tree["first_child"][node] == TERMINAL and search.root_order() == []
    assert search.tree["value"][node] == pytest.approx(1.0 - minimax(key, PLIES))


def test_the_same_stream_gives_the_same_tree_and_another_a_different_one() -> None:
    trees = []
    for seed in (1, 1, 2):
        workspace = HashWorkspace(6, seed)
        search = Search(Parts(HASH_GAME, SELECTION_RULES["rave"], mean), [workspace], 1 << 20)
        search.run(Budget(400), early_stop=False)
        trees.append({name: search.tree[name][: search.tree.num_nodes].tolist() for name in ("visits", "value")})
    assert trees[0] == trees[1] != trees[2]


def test_amaf_of_a_whole_search_agrees_with_a_slow_count() -> None:
    search, workspace = make_search(SELECTION_RULES["rave"], 7)
    run(search, 800)
    tree = search.tree
    counts: Counter[int] = Counter()
    sums: dict[int, float] = defaultdict(float)
    for path, trace, result in logged(workspace):
        leaf = len(path) - 1
        for depth in range(leaf):
            outcome = result if (leaf - depth) % 2 == 0 else 1.0 - result
            for child in tree.children(path[depth]):
                places = [ply for ply in range(depth, len(trace)) if trace[ply] == tree["move"][child]]
                if places and (places[0] - depth) % 2 == 0:
                    counts[child] += 1
                    sums[child] += outcome
    amaf_visits, amaf_value = tree["amaf_visits"], tree["amaf_value"]
    for node in range(1, tree.num_nodes):
        assert amaf_visits[node] == counts[node]
        assert amaf_visits[node] >= tree["visits"][node]
        if counts[node]:
            np.testing.assert_allclose(amaf_value[node], sums[node] / counts[node], atol=1e-4)
