"""Batches to learn from, written by compiled code: planes of positions of games, and what the network should say.

All values of a batch are from the view of the player to move. Points run row-major from the top left; a pass is last.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from miai.engine.go.board import new_board
from miai.engine.go.points import BLACK
from miai.engine.jit import compiled
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.symmetry import inverse_symmetry_table, symmetry_table
from miai.selfplay.data.format import ROUNDING, GameFile
from miai.selfplay.data.labels import OWNERSHIP_UNITS
from miai.selfplay.data.replay import begin_game, new_replay, play_row, rebuild


class TrainingBatch(NamedTuple):
    """Positions and targets. A weight is 1 where its target is known, the policy's perhaps more; else 0, and the target
    zeros."""

    planes: Any
    """float32 [batch, planes, size, size]"""
    policy: Any
    """float32 [batch, size·size + 1]: the teacher's or the search policy's probabilities, which sum to 1."""
    policy_weight: Any
    """float32 [batch]"""
    wdl: Any
    """float32 [batch, 3]: win, draw and loss probabilities; see `write_wdl`."""
    value_weight: Any
    """float32 [batch]"""
    result: Any
    """float32 [batch]: how the game ended, 1, 0.5 or 0, or the result that the teacher expects; NaN unknown."""
    score: Any
    """float32 [batch]: final points, komi included, or those that the teacher expects."""
    score_weight: Any
    """float32 [batch]"""
    ownership: Any
    """float32 [batch, size·size]: +1 own, -1 the opponent's, 0 nobody's at the end, or what the teacher expects."""
    ownership_weight: Any
    """float32 [batch]"""
    reply: Any
    """float32 [batch, size·size + 1]: the policy target of the position after the move played."""
    reply_weight: Any
    """float32 [batch]"""


def new_batch(length: int, kind: str, size: int) -> TrainingBatch:
    """Return room for `length` positions with planes of this kind."""
    moves, points = size * size + 1, size * size
    shapes: list[tuple[int, ...]] = [(num_planes(kind), size, size), (moves,), (), (3,), (), (), ()]
    shapes += [(), (points,), (), (moves,), ()]
    return TrainingBatch(*(np.empty((length, *shape), dtype=np.float32) for shape in shapes))


@compiled
def write_wdl(result, root_value, outcome_weight, wdl):
    """Write the target of win, draw and loss; tell whether there is one.

    The value is `v = outcome_weight · result + (1 - outcome_weight) · root_value`, or the one of both that is known. A
    search's value does not say how probable a draw is, so the outcome does: if the game was drawn, as much of `v` is
    taken for a draw as can be, `2·min(v, 1 - v)`; else nothing is. The expected result of the target is `v` either way.

    Args:
        result: 1, 0.5 or 0 for the player to move; NaN unknown.
        root_value: expected result for the player to move, 0 to 1; NaN unknown.
        wdl: float32 [3]
    """
    value = outcome_weight * result + (1.0 - outcome_weight) * root_value
    if np.isnan(result):
        value = root_value
    elif np.isnan(root_value):
        value = result
    wdl[:] = 0.0
    if np.isnan(value):
        return False
    value = min(max(value, 0.0), 1.0)
    draw = 2.0 * min(value, 1.0 - value) if result == 0.5 else 0.0
    wdl[0] = value - 0.5 * draw
    wdl[1] = draw
    wdl[2] = 1.0 - value - 0.5 * draw
    return True


@compiled
def _write_policy(file, row, destination, policy):
    """Write the policy target of a row in the order that `destination` says; return its weight."""
    policy[:] = 0.0
    for entry in range(file.target_first[row], file.target_first[row + 1]):
        policy[destination[file.target_move[entry]]] = file.target_share[entry]
    return np.float32(file.is_target[row] != 0)


@compiled
def _mix(targets, weights, index, teacher_weight):
    """Make room for the teacher's part of a target; return that part: all of it where nothing else is known."""
    part = np.float32(teacher_weight) if weights[index] != 0.0 else np.float32(1.0)
    targets[index] *= np.float32(1.0) - part
    weights[index] = 1.0
    return part


