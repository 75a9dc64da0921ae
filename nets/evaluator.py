"""A network as the search's evaluator: whole batches of leaves, with a cache of earlier outputs."""

import threading
import time
from typing import NamedTuple

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


class _Rows(NamedTuple):
    """What one call needs for its positions."""

    planes: np.ndarray
    keys: np.ndarray
    answers: np.ndarray


class NetEvaluator:
    """Evaluates the leaves of one search, or of many in lockstep; see `miai.engine.search.search.BatchEvaluation`.

    Several threads may call it at once. The same position gets the same outputs, up to the backend's rounding in
    another batch.
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
        self._num_planes = num_planes(config.planes)
        self._rows: list[_Rows] = []
        """Those that no call uses now."""
        self._lock = threading.Lock()
        """Of the cache, the rows and the counts."""
        self.num_evaluated = 0
        """Positions that the network evaluated, each as often as it was shown."""
        self.network_seconds = 0.0
        """What that took by the clock, of all threads together."""

    def __call__(self, leaf_batches: LeafBatches) -> None:
        """Evaluate the waiting leaves of one search's batch, or of several searches' batches at once."""
        where = leaf_batches.addresses, leaf_batches.lengths, leaf_batches.workspaces[0]
        table, inverse = self._tables[self._symmetries > 0]
        views = max(self._symmetries, 1)
        with self._lock:
            rows = self._take_rows(self._rows_a_leaf * int(leaf_batches.lengths.sum()))
            count = self._encode(*where, *rows, self._cache, table)
        started = time.perf_counter()
        outputs = evaluate_in_views(self._backend, rows.planes[:count], views) if count else self._no_outputs
        seconds = time.perf_counter() - started
        policy = outputs.policy
        if self._optimism and outputs.optimistic is not None:
            policy = policy + np.float32(self._optimism) * (outputs.optimistic - policy)
        with self._lock:
            self._decode(*where, policy, *outputs[1:4], rows.keys, inverse, rows.answers, self._cache)
            self._rows.append(rows)
            self.num_evaluated += count * views
            self.network_seconds += seconds

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

    def clear_cache(self, cached_positions: int | None = None) -> None:
        """Forget all earlier outputs.

        Args:
            cached_positions: room from now on; None = as before.
        """
        room = len(self._cache) if cached_positions is None else cached_positions
        self._cache = np.zeros(room, dtype=self._cache.dtype)

    def _take_rows(self, number: int) -> _Rows:
        """Return rows for at least so many positions."""
        if self._rows and len(self._rows[-1].keys) >= number:
            return self._rows.pop()
        self._rows.clear()
        planes = np.zeros((number, self._num_planes, self._size, self._size), dtype=np.float32)
        return _Rows(planes, np.zeros(number, dtype=np.uint64), np.zeros(number, dtype=self._cache.dtype))


def new_leaves(size: int, number: int) -> GoWorkspace:
    """Return workspaces for so many leaves at once."""
    return GoWorkspace(size, np.zeros(1, dtype=leaf_dtype(size)), number)


def load_recent(workspace: GoWorkspace, game: Game) -> None:
    """Take the last positions and moves of the game whose position was loaded as the root."""
    workspace.records["evaluator"]["recents"][:, 0] = recent_of(game)[0]
