"""Searches that are watched."""

import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from miai.engine.domains.simulated import SIMULATED_TREES, TESTS, SimulatedWorkspace
from miai.engine.go.game import Game
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.parameters import parameters_with
from miai.engine.search.rule_names import RuleFailure
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT
from miai.web import watching
from miai.web.messages import make_messages
from miai.web.tree_view import MAX_CHILDREN
from miai.web.watching import Watch, WatchedSearch

OWN_RULE = """
from miai import selection_rule
from miai.engine.search.tree import children_of, visits

@selection_rule()
def least_visited(tree, node, params, workspace):
    children, best = children_of(tree, node), -1
    for child in range(children.first, children.end):
        if best < 0 or visits(tree)[child] < visits(tree)[best]:
            best = child
    return best

@selection_rule()
def fails_later(tree, node, params, workspace):
    if visits(tree)[node] > 60:
        raise ValueError("enough")
    return children_of(tree, node).first
"""


def request(*rules: str, parameters: Sequence[str] = (), **values: Any) -> dict[str, Any]:
    contestants = [
        {"select": rule.partition("+")[0], "backup": rule.partition("+")[2] or "mean", "parameters": list(parameters)}
        for rule in rules
    ]
    fields = make_messages([one["select"] for one in contestants])["watch"]
    return fields.read({"contestants": contestants, **values})


