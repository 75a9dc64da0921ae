"""A network as the search's evaluator: whole batches of leaves, with a cache of earlier outputs."""

import time

import numpy as np

from miai.engine.domains.go import GoWorkspace, go_functions
from miai.engine.go.game import Game
from miai.engine.search.batched_search import LeafBatches
from miai.engine.search.rule_declaration import ValueKind
from miai.nets.config import NetConfig
from miai.nets.inference.backend import Backend, Outputs
from miai.nets.katago.katago_net import KatagoConfig
from miai.nets.leaf_encoding import (
    compose_decode,
    compose_encode,
    evaluate_nothing,
    keep_path,
    leaf_dtype,
    leave_to_network,
    output_dtype,
    play_with_recent,
    reset_with_recent,
)
from miai.nets.planes import num_planes
from miai.nets.recent_positions import recent_of
from miai.nets.symmetry import inverse_symmetry_table, symmetry_table
from miai.nets.views import evaluate_in_views

CACHED_POSITIONS = 1 << 15
"""Answers that the cache has room for: 23 MB on a 9x9 board."""

NET_DOMAIN = go_functions(leave_to_network, evaluate_nothing, leave_to_network)._replace(
    reset=reset_with_recent, play=play_with_recent, undo=keep_path
)
"""Go as a search sees it whose leaves a network evaluates."""


def value_kinds(config: NetConfig | KatagoConfig) -> tuple[ValueKind, ...]:
    """Return the kinds of value that a network gives."""
    return ("probability", "wdl") if config.kind == "li-lim" else ("probability", "points", "wdl")


class NetEvaluator:
    """Evaluates the leaves of one search, or of many in lockstep; see `miai.engine.search.search.BatchEvaluation`.

    The same position gets the same outputs, up to the backend's rounding in another batch.
    """

    def __init__(
        self,
        config: NetConfig | KatagoConfig,
        backend: Backend,
        size: int,
        lists_outcomes: bool = False,
        cached_positions: int = CACHED_POSITIONS,
    ) -> None:
        """Compile nothing yet.

        Args:
            config: that of the network.
            backend: which runs it.
            size: of the board.
            lists_outcomes: whether the children of every leaf are evaluated too, for backup rules of kind `wdl`.
            cached_positions: room of the cache; 0 = no cache.

        Raises:
            ConfigError: if the network does not fit the size.
        """
        config.check_size(size)
        has_ownership = config.kind != "li-lim"
        self._backend = backend
        self._size = size
        self._symmetries = 0
        self._optimism = 0.0
        self._encode = compose_encode(config.planes, lists_outcomes)
        self._decode = compose_decode(lists_outcomes, has_ownership)
        self._rows_a_leaf = size * size + 2 if lists_outcomes else 1
        self._cache = np.zeros(cached_positions, dtype=output_dtype(size))
        tables = symmetry_table(size), inverse_symmetry_table(size)
        self._tables = tuple(table[:1] for table in tables), tables
        shapes = (0, size * size + 1), (0, 3), (0,), (0, size * size)
        self._no_outputs = Outputs(*(np.zeros(shape, dtype=np.float32) for shape in shapes))
        self._planes = np.zeros((0, num_planes(config.planes), size, size), dtype=np.float32)
        self.num_evaluated = 0
        """Positions that the network evaluated, each as often as it was shown."""
        self.network_seconds = 0.0
        """What that took by the clock."""

    def __call__(self, leaf_batches: LeafBatches) -> None:
        """Evaluate the waiting leaves of one search's batch, or of several searches' batches at once."""
        self._make_room(self._rows_a_leaf * int(leaf_batches.lengths.sum()))
        where = leaf_batches.addresses, leaf_batches.lengths, leaf_batches.workspaces[0]
        table, inverse = self._tables[self._symmetries > 0]
        count = self._encode(*where, self._planes, self._keys, self._cache, table)
        started = time.perf_counter()
        views = max(self._symmetries, 1)
        outputs = evaluate_in_views(self._backend, self._planes[:count], views) if count else self._no_outputs
        self.network_seconds += time.perf_counter() - started
        policy = outputs.policy
        if self._optimism and outputs.optimistic is not None:
            policy = policy + np.float32(self._optimism) * (outputs.optimistic - policy)
        self._decode(*where, policy, *outputs[1:4], self._keys, inverse, self._fresh, self._cache)
        self.num_evaluated += count * views

    @property
    def symmetries(self) -> int:
        """In how many of the eight ways it can lie each position is shown, the answer their mean.

        Its key decides on the first of them; 0 = it is shown once, as it lies.
        """
        return self._symmetries

    @symmetries.setter
    def symmetries(self, symmetries: int) -> None:
        if symmetries != self._symmetries:
            self._symmetries = symmetries
            self.clear_cache()

    @property
    def optimism(self) -> float:
        """How much of KataGo's optimistic policy goes into the policy's logits, 0 to 1; other networks have none."""
        return self._optimism

    @optimism.setter
    def optimism(self, optimism: float) -> None:
        if optimism != self._optimism:
            self._optimism = optimism
            self.clear_cache()

    def clear_cache(self) -> None:
        """Forget all earlier outputs."""
        self._cache = np.zeros_like(self._cache)

    def _make_room(self, rows: int) -> None:
        if rows > len(self._planes):
            self._planes = np.zeros((rows, *self._planes.shape[1:]), dtype=np.float32)
            self._keys = np.zeros(rows, dtype=np.uint64)
            self._fresh = np.zeros(rows, dtype=self._cache.dtype)


def new_leaves(size: int, number: int) -> GoWorkspace:
    """Return workspaces for so many leaves at once."""
    return GoWorkspace(size, np.zeros(1, dtype=leaf_dtype(size)), number)


def load_recent(workspace: GoWorkspace, game: Game) -> None:
    """Take the last positions and moves of the game whose position was loaded as the root."""
    workspace.records["evaluator"]["recents"][:, 0] = recent_of(game)[0]
