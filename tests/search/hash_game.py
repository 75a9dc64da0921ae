"""A game without a board, to search: what may follow and how it ends comes from a hash of the moves so far.

Every position has 2 to 5 moves, numbered from 1; a game ends after `PLIES` moves with a loss, a draw or a win. Because
its tree is small its value is known (`minimax`), and because the workspace keeps a log of every simulation, a
slow transcription can say what any rule must have made of them.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import new_stream, random_below
from miai.engine.search.simulate import DomainFunctions
from miai.engine.search.tree import moves
from miai.engine.search.workspace import workspace_fields

PLIES = 5
MAX_MOVES = 5
MAX_LOG = 4096
_MASK = (1 << 64) - 1
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

WORKSPACE_DTYPE = np.dtype(
    [
        ("root_key", "u8"),
        ("key", "u8"),
        ("ply", "i8"),
        ("num_open", "i8"),  # begun and not finished
        ("num_logged", "i8"),
        ("leaf_result", "f8"),  # of this simulation, for the player to move at its leaf
        ("leaf", "i8"),  # depth of its leaf
        ("log_path", "i4", (MAX_LOG, PLIES + 1)),  # -1 behind the leaf
        ("log_trace", "i2", (MAX_LOG, PLIES)),
        ("log_trace_length", "i8", (MAX_LOG,)),
        ("log_leaf", "i8", (MAX_LOG,)),
        ("log_result", "f8", (MAX_LOG,)),
        *workspace_fields(MAX_MOVES + 1, PLIES + 2, PLIES + 2),
    ],
    align=True,
)


@compiled
def _key_after(key, move):
    key = (key ^ np.uint64(move)) * _FACTOR
    return key ^ (key >> _SHIFT)


@compiled
def _num_moves(key):
    return 2 + np.int64(key % np.uint64(MAX_MOVES - 1))


@compiled
def _final_result(key):
    """Return the result of a game that is over, for the player to move."""
    return 0.5 * np.float64((key >> np.uint64(7)) % np.uint64(3))


@compiled
def _reset(workspace):
    workspace.key = workspace.root_key
    workspace.ply = 0
    workspace.num_open += 1


@compiled
def _play(workspace, tree, node):
    workspace.key = _key_after(workspace.key, moves(tree)[node])
    workspace.ply += 1


@compiled
def _undo(workspace):
    row = workspace.num_logged % MAX_LOG
    for depth in range(PLIES + 1):
        workspace.log_path[row, depth] = workspace.path[depth] if depth <= workspace.leaf else -1
    for ply in range(min(PLIES, workspace.trace_length)):
        workspace.log_trace[row, ply] = workspace.trace[ply]
    workspace.log_trace_length[row] = workspace.trace_length
    workspace.log_leaf[row] = workspace.leaf
    workspace.log_result[row] = workspace.leaf_result
    workspace.num_logged += 1
    workspace.num_open -= 1


@compiled
def _is_over(workspace):
    return workspace.ply >= PLIES


@compiled
def _result(workspace):
    workspace.leaf = workspace.ply
    workspace.leaf_result = _final_result(workspace.key)
    workspace.score = 10.0 * workspace.leaf_result - 5.0
    return workspace.leaf_result


@compiled
def _list_candidates(workspace):
    count = _num_moves(workspace.key)
    workspace.num_candidates = count
    for index in range(count):
        workspace.candidate_move[index] = 1 + index
        workspace.candidate_prior[index] = 2.0 * (1 + index) / (count * (count + 1))
        workspace.candidate_value[index] = 0.5
        workspace.candidate_weight[index] = 2.0
        workspace.candidate_threat[index] = index == 1


@compiled
def _evaluate(workspace):
    """Play random moves to the end."""
    workspace.leaf = workspace.ply
    while workspace.ply < PLIES:
        move = 1 + random_below(workspace, _num_moves(workspace.key))
        workspace.trace[workspace.trace_length] = move
        workspace.trace_length += 1
        workspace.key = _key_after(workspace.key, move)
        workspace.ply += 1
    result = _final_result(workspace.key)
    workspace.leaf_result = result if (workspace.ply - workspace.leaf) % 2 == 0 else 1.0 - result
    workspace.score = 10.0 * workspace.leaf_result - 5.0
    return workspace.leaf_result


@compiled
def _list_outcomes(workspace):
    for index in range(workspace.num_candidates):
        workspace.candidate_win[index] = 0.4
        workspace.candidate_loss[index] = 0.3


HASH_GAME = DomainFunctions(
    _reset, _play, _undo, _is_over, _result, _list_candidates, _evaluate, list_outcomes=_list_outcomes
)


class HashWorkspace:
    """A thread's workspace, as `miai.engine.search.search.Workspace`."""

    def __init__(self, root_key: int, *seeds: int) -> None:
        self._records = np.zeros(1, dtype=WORKSPACE_DTYPE)
        self.record: Any = self._records[0]
        self.record["root_key"] = root_key
        self.record["point_scale"] = 5.0  # so that points, as shares of it, equal results
        self.record["num_points"] = 8
        self.record["stream"] = new_stream(*seeds)


class Logged(NamedTuple):
    """One simulation."""

    path: list[int]
    """Nodes, the root first, the leaf last."""
    trace: list[int]
    """Moves, in the tree and after."""
    result: float
    """For the player to move at the leaf."""


def logged(workspace: HashWorkspace) -> list[Logged]:
    """Return all simulations so far, first to last."""
    record = workspace.record
    number = int(record["num_logged"])
    assert number <= MAX_LOG, "the log has overflowed"
    return [
        Logged(
            record["log_path"][row, : record["log_leaf"][row] + 1].tolist(),
            record["log_trace"][row, : record["log_trace_length"][row]].tolist(),
            float(record["log_result"][row]),
        )
        for row in range(number)
    ]


def key_after(key: int, *moves: int) -> int:
    """Return the key of the position after some moves."""
    for move in moves:
        key = ((key ^ move) * int(_FACTOR)) & _MASK
        key ^= key >> int(_SHIFT)
    return key


def num_moves(key: int) -> int:
    """Return how many moves a position has."""
    return 2 + key % (MAX_MOVES - 1)


@functools.cache
def minimax(key: int, ply: int = 0) -> float:
    """Return the value of a position for the player to move."""
    if ply == PLIES:
        return 0.5 * ((key >> 7) % 3)
    return max(1.0 - minimax(key_after(key, move), ply + 1) for move in range(1, num_moves(key) + 1))


def best_moves(key: int) -> list[int]:
    """Return the moves that keep the value of a root position."""
    moves = range(1, num_moves(key) + 1)
    return [move for move in moves if 1.0 - minimax(key_after(key, move), 1) == minimax(key)]
