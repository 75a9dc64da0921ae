"""A game without a board, to search: what may follow and how it ends comes from a hash of the moves so far.

Every position has 2 to 5 moves, numbered from 1; a game ends after `PLIES` moves with a loss, a draw or a win. Because
its tree is small its value is known (`minimax`), and because the working space keeps a log of every simulation, a
slow transcription can say what any rule must have made of them.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import new_stream, random_below
from miai.engine.search.rule_declaration import work_fields
from miai.engine.search.simulate import DomainFunctions
from miai.engine.search.tree import moves

PLIES = 5
MAX_MOVES = 5
MAX_LOG = 4096
_MASK = (1 << 64) - 1
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

WORK_DTYPE = np.dtype(
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
        *work_fields(MAX_MOVES + 1, PLIES + 2, PLIES + 2),
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
def _begin(work):
    work.key = work.root_key
    work.ply = 0
    work.num_open += 1


@compiled
def _play(work, tree, node):
    work.key = _key_after(work.key, moves(tree)[node])
    work.ply += 1


@compiled
def _finish(work):
    row = work.num_logged % MAX_LOG
    for depth in range(PLIES + 1):
        work.log_path[row, depth] = work.path[depth] if depth <= work.leaf else -1
    for ply in range(min(PLIES, work.trace_length)):
        work.log_trace[row, ply] = work.trace[ply]
    work.log_trace_length[row] = work.trace_length
    work.log_leaf[row] = work.leaf
    work.log_result[row] = work.leaf_result
    work.num_logged += 1
    work.num_open -= 1


@compiled
def _is_over(work):
    return work.ply >= PLIES


@compiled
def _result(work):
    work.leaf = work.ply
    work.leaf_result = _final_result(work.key)
    work.score = 10.0 * work.leaf_result - 5.0
    return work.leaf_result


@compiled
def _list_candidates(work):
    count = _num_moves(work.key)
    work.num_candidates = count
    for index in range(count):
        work.candidate_move[index] = 1 + index
        work.candidate_prior[index] = 2.0 * (1 + index) / (count * (count + 1))
        work.candidate_value[index] = 0.5
        work.candidate_weight[index] = 2.0
        work.candidate_threat[index] = index == 1


@compiled
def _evaluate(work):
    """Play random moves to the end."""
    work.leaf = work.ply
    while work.ply < PLIES:
        move = 1 + random_below(work, _num_moves(work.key))
        work.trace[work.trace_length] = move
        work.trace_length += 1
        work.key = _key_after(work.key, move)
        work.ply += 1
    result = _final_result(work.key)
    work.leaf_result = result if (work.ply - work.leaf) % 2 == 0 else 1.0 - result
    work.score = 10.0 * work.leaf_result - 5.0
    return work.leaf_result


@compiled
def _list_outcomes(work):
    for index in range(work.num_candidates):
        work.candidate_win[index] = 0.4
        work.candidate_loss[index] = 0.3


HASH_GAME = DomainFunctions(
    _begin, _play, _finish, _is_over, _result, _list_candidates, _evaluate, list_outcomes=_list_outcomes
)


class HashWork:
    """A thread's working space, as `miai.engine.search.search.Work`."""

    def __init__(self, root_key: int, *seeds: int) -> None:
        self._records = np.zeros(1, dtype=WORK_DTYPE)
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


def logged(work: HashWork) -> list[Logged]:
    """Return all simulations so far, first to last."""
    record = work.record
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
