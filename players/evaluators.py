"""Evaluators by name, and what the searches of a player need of them.

This module and `miai.players.player` put named parts together. Networks are imported only where one is used.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from miai.engine.domains.go import GoWorkspace, go_functions
from miai.engine.go.game import Game
from miai.engine.random import new_stream
from miai.engine.search.rule_compatibility import ALL_KINDS
from miai.engine.search.rule_declaration import BackupRule, SelectionRule, ValueKind
from miai.engine.search.search import BatchEvaluation
from miai.engine.search.simulate import DomainFunctions, list_no_outcomes
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.parameters import PlayerParameters
from miai.playouts.child_wdl import outcomes_by_playouts
from miai.playouts.evaluator import make_evaluator
from miai.playouts.prior_knowledge import make_set_priors
from miai.playouts.static_evaluator import evaluate_statically, list_outcomes_statically, new_static_workspace
from miai.playouts.workspace import new_playout_workspace

if TYPE_CHECKING:
    from miai.nets.raw_evaluation import RawNetwork


class SearchSetup(Protocol):
    """What searches on boards of one size need."""

    @property
    def domain(self) -> DomainFunctions:
        """Go as the search sees it."""

    @property
    def workspaces(self) -> list[GoWorkspace]:
        """Workspaces: one a thread, or one for all leaves of a batch."""

    @property
    def batch(self) -> BatchEvaluation | None:
        """How leaves are evaluated, if not by the domain."""

    def seed(self, *seeds: int) -> None:
        """Begin the random streams of a game."""

    def load(self, game: Game, color: int, avoided: np.ndarray, parameters: PlayerParameters) -> None:
        """Make a position the root; see `GoWorkspace.load`."""


class EvaluatorSetup(Protocol):
    """The evaluator of a player's searches."""

    kinds: tuple[ValueKind, ...]
    """What it can value them by."""

    @property
    def raw_network(self) -> "RawNetwork | None":
        """The network at work in it, if there is one."""

    def set_up(self, size: int, backup: BackupRule) -> SearchSetup:
        """Return what searches with this backup rule need."""


def make_evaluator_setup(options: PlayerOptions, selection: SelectionRule) -> EvaluatorSetup:
    """Return the evaluator of a player with these options.

    Raises:
        ValueError: if it cannot be used, or not with this selection rule.
    """
    if options.evaluator in NET_EVALUATORS:
        from miai.players.net_evaluator import NetEvaluatorSetup

        return NetEvaluatorSetup(options, selection)
    return CompiledEvaluatorSetup(options)


class CompiledEvaluatorSetup:
    """Playouts or the static evaluator: part of the compiled search."""

    def __init__(self, options: PlayerOptions) -> None:
        self._options = options
        self.kinds: tuple[ValueKind, ...] = ("probability", "wdl") if options.evaluator == "static" else ALL_KINDS
        self.raw_network: RawNetwork | None = None

    def set_up(self, size: int, backup: BackupRule) -> SearchSetup:
        """Return what searches with this backup rule need."""
        return CompiledSearchSetup(self._options, size, backup)


class CompiledSearchSetup:
    """A workspace for each thread."""

    def __init__(self, options: PlayerOptions, size: int, backup: BackupRule) -> None:
        playout_workspace = make_evaluator_workspace(options.evaluator, size)
        self.domain = make_domain(options.evaluator, options.policy, backup, options.prior)
        self.workspaces = [GoWorkspace(size, playout_workspace) for _ in range(options.threads)]
        self.batch: BatchEvaluation | None = None

    def seed(self, *seeds: int) -> None:
        """Begin the random streams of a game."""
        for number, workspace in enumerate(self.workspaces):
            workspace.record["stream"] = new_stream(*seeds, number, 0)
            workspace.record["evaluator"]["stream"] = new_stream(*seeds, number, 1)

    def load(self, game: Game, color: int, avoided: np.ndarray, parameters: PlayerParameters) -> None:
        """Make a position the root."""
        for workspace in self.workspaces:
            workspace.load(game, color, avoided)
            workspace.record["evaluator"]["mercy_lead"] = parameters.playouts.lead(game.size, game.komi)
            workspace.record["playouts_a_child"] = parameters.outcomes.playouts
            workspace.record["sibling_weight"] = parameters.outcomes.sibling_weight


def make_evaluator_workspace(evaluator: str, size: int) -> np.ndarray:
    """Return an array of one record: what `playouts` or `static` needs in a workspace."""
    return new_static_workspace(size) if evaluator == "static" else new_playout_workspace(size)


def make_domain(evaluator: str, policy: str, backup: BackupRule, prior: str = "learned") -> DomainFunctions:
    """Return Go as a search with `playouts` or `static` and this backup rule needs it.

    Raises:
        ValueError: if there is no such policy.
    """
    is_static = evaluator == "static"
    outcomes = list_no_outcomes
    if backup.needs_outcomes:
        outcomes = list_outcomes_statically if is_static else outcomes_by_playouts(policy)
    evaluate = evaluate_statically if is_static else make_evaluator(policy)
    return go_functions(make_set_priors(policy, prior), evaluate, outcomes)