@compiled
def _add_policy(file, label, destination, part, policy):
    """Add a part of a label's policy."""
    total = np.float32(0.0)
    for move in range(file.label_policy.shape[1]):
        total += file.label_policy[label, move]
    for move in range(file.label_policy.shape[1]):
        policy[destination[move]] += part * np.float32(file.label_policy[label, move]) / total


@compiled
def _label_result(file, label):
    """Return the result that the teacher expects, 0 to 1, for the player to move."""
    win, draw, loss = file.label_wdl[label]
    return (np.float32(win) + np.float32(0.5) * draw) / (np.float32(win) + draw + loss)


@compiled
def _lost_by_move(file, row, following):
    """Return what a row's move loses by the teacher, in expected result; 0 if it loses nothing or nobody knows."""
    if file.label[row] < 0 or file.label[following] < 0:
        return np.float32(0.0)
    left = np.float32(1.0) - _label_result(file, file.label[following])
    return max(np.float32(0.0), _label_result(file, file.label[row]) - left)


@compiled
def _add_label(file, label, source, destination, teacher_weight, batch, index):
    """Mix what the teacher says of a position into its targets."""
    part = _mix(batch.policy, batch.policy_weight, index, teacher_weight)
    _add_policy(file, label, destination, part, batch.policy[index])
    total = np.float32(0.0)
    for outcome in range(3):
        total += file.label_wdl[label, outcome]
    part = _mix(batch.wdl, batch.value_weight, index, teacher_weight)
    for outcome in range(3):
        batch.wdl[index, outcome] += part * np.float32(file.label_wdl[label, outcome]) / total
    expected = _label_result(file, label)
    if np.isnan(batch.result[index]):
        batch.result[index] = expected
    else:
        batch.result[index] += np.float32(teacher_weight) * (expected - batch.result[index])
    part = _mix(batch.score, batch.score_weight, index, teacher_weight)
    batch.score[index] += part * file.label_score[label]
    part = _mix(batch.ownership, batch.ownership_weight, index, teacher_weight) / np.float32(OWNERSHIP_UNITS)
    for point in range(file.label_ownership.shape[1]):
        batch.ownership[index, point] += part * file.label_ownership[label, source[point]]


@compiled
def _write_targets(file, game, row, source, destination, weights, batch, index):
    outcome_weight, teacher_weight, mistake_weight = weights
    head = file.games[game]
    is_black = file.color[row] == BLACK
    sign = np.float32(1.0) if is_black else np.float32(-1.0)
    batch.policy_weight[index] = _write_policy(file, row, destination, batch.policy[index])
    result = head.result if is_black else np.float32(1.0) - head.result
    batch.result[index] = result
    batch.value_weight[index] = write_wdl(result, file.root_value[row], outcome_weight, batch.wdl[index])
    has_score = head.is_scored != 0 and not np.isnan(head.score)
    batch.score[index] = sign * head.score if has_score else np.float32(0.0)
    batch.score_weight[index] = has_score
    has_owners = head.is_scored != 0
    for point in range(file.ownership.shape[1]):
        owner = file.ownership[game, source[point]] if has_owners else 0
        batch.ownership[index, point] = sign * owner
    batch.ownership_weight[index] = has_owners
    batch.reply[index] = 0.0
    batch.reply_weight[index] = 0.0
    lost = np.float32(0.0)
    following = row + 1
    if following < head.first + head.num_moves and file.color[following] != file.color[row]:
        batch.reply_weight[index] = _write_policy(file, following, destination, batch.reply[index])
        if teacher_weight > 0.0 and file.label[following] >= 0:
            part = _mix(batch.reply, batch.reply_weight, index, teacher_weight)
            _add_policy(file, file.label[following], destination, part, batch.reply[index])
        lost = _lost_by_move(file, row, following)
    if teacher_weight > 0.0 and file.label[row] >= 0:
        _add_label(file, file.label[row], source, destination, teacher_weight, batch, index)
    batch.policy_weight[index] *= np.float32(1.0) + np.float32(mistake_weight) * lost


