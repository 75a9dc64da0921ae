"""Watching searches: one or two rules on the same position, step by step, with the tree as it grows."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from miai.engine.domains.simulated import SIMULATED_KINDS, SIMULATED_TREES, TESTS, SimulatedWorkspace, true_values
from miai.engine.go.game import Game
from miai.engine.go.points import vertex_of
from miai.engine.search.own_rules import explain_failure, find_backup_rule, find_selection_rule
from miai.engine.search.parameters import parameters_with
from miai.engine.search.rule_compatibility import check_pair
from miai.engine.search.search import Parts, Search
from miai.engine.search.tree import ROOT
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.options import PlayerOptions, read_assignment, resolve_options
from miai.players.parameters import PlayerParameters
from miai.players.player import Player
from miai.web.tree_view import MAX_CHILDREN, MAX_OPEN, MAX_ROOT, describe_children, find_node

REPORT_EVERY = 0.1
"""Seconds between two pictures of the trees."""
MEMORY = 128
"""MiB for the tree of each search."""
_LONGEST_STEP = 0.05
"""Seconds that a step should take at most."""
_TRIAL_SIMULATIONS = 20
_APART = 1.04
"""Ratio of the simulations at two points of the graph of regrets, so that these stay few hundreds."""


@dataclass
class WatchedSearch:
    """A rule at work."""

    name: str
    search: Search
    name_move: Callable[[int], str]
    explain: Callable[[Exception], Exception]
    """Says what went wrong in a user's rule."""
    close: Callable[[], None]
    worth: Callable[[range], np.ndarray] | None = None
    """True values of children, where these are known."""
    done: int = 0
    seconds: float = 0.0
    is_finished: bool = False
    open_paths: list[tuple[str, ...]] = field(default_factory=list)
    regrets: list[tuple[int, float]] = field(default_factory=list)
    """Simulations and regret from then on, each where it changed or the number doubled."""

    def step(self, simulations: int) -> None:
        """Do so many simulations.

        Raises:
            Exception: if a user's rule failed; the message says where.
        """
        started = time.monotonic()
        try:
            self.done += self.search.step(simulations)
        except Exception as error:
            raise self.explain(error) from error
        self.seconds += time.monotonic() - started
        if self.worth is not None and (children := self.search.tree.children(ROOT)):
            worth = self.worth(children)
            regret = float(worth.max() - worth[self.search.root_order()[0] - children.start])
            self._note(round(regret, 5))

    def _note(self, regret: float) -> None:
        since, last = self.regrets[-1] if self.regrets else (0, -1.0)
        if self.done < _APART * since:
            self.regrets[-1] = (since, regret)
        elif regret != last or self.done >= 2 * since:
            self.regrets.append((self.done, regret))

    def describe(self) -> dict[str, Any]:
        """Return the picture of the tree."""
        search = self.search
        order = search.root_order() if search.tree.children(ROOT) else []
        opened = {}
        for path in self.open_paths:
            node = find_node(search, path, self.name_move)
            if node is not None:
                worth = None if len(path) else self.worth
                opened[" ".join(path)] = describe_children(search, node, self.name_move, MAX_CHILDREN, worth)
        return {
            "name": self.name,
            "simulations": self.done,
            "seconds": round(self.seconds, 3),
            "nodes": search.tree.num_nodes,
            "value": round(1.0 - float(search.win_rates([ROOT])[0]), 4),
            "best": self.name_move(int(search.tree["move"][order[0]])) if order else None,
            "children": describe_children(search, ROOT, self.name_move, MAX_ROOT, self.worth),
            "open": opened,
            "regrets": self.regrets,
        }


class RulePick(NamedTuple):
    """What a contestant searches by."""

    select: str
    backup: str
    parameters: tuple[str, ...] = ()
    """Each as `puct.c0=2.5`."""

    @property
    def label(self) -> str:
        """Return it in words."""
        return ", ".join([f"{self.select} / {self.backup}", *self.parameters])


def make_go_search(game: Game, rules: RulePick, preset: str, seed: int, simulations: int | None) -> WatchedSearch:
    """Return a search of a position by a preset with other rules.

    Raises:
        ValueError: if they do not go together, or a parameter is wrong; says what is allowed.
    """
    select, backup = rules.select, rules.backup
    given = {"select": select, "backup": backup, "seed": seed, "memory": MEMORY, "threads": 1}
    given["parameters"] = dict(read_assignment(text) for text in rules.parameters)
    options = options_on(resolve_options(preset, None, given)[0], game.size)
    if (options.select, options.backup) != (select, backup):
        raise OptionError(f"preset: {preset} has a network that has not learned {game.size}x{game.size}")
    player = Player(options)
    player.prepare_search(game, game.to_play)
    search = player.search_on(game.size)
    search.begin(simulations)
    selection, backup_rule = find_selection_rule(select), find_backup_rule(backup)
    return WatchedSearch(
        rules.label,
        search,
        lambda move: vertex_of(move, game.size),
        lambda error: explain_failure(error, selection, backup_rule),
        player.close,
    )


