"""Go as a domain of the search.

A thread's working space holds the root position and the current one, the keys of the game's and the path's
positions for superko, and room for what the evaluator needs. What values a position, and what is known of a
move before searching it, come from outside: `evaluate` and `judge` are functions of the working space.
"""

import functools
from typing import Any

import numba
import numpy as np

from miai.engine.go.board import board_dtype, copy_board, play
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.history import contains_key, copy_history, new_history, num_keys, pop_key, push_key
from miai.engine.go.legality import key_after, leaves_liberty, retakes_ko
from miai.engine.go.points import BLACK, BORDER, PASS
from miai.engine.go.scoring import area_score
from miai.engine.go.tactics import puts_in_atari
from miai.engine.intrinsics import to_pointer
from miai.engine.jit import compiled
from miai.engine.search.batches import batch_fields
from miai.engine.search.rule_declaration import Compiled, work_fields
from miai.engine.search.simulate import DomainFunctions, list_no_outcomes
from miai.engine.search.tree import moves

MAX_DEPTH = 300
"""Moves in the tree; a simulation that gets so far is evaluated there."""


@functools.cache
def go_work_dtype(size: int, evaluator_dtype: np.dtype) -> np.dtype:
    """Return the record type of a thread's working space; the evaluator's part is its field `evaluator`."""
    board = board_dtype(size)
    indices = board["color"].shape[0]
    points = size * size
    max_candidates = max(points + 1, indices)
    return np.dtype(
        [
            ("root", board),
            ("board", board),
            ("evaluator", evaluator_dtype),
            ("history", "u8"),  # address of a thread's own history of positions
            ("history_slots", "i8"),
            ("root_keys", "i8"),  # keys in the history that belong to the game
            ("komi", "f4"),
            ("has_superko", "u1"),
            ("avoided", "u1", (indices,)),  # points where no player needs to play while all of them are empty
            ("num_avoided", "i8"),
            ("child", board),  # the position after a candidate, while outcomes are listed
            ("playouts_a_child", "i8"),  # to list outcomes by playouts
            ("playouts_shared", "f4"),  # how many playouts of a child the siblings' average counts for
            ("ownership", "f8", (indices,)),  # sum over evaluations: +1 Black's, -1 White's
            ("num_evaluations", "i8"),
            *work_fields(max_candidates, MAX_DEPTH, MAX_DEPTH + 3 * points + 2),
            *batch_fields(MAX_DEPTH, max_candidates),
        ],
        align=True,
    )


@compiled
def _history(work):
    return numba.carray(to_pointer(work.history), (2, work.history_slots), np.uint64)


@compiled
def begin(work):
    """Go to the root position."""
    copy_board(work.board, work.root)


@compiled
def play_in_tree(work, tree, node):
    """Make the move that leads to a node and remember the position."""
    play(work.board, moves(tree)[node])
    push_key(_history(work), work.board.key)


@compiled
def finish(work):
    """Forget the positions of the path."""
    history = _history(work)
    while np.int64(history[1, 0]) > work.root_keys:
        pop_key(history)


@compiled
def is_over(work):
    """Tell whether both players passed."""
    return work.board.num_passes >= 2


@compiled
def result_from_score(work, score):
    """Return the result, 0 to 1, of `score` points (Black minus White, no komi) for the player to move.

    Sets `work.score`, komi included.
    """
    margin = score - work.komi
    if work.board.to_play != BLACK:
        margin = -margin
    work.score = margin
    if margin > 0.0:
        return 1.0
    return 0.5 if margin == 0.0 else 0.0


@compiled
def result_of_game(work):
    """Return the result by area score as the board stands: no stone is taken for dead."""
    return result_from_score(work, area_score(work.board))


@compiled
def ends_game(work, index):
    """Tell whether a candidate is a pass that ends the game, whose outcome is certain."""
    return work.candidate_move[index] == PASS and work.board.num_passes >= 1


@compiled
def _are_avoided(work):
    """Tell whether to keep out of the avoided points.

    A search that goes on with a tree from before they were settled can throw a stone in, and that must be answered.
    """
    board = work.board
    count = np.int64(0)
    if work.num_avoided > 0:
        for index in range(np.int64(board.num_empty)):
            count += np.int64(work.avoided[np.int64(board.empty_points[index])] != 0)
    return count == work.num_avoided


