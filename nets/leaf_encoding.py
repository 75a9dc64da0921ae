"""Leaves of a search as a network sees them: compiled code that asks for positions and reads the answers.

Each position asked for has a row for its answer: those that the network is shown come first, in the order of the
batch; answers that the cache has are copied to the last rows, since another thread may write over them.
"""

import functools
import math
from typing import Any

import numpy as np

from miai.engine.domains.go import ends_game, history_of, play_in_tree, reset, result_of_game, set_outcome_of_end, undo
from miai.engine.go.actions import action_of_move
from miai.engine.go.board import copy_board, play
from miai.engine.go.points import BLACK, PASS
from miai.engine.jit import compiled
from miai.engine.search.batched_search import WAITING, workspaces_at
from miai.engine.search.pseudo_visits import set_pseudo_visits
from miai.nets.planes import make_write_planes, needs_whole_game
from miai.nets.recent_positions import NUM_RECENT, mark_superko, push_recent, recent_dtype

_ROOT, _LEAF, _CHILD = np.uint64(0), np.uint64(1), np.uint64(2)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@functools.cache
def leaf_dtype(size: int) -> np.dtype:
    """Return the record type of what a network needs in a workspace, its field `evaluator`."""
    return np.dtype(
        [
            ("recents", recent_dtype(size), (3,)),  # of the root, of the leaf, of a child of it
            (
                "rows",
                "i4",
                (size * size + 2,),
            ),  # of the answers for the leaf, then for its children, if they are asked for
        ],
        align=True,
    )


@functools.cache
def output_dtype(size: int) -> np.dtype:
    """Return the record type of what a network says of a position, for the player to move."""
    points = size * size
    return np.dtype(
        [
            ("key", "u8"),  # of the position, see `position_key`; 0 = there is none
            ("wdl", "f4", (3,)),
            ("score", "f4"),
            ("policy", "f4", (points + 1,)),  # logits
            ("ownership", "f4", (points,)),
        ],
        align=True,
    )


@compiled
def _mix(key, value):
    key = (key ^ value) * _MULTIPLIER
    return key ^ (key >> np.uint64(32))


@compiled
def position_key(board, recent, komi, has_superko, num_symmetries):
    """Return a key, uint64 and not 0, of all that planes are made of that show the last positions and moves only."""
    packed = np.uint64(board.to_play) | (np.uint64(has_superko) << np.uint64(2))
    packed |= np.uint64(np.int64(board.ko_point) + 8) << np.uint64(8)
    packed |= np.uint64(recent.num_positions) << np.uint64(32) | np.uint64(num_symmetries) << np.uint64(40)
    key = _mix(packed, np.uint64(np.int64(round(np.float64(komi) * 65536.0))))
    for age in range(recent.num_positions):
        key = _mix(key, recent.keys[np.uint64(age)])
    for age in range(NUM_RECENT):
        key = _mix(key, np.uint64(np.int64(recent.moves[np.uint64(age)]) + 8))
    return key | np.uint64(1)


@compiled
def _whole_game_key(key, board, recent):
    """Return a key, uint64 and not 0, that also covers what planes of `needs_whole_game` are made of."""
    packed = np.uint64(board.num_passes) | np.uint64(recent.num_moves) << np.uint64(16)
    for age in range(NUM_RECENT):
        packed |= np.uint64(recent.movers[np.uint64(age)]) << np.uint64(24 + 2 * age)
    key = _mix(key, packed)
    for age in range(NUM_RECENT):
        key = _mix(key, np.uint64(np.int64(recent.ko_points[np.uint64(age)]) + 8))
    for word in range(recent.banned.shape[0]):
        key = _mix(key, recent.banned[np.uint64(word)])
    return key | np.uint64(1)


@compiled
def symmetry_of(key, num_symmetries):
    """Return the symmetry under which a position is shown where several are in use: drawn by its key."""
    return (key >> np.uint64(40)) % np.uint64(num_symmetries)


@compiled
def _slot_of(key, cache):
    return np.int64((key >> np.uint64(8)) % np.uint64(cache.shape[0]))