def watch(
    message: dict[str, Any], game: Game | None = None, act: Callable[[Watch, dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """Return all pictures of searches; they end with the first that is finished after what `act` wanted."""
    pictures: list[dict[str, Any]] = []
    stop = threading.Event()

    def take(picture: dict[str, Any]) -> None:
        if picture["type"] == "loading":
            return
        pictures.append(picture)
        is_last = picture["state"] == "finished"
        if act is not None:
            act(shown, picture)
            is_last = is_last and any(one["open"] for one in picture["searches"])
        if is_last:
            stop.set()

    shown = Watch(message, game or Game(5), take)
    shown.run(stop)
    return pictures


def test_two_rules_get_equal_simulations_and_their_trees_are_told() -> None:
    last = watch(request("puct", "uct", preset="uct-random", simulations=300))[-1]
    assert [one["simulations"] for one in last["searches"]] == [300, 300]
    assert [one["name"] for one in last["searches"]] == ["puct / mean", "uct / mean"]
    for one in last["searches"]:
        visits = [child[1] for child in one["children"]]
        assert visits == sorted(visits, reverse=True) and 290 <= sum(visits) <= 300
        assert one["best"] == one["children"][0][0] and one["children"][0][5] is None
        assert sum(child[3] for child in one["children"]) == pytest.approx(1.0, abs=0.02)


def test_equal_time_is_shared_fairly(monkeypatch: pytest.MonkeyPatch) -> None:
    step = 1 / 64
    ticks = itertools.count(0.0, step)
    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    pictures = watch(request("puct", "uct", preset="uct-random", by="time", seconds=0.5))
    assert len(pictures) > 3
    for picture in pictures:
        first, second = picture["searches"]
        assert abs(first["seconds"] - second["seconds"]) <= step + 0.001
    for one in pictures[-1]["searches"]:
        assert one["seconds"] == 0.5 and one["simulations"] > 20


def test_a_watched_search_is_the_search_itself() -> None:
    last = watch(request("puct", domain="simulated", test="A", index=3, seed=5, simulations=400))[-1]["searches"][0]
    workspace = SimulatedWorkspace(TESTS["A"], 3, 5)
    rule = SELECTION_RULES["puct"]
    search = Search(Parts(SIMULATED_TREES, rule, BACKUP_RULES["mean"]), [workspace], 64 << 20)
    search.settings.selection = parameters_with(rule.defaults, {"c0": TESTS["A"].c0, "fpu": 0})
    search.run(Budget(400), early_stop=False)
    children = search.tree.children(ROOT)
    found = {str(search.tree["move"][child]): int(search.tree["visits"][child]) for child in children}
    assert {child[0]: child[1] for child in last["children"]} == found


def test_the_regret_that_is_told_last_is_that_of_now_however_often_it_changed() -> None:
    one = WatchedSearch("", cast(Search, None), str, lambda error: error, lambda: None)
    for one.done in range(1, 20_000):
        one._note(one.done % 2 / 10)
        assert one.regrets[-1][1] == one.done % 2 / 10
    assert [done for done, _ in one.regrets[:5]] == [1, 2, 3, 4, 5]
    assert len(one.regrets) < 400


def test_a_simulated_tree_tells_the_truth_and_the_regret() -> None:
    last = watch(request("uct", domain="simulated", simulations=2000))[-1]["searches"][0]
    truths = {child[0]: child[5] for child in last["children"]}
    assert last["regrets"][-1][1] == pytest.approx(max(truths.values()) - truths[last["best"]], abs=2e-4)
    counts = [simulations for simulations, _ in last["regrets"]]
    assert counts == sorted(counts) and counts[-1] <= 2000


def test_a_node_is_opened_by_the_moves_that_lead_to_it() -> None:
    asked: list[list[str]] = []

    def act(shown: Watch, picture: dict[str, Any]) -> None:
        if picture["state"] == "finished" and not asked:
            asked.append([picture["searches"][0]["best"]])
            shown.open(0, asked[0], True)
            shown.open(0, ["Z9"], True)
            shown.open(1, ["A1"], True)

    last = watch(request("uct", preset="uct-random", simulations=400), act=act)[-1]["searches"][0]
    assert list(last["open"]) == asked[0]
    below = last["open"][asked[0][0]]
    assert 0 < len(below) <= MAX_CHILDREN
    assert sum(child[1] for child in below) < last["children"][0][1]


def test_a_search_can_be_slow_halted_and_ended() -> None:
    stop = threading.Event()
    states: list[tuple[str, int]] = []

    def take(picture: dict[str, Any]) -> None:
        if picture["type"] == "loading":
            return
        states.append((picture["state"], picture["searches"][0]["simulations"]))
        if len(states) == 3:
            shown.pause(True)
            shown.open(0, ["A1"], True)
        elif picture["state"] == "paused":
            shown.pause(False)
        elif len(states) >= 6:
            stop.set()

    shown = Watch(request("uct", preset="uct-random", simulations=100_000, pace=50.0), Game(5), take)
    shown.run(stop)
    assert "paused" in dict(states) and states[-1][1] < 1000
    halted = [count for state, count in states if state == "paused"]
    assert halted[0] == states[2][1]


def test_a_users_own_rule_is_watched_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_RULE)
    message = request(f"{tmp_path}/own.py:least_visited", "uct", preset="uct-random", simulations=200)
    last = watch(message, Game(3))[-1]
    visits = [child[1] for child in last["searches"][0]["children"]]
    assert max(visits) - min(visits) <= 1


def test_a_rule_that_fails_says_where(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_RULE)
    with pytest.raises(RuleFailure, match="own.py"):
        watch(request(f"{tmp_path}/own.py:fails_later", preset="uct-random", simulations=500), Game(3))


@pytest.mark.parametrize(
    ("rule", "domain", "words"),
    [
        ("rave", "simulated", "rave needs moves that mean the same"),
        ("crazystone", "simulated", "crazystone needs scores"),
        ("dominance+mean", "go", "dominance compares"),
    ],
)
def test_rules_that_do_not_fit_are_refused_by_name(rule: str, domain: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        watch(request(rule, domain=domain, preset="uct-random"))


@pytest.mark.parametrize("domain", ["go", "simulated"])
def test_a_rule_is_watched_with_its_parameters(domain: str) -> None:
    greedy, wide = (
        watch(request("puct", parameters=(text,), domain=domain, preset="uct-random", simulations=300))[-1]
        for text in ("puct.c0=0.01", "puct.c0=50")
    )
    assert [one["name"] for one in greedy["searches"]] == ["puct / mean, puct.c0=0.01"]
    visits = [max(child[1] for child in one["searches"][0]["children"]) for one in (greedy, wide)]
    assert visits[0] > 1.5 * visits[1]


@pytest.mark.parametrize("domain", ["go", "simulated"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("puct.c0", "allowed: NAME=VALUE"),
        ("puct.c0=many", "'many' is not allowed .allowed: a number from"),
        ("uct.c0=1", "there is no search parameter 'uct.c0' .allowed: "),
    ],
)
def test_parameters_that_there_are_not_are_refused_by_name(domain: str, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        watch(request("puct", parameters=(text,), domain=domain, preset="uct-random"))
