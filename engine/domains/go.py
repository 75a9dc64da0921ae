"""Go as a domain of the search.

A thread's workspace holds the root position and the current one, the keys of the game's and the path's
positions for superko, and room for what the evaluator needs. What values a position, and what is known of a
move before searching it, come from outside: `evaluate` and `set_priors` are functions of the workspace.
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
from miai.engine.jit import Compiled, compiled
from miai.engine.search.batched_search import batch_fields
from miai.engine.search.simulate import DomainFunctions, list_no_outcomes
from miai.engine.search.tree import moves
from miai.engine.search.workspace import workspace_fields

MAX_DEPTH = 300
"""Moves in the tree; a simulation that gets so far is evaluated there."""


@functools.cache
def go_workspace_dtype(size: int, evaluator_dtype: np.dtype) -> np.dtype:
    """Return the record type of a thread's workspace; the evaluator's part is its field `evaluator`."""
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
            ("sibling_weight", "f4"),  # how many playouts of a child the siblings' average counts for
            ("ownership", "f8", (indices,)),  # sum over evaluations: +1 Black's, -1 White's
            ("num_evaluations", "i8"),
            *workspace_fields(max_candidates, MAX_DEPTH, MAX_DEPTH + 3 * points + 2),
            *batch_fields(MAX_DEPTH, max_candidates),
        ],
        align=True,
    )


@compiled
def history_of(workspace):
    """Return the positions of the game and of the path, see `miai.engine.go.history`."""
    return numba.carray(to_pointer(workspace.history), (2, workspace.history_slots), np.uint64)


@compiled
def reset(workspace):
    """Go to the root position."""
    copy_board(workspace.board, workspace.root)


@compiled
def play_in_tree(workspace, tree, node):
    """Make the move that leads to a node and remember the position."""
    play(workspace.board, moves(tree)[node])
    push_key(history_of(workspace), workspace.board.key)


@compiled
def undo(workspace):
    """Forget the positions of the path."""
    history = history_of(workspace)
    while np.int64(history[1, 0]) > workspace.root_keys:
        pop_key(history)


@compiled
def is_over(workspace):
    """Tell whether both players passed."""
    return workspace.board.num_passes >= 2


@compiled
def result_from_score(workspace, score):
    """Return the result, 0 to 1, of `score` points (Black minus White, no komi) for the player to move.

    Sets `workspace.score`, komi included.
    """
    margin = score - workspace.komi
    if workspace.board.to_play != BLACK:
        margin = -margin
    workspace.score = margin
    if margin > 0.0:
        return 1.0
    return 0.5 if margin == 0.0 else 0.0


@compiled
def result_of_game(workspace):
    """Return the result by area score as the board stands: no stone is taken for dead."""
    return result_from_score(workspace, area_score(workspace.board))


@compiled
def ends_game(workspace, index):
    """Tell whether a candidate is a pass that ends the game, whose outcome is certain."""
    return workspace.candidate_move[index] == PASS and workspace.board.num_passes >= 1


@compiled
def set_outcome_of_end(workspace, index):
    """Write the chances of win and loss after a pass that `ends_game`: it leaves the board as it is."""
    result = result_of_game(workspace)
    workspace.candidate_win[index] = 1.0 if result == 1.0 else 0.0
    workspace.candidate_loss[index] = 1.0 if result == 0.0 else 0.0


@compiled
def _are_avoided(workspace):
    """Tell whether to keep out of the avoided points.

    A search that goes on with a tree from before they were settled can throw a stone in, and that must be answered.
    """
    board = workspace.board
    count = np.int64(0)
    if workspace.num_avoided > 0:
        for index in range(np.int64(board.num_empty)):
            count += np.int64(workspace.avoided[np.int64(board.empty_points[index])] != 0)
    return count == workspace.num_avoided


@compiled
def _is_candidate(workspace, point, color):
    board = workspace.board
    if is_own_eye(board, point, color) or not leaves_liberty(board, point, color):
        return False
    if retakes_ko(board, point, color):
        return False
    # a position can only come again after a capture
    if workspace.has_superko and board.num_captured[1] + board.num_captured[2] > 0:
        return not contains_key(history_of(workspace), key_after(board, point, color))
    return True


@functools.cache
def _compose_candidates(set_priors: Compiled) -> Compiled:
    @compiled
    def list_candidates(workspace):
        board = workspace.board
        color = np.int64(board.to_play)
        count = np.int64(0)
        are_avoided = _are_avoided(workspace)
        for index in range(np.int64(board.num_empty)):
            point = np.int64(board.empty_points[index])
            if not (are_avoided and workspace.avoided[point] != 0) and _is_candidate(workspace, point, color):
                workspace.candidate_move[count] = point
                count += 1
        workspace.candidate_move[count] = PASS
        workspace.num_candidates = count + 1
        set_priors(workspace)

    return list_candidates


@compiled
def list_threats(workspace):
    """Mark the candidates that put a block in atari."""
    board = workspace.board
    color = np.int64(board.to_play)
    for index in range(workspace.num_candidates):
        point = np.int64(workspace.candidate_move[index])
        workspace.candidate_threat[index] = point != PASS and puts_in_atari(board, point, color)


@functools.cache
def go_functions(
    set_priors: Compiled, evaluate: Compiled, list_outcomes: Compiled = list_no_outcomes
) -> DomainFunctions:
    """Return the functions through which the search plays Go.

    Args:
        set_priors: compiled `set_priors(workspace)`: write `candidate_prior`, `_value` and `_weight` beside
            `candidate_move`.
        evaluate: compiled `evaluate(workspace) -> float`, see `DomainFunctions`; may change `workspace.board`.
        list_outcomes: compiled `list_outcomes(workspace)`, see `DomainFunctions`; may change `workspace.child`.
    """
    return DomainFunctions(
        reset,
        play_in_tree,
        undo,
        is_over,
        result_of_game,
        _compose_candidates(set_priors),
        evaluate,
        list_outcomes=list_outcomes,
        list_threats=list_threats,
    )


class GoWorkspace:
    """The workspace of a thread, or those of a batch."""

    def __init__(self, size: int, evaluator: np.ndarray, batch: int = 1) -> None:
        """Make room; `evaluator` is an array of one record, copied into the field `evaluator`."""
        self.records = np.zeros(batch, dtype=go_workspace_dtype(size, evaluator.dtype))
        self._histories = new_history(8)[np.newaxis]
        self.record: Any = self.records[0]
        self.records["evaluator"] = evaluator[0]

    def load(self, game: Game, color: int, avoided: np.ndarray | None = None) -> None:
        """Take a game's position, with `color` to move, as the root, and forget earlier evaluations.

        After two passes play goes on, as if nobody had passed: the caller wants a move.

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


def mean_ownership(workspaces: list[GoWorkspace]) -> np.ndarray:
    """Return the mean owner of every point over all evaluations, float32 [size·size], +1 Black's, -1 White's."""
    colors = workspaces[0].record["root"]["color"][: workspaces[0].record["ownership"].shape[0]]
    on_board = colors != BORDER
    total = sum(workspace.records["ownership"][:, on_board].sum(axis=0) for workspace in workspaces)
    number = max(1, sum(int(workspace.records["num_evaluations"].sum()) for workspace in workspaces))
    return np.asarray(total, dtype=np.float32) / np.float32(number)