@functools.cache
def _compose(kind: str) -> Any:
    write_planes = make_write_planes(kind)

    @compiled
    def write_samples(file, game_of_row, rows, symmetries, sources, destinations, weights, workspace, planes, batch):
        num_points = file.setup.shape[1]
        num_channels = planes.shape[0]
        flat = planes.reshape(num_channels, num_points)
        written = batch.planes.reshape(len(rows), num_channels, num_points)
        for index in range(len(rows)):
            row = rows[index]
            game = game_of_row[row]
            source = sources[symmetries[index]]
            rebuild(file, game, row, workspace)
            head = file.games[game]
            write_planes(workspace.board, workspace.recent, head.komi, head.has_superko, planes)
            for channel in range(num_channels):
                for point in range(num_points):
                    written[index, channel, point] = flat[channel, source[point]]
            destination = destinations[symmetries[index]]
            _write_targets(file, game, row, source, destination, weights, batch, index)

    return write_samples


def write_batch(
    file: GameFile,
    game_of_row: np.ndarray,
    rows: np.ndarray,
    symmetries: np.ndarray,
    kind: str,
    outcome_weight: float,
    teacher_weight: float = 1.0,
    mistake_weight: float = 0.0,
) -> TrainingBatch:
    """Return the positions of `rows`, each in one of its 8 symmetries, with their targets.

    Runs without the interpreter lock; calls from several threads do not disturb each other.

    Args:
        file: games that `find_fault` finds nothing wrong with.
        game_of_row: int64 [rows of the file]: the game of each.
        rows: int64 [batch]
        symmetries: int64 [batch]: see `miai.nets.symmetry`.
        kind: kind of planes.
        outcome_weight: what the outcome counts in the value target.
        teacher_weight: what a teacher's label counts in every target; the rest is the game's, where that is known.
        mistake_weight: what a position's policy counts more for each result that its move in the game loses by the
            labels of this position and the next; nothing where one has none.
    """
    size = file.size
    batch = new_batch(len(rows), kind, size)
    workspace = new_replay(size)
    planes = np.zeros((num_planes(kind), size, size), dtype=np.float32)
    sources, destinations = symmetry_table(size), inverse_symmetry_table(size)
    weights = (float(outcome_weight), float(teacher_weight), float(mistake_weight))
    _compose(kind)(file, game_of_row, rows, symmetries, sources, destinations, weights, workspace[0], planes, batch)
    return batch


@compiled
def _find_fault(file, board, empty):
    """Return -1 if all is well, else a row whose move is on a stone (even) or whose target is no distribution (odd)."""
    for game in range(len(file.games)):
        head = file.games[game]
        begin_game(board, empty, file.setup[game])
        for row in range(head.first, head.first + head.num_moves):
            if not play_row(board, np.int64(file.move[row]), np.int64(file.color[row])):
                return 2 * row
            total = 0.0
            for entry in range(file.target_first[row], file.target_first[row + 1]):
                share = file.target_share[entry]
                total += share if share >= 0.0 else np.nan
            if file.is_target[row] != 0 and not abs(total - 1.0) < 0.01:
                return 2 * row + 1
    return -1


def find_fault(file: GameFile) -> str | None:
    """Return what makes the games of a file unfit to learn from, None if nothing does."""
    boards = np.repeat(new_board(file.size), 2)
    heads = file.games
    found = int(_find_fault(file, boards[0], boards[1]))
    if found >= 0:
        return f"the {'policy target' if found % 2 else 'move'} of row {found // 2} is impossible"
    if not np.isfinite(heads["komi"]).all() or np.isinf(heads["score"]).any():
        return "a komi or score is no number"
    if not (np.isin(heads["result"], (0.0, 0.5, 1.0)) | np.isnan(heads["result"])).all():
        return "a result is none of 1, 0.5 and 0"
    if ((file.root_value < -ROUNDING) | (file.root_value > 1.0 + ROUNDING)).any():
        return "a root value is not from 0 to 1"
    return None