@functools.cache
def compose_encode(planes_kind: str, encodes_children: bool) -> Any:
    """Return compiled `encode(addresses, lengths, example, planes, keys, answers, cache, table) -> rows to evaluate`.

    It is for all waiting leaves.

    Args of it:
        addresses: addresses of arrays of workspaces, uint64 [arrays].
        lengths: how many each has, int64 [arrays].
        example: any array of such workspaces.
        planes: float32 [most rows, planes, size, size], filled from the first row on.
        keys: uint64 [most rows], filled too.
        answers: `output_dtype` [most rows], of which the last are filled.
        cache: answers, each at its key modulo their number; none = no cache.
        table: those rows of `miai.nets.symmetry.symmetry_table` that are in use.
    """
    write_planes = make_write_planes(planes_kind)
    shows_whole_game = needs_whole_game(planes_kind)

    @compiled
    def encode_position(workspace, board, recent, planes, keys, answers, cache, table, taken):
        komi, has_superko = workspace.komi, workspace.has_superko
        key = position_key(board, recent, komi, has_superko, table.shape[0])
        if shows_whole_game:
            if has_superko:
                mark_superko(recent, board, history_of(workspace))
            key = _whole_game_key(key, board, recent)
        if cache.shape[0] > 0:
            slot = _slot_of(key, cache)
            if cache[slot].key == key:
                taken[1] += 1
                row = answers.shape[0] - taken[1]
                answers[row] = cache[slot]
                return row
        row = taken[0]
        taken[0] += 1
        keys[row] = key
        write_planes(board, recent, komi, has_superko, planes[row])
        symmetry = symmetry_of(key, table.shape[0])
        if symmetry != 0:
            order = table[symmetry]
            num_points = planes.shape[2] * planes.shape[3]
            turned = np.empty(num_points, dtype=np.float32)
            for number in range(planes.shape[1]):
                plane = planes[row, number].reshape(num_points)
                for index in range(num_points):
                    turned[index] = plane[order[index]]
                plane[:] = turned
        return row

    @compiled
    def encode_leaf(workspace, planes, keys, answers, cache, table, taken):
        net, board = workspace.evaluator, workspace.board
        net.rows[0] = encode_position(workspace, board, net.recents[_LEAF], planes, keys, answers, cache, table, taken)

    @compiled
    def encode_child(workspace, index, planes, keys, answers, cache, table, taken):
        net, board = workspace.evaluator, workspace.child
        recent = net.recents[_CHILD]
        net.recents[_CHILD] = net.recents[_LEAF]
        copy_board(board, workspace.board)
        play(board, workspace.candidate_move[index])
        push_recent(recent, board)
        row = encode_position(workspace, board, recent, planes, keys, answers, cache, table, taken)
        net.rows[index + 1] = row

    @compiled
    def encode_leaves(workspaces, planes, keys, answers, cache, table, taken):
        for number in range(workspaces.shape[0]):
            workspace = workspaces[number]
            if workspace.leaf_state == WAITING:
                encode_leaf(workspace, planes, keys, answers, cache, table, taken)
                if encodes_children:
                    for index in range(workspace.num_candidates):
                        if not ends_game(workspace, index):
                            encode_child(workspace, index, planes, keys, answers, cache, table, taken)

    @compiled
    def encode(addresses, lengths, example, planes, keys, answers, cache, table):
        taken = np.zeros(2, dtype=np.int64)  # of the first rows and of the last
        for index in range(addresses.shape[0]):
            workspaces = workspaces_at(addresses[index], lengths[index], example)
            encode_leaves(workspaces, planes, keys, answers, cache, table, taken)
        return taken[0]

    return encode


@compiled
def _store_outputs(policy, wdl, score, ownership, keys, inverse, answers):
    """Write a batch's outputs, as the positions lie."""
    for row in range(policy.shape[0]):
        output = answers[row]
        output.key = keys[row]
        output.score = score[row]
        for index in range(3):
            output.wdl[index] = wdl[row, index]
        order = inverse[symmetry_of(keys[row], inverse.shape[0])]
        for index in range(policy.shape[1]):
            output.policy[index] = policy[row, order[index]]
        for index in range(ownership.shape[1]):
            output.ownership[index] = ownership[row, order[index]]