@compiled
def _is_candidate(work, point, color):
    board = work.board
    if is_own_eye(board, point, color) or not leaves_liberty(board, point, color):
        return False
    if retakes_ko(board, point, color):
        return False
    # a position can only come again after a capture
    if work.has_superko and board.num_captured[1] + board.num_captured[2] > 0:
        return not contains_key(_history(work), key_after(board, point, color))
    return True


@functools.cache
def _compose_candidates(judge: Compiled) -> Compiled:
    @compiled
    def list_candidates(work):
        board = work.board
        color = np.int64(board.to_play)
        count = np.int64(0)
        are_avoided = _are_avoided(work)
        for index in range(np.int64(board.num_empty)):
            point = np.int64(board.empty_points[index])
            if not (are_avoided and work.avoided[point] != 0) and _is_candidate(work, point, color):
                work.candidate_move[count] = point
                count += 1
        work.candidate_move[count] = PASS
        work.num_candidates = count + 1
        judge(work)

    return list_candidates


@compiled
def list_threats(work):
    """Mark the candidates that put a block in atari."""
    board = work.board
    color = np.int64(board.to_play)
    for index in range(work.num_candidates):
        point = np.int64(work.candidate_move[index])
        work.candidate_threat[index] = point != PASS and puts_in_atari(board, point, color)


@functools.cache
def go_functions(judge: Compiled, evaluate: Compiled, list_outcomes: Compiled = list_no_outcomes) -> DomainFunctions:
    """Return what the search asks of Go.

    Args:
        judge: compiled `judge(work)`: write `candidate_prior`, `_value` and `_weight` beside `candidate_move`.
        evaluate: compiled `evaluate(work) -> float`, see `DomainFunctions`; may change `work.board`.
        list_outcomes: compiled `list_outcomes(work)`, see `DomainFunctions`; may change `work.child`.
    """
    return DomainFunctions(
        begin,
        play_in_tree,
        finish,
        is_over,
        result_of_game,
        _compose_candidates(judge),
        evaluate,
        list_outcomes=list_outcomes,
        list_threats=list_threats,
    )


class GoWork:
    """The working space of a thread, or those of a batch."""

    def __init__(self, size: int, evaluator: np.ndarray, batch: int = 1) -> None:
        """Make room; `evaluator` is an array of one record, copied into the field `evaluator`."""
        self.records = np.zeros(batch, dtype=go_work_dtype(size, evaluator.dtype))
        self._histories = new_history(8)[np.newaxis]
        self.record: Any = self.records[0]
        self.records["evaluator"] = evaluator[0]

    def load(self, game: Game, color: int, avoided: np.ndarray | None = None) -> None:
        """Take a game's position, with `color` to move, as the root, and forget earlier evaluations.

        After two passes play goes on, as if nobody had passed: who asks wants a move.

        Args:
            game: stays as it is.
            color: BLACK or WHITE.
            avoided: uint8 [indices], not 0 at empty points where no player should play while they are all empty.
        """
        records, root = self.records, self.record["root"]
        self.record["root"] = game.board
        if root["to_play"] != color:
            root["to_play"] = color
            root["ko_point"] = PASS
        if root["num_passes"] >= 2:
            root["num_passes"] = 0
        records[1:]["root"] = root
        history = copy_history(game.history, num_keys(game.history) + MAX_DEPTH + 8)
        self._histories = np.repeat(history[np.newaxis], len(records), axis=0)
        records["history"] = self._histories.ctypes.data + self._histories.strides[0] * np.arange(len(records))
        records["history_slots"] = history.shape[1]
        records["root_keys"] = num_keys(game.history)
        records["komi"] = game.komi
        records["num_points"] = game.size**2
        records["point_scale"] = game.size**2 + abs(game.komi)
        records["has_superko"] = game.rules.has_superko
        records["avoided"] = 0 if avoided is None else avoided
        records["num_avoided"] = 0 if avoided is None else np.count_nonzero(avoided)
        records["ownership"] = 0
        records["num_evaluations"] = 0


def mean_ownership(works: list[GoWork], size: int) -> np.ndarray:
    """Return the mean owner of every point over all evaluations, float32 [size·size], +1 Black's, -1 White's."""
    colors = works[0].record["root"]["color"][: works[0].record["ownership"].shape[0]]
    on_board = colors != BORDER
    total = sum(work.records["ownership"][:, on_board].sum(axis=0) for work in works)
    number = max(1, sum(int(work.records["num_evaluations"].sum()) for work in works))
    return np.asarray(total, dtype=np.float32) / np.float32(number)
