"""Searches of tactical positions: which pairs of rules, and at how many simulations each has the right move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.benson import pointless_points
from miai.engine.random import new_stream
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.own_rules import explain_failure, find_backup_rule, find_selection_rule
from miai.engine.search.rule_compatibility import check_pair, fits
from miai.engine.search.rule_names import content_of
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.experiments.tactics.clear_positions import CLEAR_POSITIONS
from miai.experiments.tactics.tactical_positions import HARD_POSITIONS, SIZE, TacticalPosition
from miai.players.evaluators import make_domain, make_evaluator_workspace

FIRST_CHECKPOINT = 16
"""Simulations after which the choice of move is checked for the first time."""
POSITION_SETS = {"clear": CLEAR_POSITIONS, "hard": HARD_POSITIONS}
"""Positions that every pair of rules must find, and those that tell pairs apart."""
MEMORY = 256 << 20
"""Bytes of a search's tree, which is pruned when it needs more."""


@dataclass(frozen=True)
class RulePair:
    """A selection rule and a backup rule by their names."""

    select: str
    backup: str

    @property
    def label(self) -> str:
        """Both names, as the tables show them."""
        return f"{self.select}/{self.backup}"


def pairs_to_run(selects: Sequence[str] = (), backups: Sequence[str] = ()) -> tuple[RulePair, ...]:
    """Return every pair of the named rules that goes together.

    No names means all rules.

    Raises:
        ValueError: if there is no such rule, or no pair goes together.
    """
    for name in selects:
        find_selection_rule(name)
    for name in backups:
        find_backup_rule(name)
    pairs = tuple(
        RulePair(select, backup)
        for select in dict.fromkeys(selects or SELECTION_RULES)
        for backup in dict.fromkeys(backups or BACKUP_RULES)
        if fits(find_selection_rule(select), find_backup_rule(backup))
    )
    if not pairs:
        check_pair(find_selection_rule(selects[0]), find_backup_rule(backups[0]))
    return pairs


def positions_to_run(names: Sequence[str] = ()) -> tuple[TacticalPosition, ...]:
    """Return the positions that are named, by themselves or by their set, in our order; all without names."""
    return tuple(
        position
        for set_name, positions in POSITION_SETS.items()
        for position in positions
        if not names or set_name in names or position.name in names
    )


def checkpoints_up_to(simulations: int) -> list[int]:
    """Return the numbers of simulations after which the choice of move is checked: 16, 32, 64, …"""
    return [1 << power for power in range(simulations.bit_length()) if FIRST_CHECKPOINT <= 1 << power <= simulations]


def simulations_needed(right: np.ndarray, checkpoints: Sequence[int]) -> np.ndarray:
    """Return from which checkpoint on the right move was always chosen, inf if it was not at the last.

    `right` is bool [..., checkpoints]; the result is float64 [...].
    """
    stays_right = np.logical_and.accumulate(right[..., ::-1], axis=-1).sum(axis=-1)
    return np.array([*checkpoints, np.inf])[len(checkpoints) - stays_right]


@dataclass(frozen=True)
class TacticPlan:
    """What the experiment runs; a piece is one pair's search of every position from one seed."""

    pairs: tuple[RulePair, ...]
    positions: tuple[TacticalPosition, ...]
    policy: str
    simulations: int
    num_seeds: int

    @property
    def checkpoints(self) -> list[int]:
        """The numbers of simulations after which the choice of move is checked."""
        return checkpoints_up_to(self.simulations)

    @property
    def num_pieces(self) -> int:
        """How many pieces of work there are, all pairs of a seed together."""
        return self.num_seeds * len(self.pairs)

    def rows_of(self, piece: int) -> int:
        """Return how many positions a piece has: all."""
        return len(self.positions)

    def run_piece(self, piece: int) -> dict[str, np.ndarray]:
        """Search all positions with a piece's pair and seed; return `right`, bool [positions, checkpoints]."""
        seed, place = divmod(piece, len(self.pairs))
        return {"right": search_positions(self, self.pairs[place], seed)}

    def signature(self) -> dict[str, Any]:
        """Return what must agree for pieces to belong together; more seeds may be added later."""
        return {
            "pairs": [[content_of(pair.select), content_of(pair.backup)] for pair in self.pairs],
            "positions": [[one.name, one.color, one.komi, *one.text.split()] for one in self.positions],
            "policy": self.policy,
            "simulations": self.simulations,
        }


def search_positions(plan: TacticPlan, pair: RulePair, seed: int) -> np.ndarray:
    """Tell whether the move that a pair of rules chooses is right: bool [positions, checkpoints].

    Positions are valued by playouts; for backups of win, draw and loss probabilities, which need those of every child,
    by the regression on features.

    Raises:
        RuleFailure: if a user's rule fails.
    """
    selection, backup = find_selection_rule(pair.select), find_backup_rule(pair.backup)
    evaluator = "static" if backup.needs_outcomes else "playouts"
    workspace = GoWorkspace(SIZE, make_evaluator_workspace(evaluator, SIZE))
    search = Search(Parts(make_domain(evaluator, plan.policy, backup), selection, backup), [workspace], MEMORY)
    right = np.zeros((len(plan.positions), len(plan.checkpoints)), dtype=bool)
    for row, position in enumerate(plan.positions):
        game = position.game()
        workspace.load(game, position.color, pointless_points(game.board, game.rules.suicide))
        workspace.record["stream"] = new_stream(seed, row, 0)
        workspace.record["evaluator"]["stream"] = new_stream(seed, row, 1)
        search.clear()
        done = 0
        for column, checkpoint in enumerate(plan.checkpoints):
            try:
                search.run(Budget(checkpoint - done), early_stop=False)
            except Exception as error:
                raise explain_failure(error, selection, backup) from error
            done = checkpoint
            right[row, column] = int(search.tree["move"][search.root_order()[0]]) in position.right_moves
    return right