def make_simulated_search(test: str, index: int, rules: RulePick, seed: int, simulations: int | None) -> WatchedSearch:
    """Return a search of a simulated tree (Jones 2021); PUCT's rules take the paper's settings for the test.

    Raises:
        ValueError: if the rules do not go together, or not with such trees, or a parameter is wrong; says what is
            allowed.
    """
    select, backup = rules.select, rules.backup
    selection, backup_rule = find_selection_rule(select), find_backup_rule(backup)
    if selection.needs_lasting_moves:
        raise OptionError(f"{select} needs moves that mean the same later on, which these trees do not have")
    check_pair(selection, backup_rule, SIMULATED_KINDS)
    parameters = PlayerParameters(selection, backup_rule, PlayerOptions())
    if "c0" in selection.defaults._fields:
        values = {"c0": TESTS[test].c0, "fpu": 0}
        known = {name: value for name, value in values.items() if name in selection.defaults._fields}
        parameters.settings.selection = parameters_with(selection.defaults, known)
    for text in rules.parameters:
        name, value = read_assignment(text)
        parameters.set(name, str(value))
    workspace = SimulatedWorkspace(TESTS[test], index, seed)
    search = Search(Parts(SIMULATED_TREES, selection, backup_rule), [workspace], MEMORY << 20)
    search.settings = parameters.settings
    search.begin(simulations)
    return WatchedSearch(
        rules.label,
        search,
        str,
        lambda error: explain_failure(error, selection, backup_rule),
        search.close,
        lambda children: true_values(search.tree, children),
    )


class Watch:
    """Searches that a page watches."""

    def __init__(self, request: dict[str, Any], game: Game, send: Callable[[dict[str, Any]], None]) -> None:
        """Take a page's message `watch`, the position, which stays as it is, and what takes the pictures."""
        self._request = request
        self._game = game.copy()
        self._send = send
        self._searches: list[WatchedSearch] = []
        self._lock = threading.Lock()
        self._go_on = threading.Event()
        self._go_on.set()
        self._is_stale = threading.Event()
        self._waiting_paths: list[tuple[int, tuple[str, ...], bool]] = []

    def pause(self, on: bool) -> None:
        """Halt the searches, or let them go on."""
        if on:
            self._go_on.clear()
        else:
            self._go_on.set()

    def open(self, number: int, path: list[str], is_open: bool) -> None:
        """Show the children of a node of a tree, or no longer."""
        with self._lock:
            self._waiting_paths.append((number, tuple(path), is_open))
        self._is_stale.set()

    def run(self, stop: threading.Event) -> None:
        """Search until the limit and then show what is opened, until the event is set.

        Raises:
            ValueError: if the rules do not fit.
            RuleFailure: if a user's rule fails.
        """
        try:
            self._make_contestants()
            started = last = time.monotonic()
            while not stop.is_set() and self._is_unfinished():
                if not self._go_on.is_set():
                    paused = time.monotonic()
                    while not stop.is_set() and not self._go_on.wait(REPORT_EVERY):
                        self._show_if_stale("paused")
                    started += time.monotonic() - paused
                    continue
                self._step_all(time.monotonic() - started, stop)
                if time.monotonic() - last >= REPORT_EVERY:
                    last = time.monotonic()
                    self._show("running")
            self._show("finished")
            while not stop.wait(REPORT_EVERY):
                self._show_if_stale("finished")
        finally:
            for one in self._searches:
                one.close()

    def _make_contestants(self) -> None:
        self._send({"type": "loading"})
        for one in self._request["contestants"]:
            rules = RulePick(one["select"], one["backup"], tuple(one["parameters"]))
            trial = self._make(rules)  # compiles, so that it is not counted as time to search
            try:
                trial.step(_TRIAL_SIMULATIONS)
            finally:
                trial.close()
            self._searches.append(self._make(rules))

    def _make(self, rules: RulePick) -> WatchedSearch:
        request = self._request
        simulations = request["simulations"] if request["by"] == "simulations" else None
        if request["domain"] == "go":
            return make_go_search(self._game, rules, request["preset"], request["seed"], simulations)
        test, index = request["test"], request["index"]
        return make_simulated_search(test, index, rules, request["seed"], simulations)

    def _is_unfinished(self) -> bool:
        return any(self._left(one) > 0 for one in self._searches)

    def _left(self, one: WatchedSearch) -> float:
        """Return the simulations, or seconds, that a search may still do."""
        if self._request["by"] == "simulations":
            return float(self._request["simulations"] - one.done)
        return float(self._request["seconds"] - one.seconds)

    def _step_all(self, elapsed: float, stop: threading.Event) -> None:
        """Let each search do a step, so that they stay level; wait if the page wants it slower."""
        pace = self._request["pace"]
        if pace is not None:
            allowed = int(elapsed * pace) - min(one.done for one in self._searches)
            if allowed < 1:
                stop.wait(min(1.0 / pace, REPORT_EVERY))
                return
        by_simulations = self._request["by"] == "simulations"
        behind = min(self._searches, key=lambda one: one.done if by_simulations else one.seconds)
        for one in self._searches if by_simulations else [behind]:
            if self._left(one) <= 0:
                continue
            speed = one.done / one.seconds if one.seconds > 0 else 0.0
            number = max(1, min(behind.done // 8 + 1, int(_LONGEST_STEP * speed)))
            if pace is not None:
                number = min(number, allowed)
            if by_simulations:
                number = min(number, int(self._left(one)))
            one.step(number)

    def _show_if_stale(self, state: str) -> None:
        if self._is_stale.is_set():
            self._show(state)

    def _show(self, state: str) -> None:
        self._is_stale.clear()
        with self._lock:
            waiting, self._waiting_paths = self._waiting_paths, []
        for number, path, is_open in waiting:
            if number < len(self._searches):
                paths = self._searches[number].open_paths
                if path in paths:
                    paths.remove(path)
                if is_open and len(paths) < MAX_OPEN:
                    paths.append(path)
        self._send(
            {
                "type": "watch",
                "state": state,
                "domain": self._request["domain"],
                "size": self._game.size,
                "searches": [one.describe() for one in self._searches],
            }
        )