@compiled
def _set_priors(workspace, output):
    """Write the network's policy over the candidates: its softmax, and pseudo-visits by its square root.

    Below the root a pass has none where the board as it stands is lost: the opponent's pass would end the game, and
    networks rely on dead stones being taken off.
    """
    size = np.int64(workspace.board.width_marker.shape[0]) - 1
    count = np.int64(workspace.num_candidates)
    greatest = np.float32(-np.inf)
    may_avoid_pass = count > 1 and workspace.leaf_depth > 0
    for index in range(count):
        logit = output.policy[action_of_move(np.int64(workspace.candidate_move[index]), size)]
        if may_avoid_pass and workspace.candidate_move[index] == PASS and result_of_game(workspace) == 0.0:
            logit = np.float32(-np.inf)
        workspace.candidate_prior[index] = logit
        greatest = max(greatest, logit)
    total = np.float32(0.0)
    for index in range(count):
        weight = math.exp(workspace.candidate_prior[index] - greatest)
        workspace.candidate_prior[index] = weight
        total += weight
    for index in range(count):
        set_pseudo_visits(workspace, index, math.sqrt(workspace.candidate_prior[index]))
        workspace.candidate_prior[index] /= total


@compiled
def _add_ownership(workspace, output):
    size = np.int64(workspace.board.width_marker.shape[0]) - 1
    sign = 1.0 if workspace.board.to_play == BLACK else -1.0
    for row in range(size):
        for column in range(size):
            workspace.ownership[(row + 1) * (size + 1) + column + 1] += sign * output.ownership[row * size + column]
    workspace.num_evaluations += 1


@functools.cache
def compose_decode(encodes_children: bool, has_ownership: bool) -> Any:
    """Return compiled `decode(addresses, lengths, example, …, cache)`; see `compose_encode`.

    It writes what the search wants to know of the leaves, and puts the new answers into the cache in place of what has
    their slots.

    Args of it:
        policy, wdl, score, ownership: what the network says of the rows, see `miai.nets.inference.Outputs`.
        keys: uint64 [most rows], as `encode` filled them.
        inverse: those rows of `miai.nets.symmetry.inverse_symmetry_table` that are in use.
        answers: as `encode` left them; their first rows are filled.
    """

    @compiled
    def decode_children(workspace, answers):
        for index in range(workspace.num_candidates):
            if ends_game(workspace, index):
                set_outcome_of_end(workspace, index)
            else:
                wdl = answers[workspace.evaluator.rows[index + 1]].wdl
                workspace.candidate_win[index] = wdl[2]
                workspace.candidate_loss[index] = wdl[0]

    @compiled
    def decode_leaves(workspaces, answers):
        for number in range(workspaces.shape[0]):
            workspace = workspaces[number]
            if workspace.leaf_state == WAITING:
                if encodes_children:
                    decode_children(workspace, answers)
                output = answers[workspace.evaluator.rows[0]]
                _set_priors(workspace, output)
                workspace.leaf_result = np.float64(output.wdl[0]) + 0.5 * np.float64(output.wdl[1])
                workspace.score = min(max(output.score, -workspace.point_scale), workspace.point_scale)
                if has_ownership:
                    _add_ownership(workspace, output)

    @compiled
    def decode(addresses, lengths, example, policy, wdl, score, ownership, keys, inverse, answers, cache):
        _store_outputs(policy, wdl, score, ownership, keys, inverse, answers)
        for index in range(addresses.shape[0]):
            decode_leaves(workspaces_at(addresses[index], lengths[index], example), answers)
        if cache.shape[0] > 0:
            for row in range(policy.shape[0]):
                cache[_slot_of(answers[row].key, cache)] = answers[row]

    return decode


@compiled
def reset_with_recent(workspace):
    """Go to the root position, remembering the last ones, and forget the path."""
    undo(workspace)
    reset(workspace)
    workspace.evaluator.recents[_LEAF] = workspace.evaluator.recents[_ROOT]


@compiled
def play_with_recent(workspace, tree, node):
    """Make the move that leads to a node, remembering the last positions."""
    play_in_tree(workspace, tree, node)
    push_recent(workspace.evaluator.recents[_LEAF], workspace.board)


@compiled
def keep_path(workspace):
    """Leave the path's positions in the history for who encodes the leaf; `reset_with_recent` forgets them."""


@compiled
def leave_to_network(workspace):
    """Leave what is known of candidates, or their outcomes, to the network, which writes them itself."""


@compiled
def evaluate_nothing(workspace):
    """Return a value that is never asked for: leaves are evaluated in batches."""
    return 0.5
