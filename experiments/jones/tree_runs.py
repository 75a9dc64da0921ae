"""Searches on simulated game trees: what is run, in pieces of a few trees."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.engine.domains.simulated import (
    SIMULATED_KINDS,
    SIMULATED_TREES,
    TESTS,
    SimulatedWorkspace,
    evaluate_batch,
    true_values,
)
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.parameters import parameters_with
from miai.engine.search.rule_compatibility import MisfitError, check_pair
from miai.engine.search.search import BatchEvaluation, Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT

PIECE = 10
"""Trees in a piece of work, and in a file."""
MIN_MEMORY = 64 << 20
MAX_LEAVES = 1024
"""Leaves in a batch."""
_BATCHINGS = {"batch": "virtual-loss", "waves": "waves"}


@dataclass(frozen=True)
class SearchContestant:
    """A selection rule and a backup rule with their parameters."""

    label: str
    """As the user wrote it."""
    select: str
    backup: str
    values: tuple[tuple[str, float], ...]
    batch: int = 0
    """Leaves that are evaluated at once; 0 = one after the other, in compiled code."""
    batching: str = "virtual-loss"


@dataclass(frozen=True)
class TreePlan:
    """What an experiment runs."""

    test: str
    playouts: int
    num_trees: int
    contestants: tuple[SearchContestant, ...]
    seed: int

    @property
    def checkpoints(self) -> list[int]:
        """The numbers of playouts after which the choice of move is checked: 1, 2, 4, …"""
        return [1 << power for power in range(self.playouts.bit_length()) if 1 << power <= self.playouts]

    @property
    def num_pieces(self) -> int:
        """How many pieces of work there are."""
        return -(-self.num_trees // PIECE)

    def rows_of(self, piece: int) -> int:
        """Return how many trees a piece has."""
        return min(PIECE, self.num_trees - piece * PIECE)

    def run_piece(self, piece: int) -> dict[str, np.ndarray]:
        """Search the trees of a piece, see `search_trees`."""
        return search_trees(self, range(piece * PIECE, piece * PIECE + self.rows_of(piece)))

    def signature(self) -> dict[str, Any]:
        """Return what must agree for pieces to belong together; more trees may be added later."""
        return {
            "test": self.test,
            "playouts": self.playouts,
            "seed": self.seed,
            "contestants": [
                [one.select, one.backup, [list(pair) for pair in one.values]]
                + ([one.batch, one.batching] if one.batch else [])
                for one in self.contestants
            ],
        }


def read_contestant(text: str, test: str) -> SearchContestant:
    """Return the contestant of `SELECT[/BACKUP][:NAME=VALUE,…]`; `batch=N` and `waves=N` select N leaves at once.

    PUCT's rules take the paper's settings unless the text says otherwise: the `c0` of the test (section 4.2) and value
    0 for moves never visited.

    Raises:
        ValueError: naming what was wrong and what is allowed.
    """
    rules, _, assignments = text.partition(":")
    select, _, backup = rules.partition("/")
    backup = backup or "mean"
    for kind, name, known in (("selection", select, SELECTION_RULES), ("backup", backup, BACKUP_RULES)):
        if name not in known:
            raise ValueError(f"{text!r}: there is no {kind} rule {name!r} (allowed: {', '.join(known)})")
    if SELECTION_RULES[select].needs_lasting_moves:
        raise ValueError(f"{text!r}: {select} needs moves that mean the same later on, which these trees do not have")
    try:
        check_pair(SELECTION_RULES[select], BACKUP_RULES[backup], SIMULATED_KINDS)
    except MisfitError as error:
        raise ValueError(f"{text!r}: {error}") from None
    selection_fields = SELECTION_RULES[select].defaults._fields
    backup_fields = BACKUP_RULES[backup].defaults._fields
    values: dict[str, float] = {}
    batch, batching = 0, "virtual-loss"
    if "c0" in selection_fields:
        values = {"c0": TESTS[test].c0, "fpu": 0}
    for assignment in filter(None, assignments.split(",")):
        name, _, value = assignment.partition("=")
        if name in _BATCHINGS:
            batch, batching = _read_batch(text, value), _BATCHINGS[name]
            continue
        if name not in selection_fields and name not in backup_fields:
            allowed = [name for name in (*selection_fields, *backup_fields, *_BATCHINGS) if name != "unused"]
            raise ValueError(f"{text!r}: {name!r} is no parameter (allowed: {', '.join(allowed)})")
        try:
            values[name] = float(value)
        except ValueError:
            raise ValueError(f"{text!r}: {value!r} is no number") from None
    if batching == "waves" and SELECTION_RULES[select].policy is None:
        raise ValueError(f"{text!r}: waves need a search policy, which {select} has not")
    return SearchContestant(text, select, backup, tuple(sorted(values.items())), batch, batching)


def _read_batch(text: str, value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= MAX_LEAVES:
        raise ValueError(f"{text!r}: {value!r} is not allowed (allowed: 1 to {MAX_LEAVES} leaves)")
    return int(value)


def make_search(contestant: SearchContestant, workspace: SimulatedWorkspace, playouts: int) -> Search:
    """Return a search with room for all nodes of so many playouts, as far as memory is written to at all."""
    selection, backup = SELECTION_RULES[contestant.select], BACKUP_RULES[contestant.backup]
    memory = max(MIN_MEMORY, playouts * 100 * 2 * 60)
    batch = (
        BatchEvaluation(workspace.records[: contestant.batch], evaluate_batch, contestant.batching)
        if contestant.batch
        else None
    )
    search = Search(Parts(SIMULATED_TREES, selection, backup), [workspace], memory, batch)
    of_selection = {name: value for name, value in contestant.values if name in selection.defaults._fields}
    of_backup = {name: value for name, value in contestant.values if name in backup.defaults._fields}
    search.settings.selection = parameters_with(selection.defaults, of_selection)
    search.settings.backup = parameters_with(backup.defaults, of_backup)
    return search


def search_trees(plan: TreePlan, trees: range) -> dict[str, np.ndarray]:
    """Search some trees with every contestant.

    Returns:
        `regrets` float64 [trees, contestants, checkpoints]: how much less than the best the chosen move is truly worth;
        `ranks` int32 [trees, 3]: rank of the best move by static evaluation and by static policy, 1 the first, and how
        many moves the root has;
        `collisions` float64 [trees, contestants]: fraction of the descents in batches that collided.
    """
    test = TESTS[plan.test]
    checkpoints = plan.checkpoints
    regrets = np.zeros((len(trees), len(plan.contestants), len(checkpoints)))
    ranks = np.zeros((len(trees), 3), dtype=np.int32)
    collisions = np.zeros((len(trees), len(plan.contestants)))
    workspace = SimulatedWorkspace(test, 0, batch=max(1, *(contestant.batch for contestant in plan.contestants)))
    for place, contestant in enumerate(plan.contestants):
        search = make_search(contestant, workspace, plan.playouts)
        for row, index in enumerate(trees):
            workspace.load(test, index, plan.seed)
            search.clear()
            done = 0
            for column, checkpoint in enumerate(checkpoints):
                search.run(Budget(checkpoint - done), early_stop=False)
                done = checkpoint
                regrets[row, place, column] = regret(search)
            ranks[row] = static_ranks(search, workspace)
            collisions[row, place] = collision_rate(search)
    return {"regrets": regrets, "ranks": ranks, "collisions": collisions}


def collision_rate(search: Search) -> float:
    """Return the fraction of the descents that collided: of a search in batches, else 0."""
    if search.batch is None:
        return 0.0
    descents = sum(int(search.counts[name]) for name in ("leaves", "decided", "collisions"))
    return int(search.counts["collisions"]) / max(1, descents)


def regret(search: Search) -> float:
    """Return how much less the move with most visits, or of these the most valuable, is truly worth than the best."""
    children = search.tree.children(ROOT)
    worth = true_values(search.tree, children)
    return float(worth.max() - worth[search.root_order()[0] - children.start])


def static_ranks(search: Search, workspace: SimulatedWorkspace) -> tuple[int, int, int]:
    """Return the best move's rank by static evaluation and by static policy at the root, and the number of moves."""
    children = search.tree.children(ROOT)
    rows = slice(children.start, children.stop)
    worth = true_values(search.tree, children)
    record = workspace.record
    parent = float(record["e_par"]) * float(record["root_noise"])
    noise = (search.tree["logit_noise"][rows].astype(np.float64) - parent) / np.sqrt(1.0 + float(record["e_par"]) ** 2)
    evaluations = 1.0 / (1.0 + np.exp(search.tree["logit"][rows].astype(np.float64) - noise))
    policy = search.tree["prior"][rows]
    best = int(worth.argmax())
    by_evaluation = 1 + int((evaluations > evaluations[best]).sum())
    return by_evaluation, 1 + int((policy > policy[best]).sum()), len(children)
