"""A network, alone or mixed with playouts, as the evaluator of a player."""

import functools
from typing import NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.engine.random import new_stream
from miai.engine.search.batched_search import LeafBatches
from miai.engine.search.rule_declaration import BackupRule, SelectionRule, ValueKind
from miai.engine.search.search import BatchEvaluation
from miai.engine.search.selection import SELECTION_RULES
from miai.nets.config import ConfigError
from miai.nets.evaluator import NET_DOMAIN, NetEvaluator, load_recent, new_leaves, value_kinds
from miai.nets.inference import Backend, BackendError, check_backend, make_backend
from miai.nets.loading import load_net
from miai.nets.net_files import WeightsError, net_file
from miai.nets.raw_evaluation import RawNetwork
from miai.players.option_kinds import OptionError, name_list
from miai.players.options import PlayerOptions
from miai.players.parameters import PlayerParameters
from miai.playouts.mixing import make_mixer
from miai.playouts.workspace import new_playout_workspace


class NetworkUsage(NamedTuple):
    """How much a network has evaluated."""

    evaluations: int = 0
    """Positions."""
    seconds: float = 0.0
    """By the clock."""

    def since(self, before: "NetworkUsage") -> "NetworkUsage":
        """Return the usage since an earlier one."""
        return NetworkUsage(self.evaluations - before.evaluations, self.seconds - before.seconds)


class NetEvaluatorSetup:
    """A network from a file; what runs it is made when a search first needs it."""

    def __init__(self, options: PlayerOptions, selection: SelectionRule) -> None:
        """Read the network.

        Raises:
            OptionError: if the file gives none, for a backend that is not installed, or for waves of a rule without a
                search policy.
        """
        if options.batching == "waves" and selection.policy is None:
            fitting = name_list([rule.name for rule in SELECTION_RULES.values() if rule.policy is not None])
            raise OptionError(
                f"batching: waves need a search policy, which {selection.name} has not (fitting: {fitting})"
            )
        self._options = options
        try:
            self._net = load_net(net_file(options.net))
            if options.net_backend is not None:
                check_backend(options.net_backend)
        except (WeightsError, BackendError) as error:
            raise OptionError(f"net: {error}") from None
        kinds = value_kinds(self._net.config)
        is_mixed = options.evaluator == "mixed"
        self.kinds: tuple[ValueKind, ...] = tuple(kind for kind in kinds if not (is_mixed and kind == "wdl"))
        self._evaluators: dict[tuple[int, bool], NetEvaluator] = {}

    @functools.cached_property
    def _backend(self) -> Backend:
        try:
            return make_backend(self._net, self._options.net_backend, threads=self._options.threads)
        except BackendError as error:
            raise OptionError(f"net: {error}") from None

    @functools.cached_property
    def raw_network(self) -> RawNetwork:
        """The network for single positions.

        Raises:
            OptionError: if the backend cannot be used.
        """
        return RawNetwork(self._net, self._backend)

    @property
    def network_usage(self) -> NetworkUsage:
        """What the network has done so far."""
        evaluators = self._evaluators.values()
        return NetworkUsage(
            sum(one.num_evaluated for one in evaluators), sum(one.network_seconds for one in evaluators)
        )

    def clear_cache(self, cached_positions: int | None = None) -> None:
        """Forget the network's earlier outputs.

        Args:
            cached_positions: room for later ones of each board size; None = as before.
        """
        for evaluator in self._evaluators.values():
            evaluator.clear_cache(cached_positions)

    def set_up(self, size: int, backup: BackupRule) -> "NetSearchSetup":
        """Return what searches with this backup rule need; the network and its cache are shared by all of one size.

        Raises:
            OptionError: if the file is damaged, the backend cannot be used, or the network does not fit the size.
        """
        try:
            self._net.config.check_size(size)
        except ConfigError as error:
            raise OptionError(f"net: {error}") from None
        form = size, backup.needs_outcomes
        if form not in self._evaluators:
            self._backend.prepare(size, self._options.batch)
            self._evaluators[form] = NetEvaluator(self._net.config, self._backend, *form)
        return NetSearchSetup(self._options, self._evaluators[form], size, "points" in self.kinds)


class NetSearchSetup:
    """Workspaces for the leaves of each thread's batch."""

    domain = NET_DOMAIN

    def __init__(self, options: PlayerOptions, evaluator: NetEvaluator, size: int, has_score: bool) -> None:
        self._workspace = new_leaves(size, options.threads * options.batch)
        self.workspaces = [self._workspace]
        self._evaluate = _Evaluation(options, evaluator, size, has_score)
        self.batch = BatchEvaluation(self._workspace.records, self._evaluate, options.batching, threads=options.threads)

    def seed(self, *seeds: int) -> None:
        """Begin the random streams of a game."""
        for number, record in enumerate(self._workspace.records):
            record["stream"] = new_stream(*seeds, number, 0)
        for number, workspace in enumerate(self._evaluate.playout_workspaces):
            workspace[0]["stream"] = new_stream(*seeds, number, 1)

    def load(self, game: Game, color: int, avoided: np.ndarray, parameters: PlayerParameters) -> None:
        """Make a position the root."""
        self._workspace.load(game, color, avoided)
        load_recent(self._workspace, game)
        self.batch.virtual_loss = parameters.net.virtual_loss
        self.batch.visits_per_leaf = parameters.net.visits_per_leaf
        self._evaluate.load(game, parameters)


class _Evaluation:
    """The network, mixed with playouts if the options say so; it holds nothing of the search that asks it."""

    def __init__(self, options: PlayerOptions, evaluator: NetEvaluator, size: int, has_score: bool) -> None:
        self._evaluator = evaluator
        self._has_score = has_score
        self._mixer = make_mixer(options.policy) if options.evaluator == "mixed" else None
        self.playout_workspaces = [new_playout_workspace(size) for _ in range(options.threads)]
        """One a thread."""
        self._idle = list(self.playout_workspaces)
        self._mix = options.mix

    def load(self, game: Game, parameters: PlayerParameters) -> None:
        """Take what a game and the parameters say of the searches to come."""
        for workspace in self.playout_workspaces:
            workspace[0]["mercy_lead"] = parameters.playouts.lead(game.size, game.komi)
        self._evaluator.symmetries = parameters.net.symmetries
        self._evaluator.optimism = parameters.net.optimism
        self._mix = parameters.net.mix

    def __call__(self, leaf_batches: LeafBatches) -> None:
        """Evaluate the leaves that wait; several threads may ask at once."""
        self._evaluator(leaf_batches)
        if self._mixer is not None:
            playout_workspace = self._idle.pop()
            try:
                for workspaces in leaf_batches.in_use():
                    self._mixer(workspaces, playout_workspace[0], self._mix, self._mix if self._has_score else 1.0)
            finally:
                self._idle.append(playout_workspace)
