"""Playouts: a game played to its end by a policy, and its score."""

import functools
import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.go.board import board_size, copy_board, play
from miai.engine.go.points import BLACK, EMPTY, WHITE, all_points
from miai.engine.intrinsics import equal_mask, popcount
from miai.engine.jit import Compiled, compiled
from miai.engine.search.parameters import Range
from miai.playouts.fuego1585.random_list import begin_list
from miai.playouts.policy import make_policy
from miai.playouts.workspace import NO_MERCY, new_playout_workspace

_ONE = np.uint64(1)


class PlayoutParameters(NamedTuple):
    """How a search's playouts are played, whatever the policy."""

    mercy: Annotated[
        float, Range(0.0, 1.0), "end a playout once a player leads by this fraction of the board in stones; 0 = never"
    ] = 0.0

    def lead(self, size: int, komi: float) -> int:
        """Return by how many stones a player leads when the mercy rule ends a playout, to count as it then stands.

        After Fuego (`GoUctGlobalSearchState`, 0.3 of the board). Fuego's rule forgets komi; here the lead is at least
        twice komi.
        """
        return max(1, int(self.mercy * size * size), math.ceil(2 * abs(komi))) if self.mercy > 0.0 else NO_MERCY


@compiled
def _stone_lead(board):
    """Return Black's stones minus White's."""
    lead = np.int64(0)
    for word in range(board.liberties.shape[1]):
        lead += popcount(equal_mask(board.color, word, np.uint8(BLACK)))
        lead -= popcount(equal_mask(board.color, word, np.uint8(WHITE)))
    return lead


@compiled
def _capture_lead(board):
    """Return the stones that Black has taken minus those that White has."""
    return np.int64(board.num_captured[WHITE]) - np.int64(board.num_captured[BLACK])


@functools.cache
def _compose_playout(choose: Compiled) -> Compiled:
    @compiled
    def play_out(board, workspace):
        limit = 3 * board.empty_points.shape[0]
        count = np.int64(0)
        begin_list(workspace)
        mercy = np.int64(workspace.mercy_lead)
        lead_before = _stone_lead(board) - _capture_lead(board)
        while board.num_passes < 2 and count < limit and abs(lead_before + _capture_lead(board)) < mercy:
            move = choose(board, workspace)
            play(board, move)
            workspace.playout_moves[count] = move
            count += 1
        return count

    return play_out


def make_playout(policy_name: str) -> Compiled:
    """Return compiled `play_out(board, workspace) -> number of moves`, which plays on until both players passed.

    Stops after 3·size² moves, and when a player leads by `workspace.mercy_lead` stones, counting those before the
    playout and those taken in it. The moves are left in `workspace.playout_moves`; the first is that of the player
    who was to move, the colours alternate, passes are recorded too.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose_playout(make_policy(policy_name).choose_in_playout)


@compiled
def playout_score(board):
    """Return Black's points minus White's on a board played to the end, without komi.

    Counts stones, and empty points whose four neighbours have one colour. That equals the area score where
    no move but filling eyes is left.
    """
    width = np.uint64(board.width_marker.shape[0])
    colors = board.color
    score = _stone_lead(board)
    for index in range(np.uint64(board.num_empty)):
        point = np.uint64(board.empty_points[index])
        owner = colors[point - width] & colors[point - _ONE] & colors[point + _ONE] & colors[point + width]
        score += np.int64(owner == BLACK) - np.int64(owner == WHITE)
    return score


@compiled
def add_ownership(board, ownership):
    """Add 1 to `ownership[point]` for each point that counts for Black in `playout_score`, -1 for White."""
    width = board.width_marker.shape[0]
    colors = board.color
    for point in range(width, colors.shape[0] - width):
        owner = colors[point]
        if owner == EMPTY:
            owner = colors[point - width] & colors[point - 1] & colors[point + 1] & colors[point + width]
        ownership[point] += np.int32(owner == BLACK) - np.int32(owner == WHITE)


@compiled
def record_playout(workspace, board, playout_workspace, count):
    """Put a playout's moves, `count` of them, behind those of the tree in the trace, and add its owners.

    Moves beyond the trace's end are left out.
    """
    length = workspace.trace_length
    for index in range(min(count, workspace.trace.shape[0] - length)):
        workspace.trace[length + index] = playout_workspace.playout_moves[index]
    workspace.trace_length = length + min(count, workspace.trace.shape[0] - length)
    add_ownership(board, workspace.ownership)
    workspace.num_evaluations += 1


@functools.cache
def _compose_batch(play_out: Compiled) -> Compiled:
    @compiled
    def play_batch(source, target, workspace, scores, ownership):
        num_moves = np.int64(0)
        for index in range(scores.shape[0]):
            copy_board(target[0], source)
            num_moves += play_out(target[0], workspace)
            scores[index] = playout_score(target[0])
            if ownership.shape[0] > 0:
                add_ownership(target[0], ownership)
        return num_moves

    return play_batch


def make_batch(policy_name: str) -> Compiled:
    """Return compiled `play_batch(source, target, workspace, scores, ownership) -> number of moves in all`.

    Plays `len(scores)` playouts from the board `source`, which stays as it is, on `target`, an array of one board.
    Fills `scores`, int16, with Black's points minus White's, and adds up `ownership`, int32 [indices] or empty.

    Raises:
        ValueError: if there is no such policy.
    """
    return _compose_batch(make_playout(policy_name))


@dataclass(frozen=True)
class PlayoutSummary:
    """What a number of playouts from one position gave."""

    black_wins: float
    """Share of the playouts that Black won."""
    draws: float
    score: float
    """Mean of Black's points minus White's minus komi."""
    ownership: np.ndarray
    """float32 [size·size], row-major from the top left: 1 always Black's, -1 always White's."""
    scores: np.ndarray
    """int16 [number of playouts]: Black's points minus White's in each, without komi."""
    num_moves: float
    """Mean number of moves, passes included."""


def run_playouts(
    board: np.void, policy_name: str = "fuego", number: int = 1000, komi: float = 7.0, seed: int = 0
) -> PlayoutSummary:
    """Play `number` playouts from a position (an element of `new_board`, or `Game.board`); the board stays as it is.

    Raises:
        ValueError: if there is no such policy, or `number` is not positive.
    """
    if number < 1:
        raise ValueError(f"number of playouts must be positive, not {number}")
    size = board_size(board)
    source = np.array([board], dtype=board.dtype)
    ownership = np.zeros(len(board["color"]), dtype=np.int32)
    scores = np.zeros(number, dtype=np.int16)
    num_moves = make_batch(policy_name)(
        source[0], source.copy(), new_playout_workspace(size, seed)[0], scores, ownership
    )
    return PlayoutSummary(
        black_wins=float(np.mean(scores > komi)),
        draws=float(np.mean(scores == komi)),
        score=float(scores.mean() - komi),
        ownership=(ownership[all_points(size)] / np.float32(number)).astype(np.float32),
        scores=scores,
        num_moves=num_moves / number,
    )
