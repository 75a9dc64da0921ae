"""Leaves of a search as a network sees them: compiled code that asks for positions and reads the answers.

Asking for a position either finds its answer in the cache or writes its planes to the next row of a batch. A handle
says where the answer will be: the row, or `-1 - slot` of the cache.
"""

import functools
import math
from typing import Any

import numpy as np

from miai.engine.domains.go import begin, ends_game, play_in_tree, result_of_game
from miai.engine.go.actions import action_of_move
from miai.engine.go.board import copy_board, play
from miai.engine.go.points import BLACK
from miai.engine.jit import compiled
from miai.engine.search.batches import WAITING, works_at
from miai.nets.planes import make_write_planes
from miai.nets.recent import NUM_RECENT, push_recent, recent_dtype

EVEN_WEIGHT = 4.0
"""For rules with made-up visits, as `rave`: so many with an even result for every move, …"""
PRIOR_WEIGHT = 10.0
"""… and so many with the square root of its probability, divided by that of the likeliest move."""

_ROOT, _LEAF, _CHILD = np.uint64(0), np.uint64(1), np.uint64(2)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@functools.cache
def leaf_dtype(size: int) -> np.dtype:
    """Return the record type of what a network needs in a working space, its field `evaluator`."""
    return np.dtype(
        [
            ("recents", recent_dtype(size), (3,)),  # of the root, of the leaf, of a child of it
            ("handles", "i4", (size * size + 2,)),  # of the leaf, then of its children, if they are asked for
        ],
        align=True,
    )


@functools.cache
def answer_dtype(size: int) -> np.dtype:
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
    """Return a key, uint64 and not 0, of all that the planes of a position are made of."""
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
def symmetry_of(key, num_symmetries):
    """Return the symmetry under which a position is shown where several are in use: drawn by its key."""
    return (key >> np.uint64(40)) % np.uint64(num_symmetries)


@compiled
def _slot_of(key, cache):
    return np.int64((key >> np.uint64(8)) % np.uint64(cache.shape[0]))


@functools.cache
def compose_ask(planes_kind: str, asks_for_children: bool) -> Any:
    """Return compiled `ask(places, numbers, example, planes, keys, cache, table) -> rows` for all waiting leaves.

    Args of it:
        places: addresses of arrays of working spaces, uint64 [arrays].
        numbers: how many each has, int64 [arrays].
        example: any array of such working spaces.
        planes: float32 [most rows, planes, size, size], filled from the first row on.
        keys: uint64 [most rows], filled too.
        cache: answers, each at its key modulo their number; none = no cache.
        table: those rows of `miai.nets.symmetry.symmetry_table` that are in use.
    """
    write_planes = make_write_planes(planes_kind)

    @compiled
    def ask_for(board, recent, komi, has_superko, planes, keys, cache, table, count):
        key = position_key(board, recent, komi, has_superko, table.shape[0])
        if cache.shape[0] > 0:
            slot = _slot_of(key, cache)
            if cache[slot].key == key:
                return -1 - slot
        keys[count] = key
        write_planes(board, recent, komi, has_superko, planes[count])
        symmetry = symmetry_of(key, table.shape[0])
        if symmetry != 0:
            order = table[symmetry]
            num_points = planes.shape[2] * planes.shape[3]
            turned = np.empty(num_points, dtype=np.float32)
            for number in range(planes.shape[1]):
                plane = planes[count, number].reshape(num_points)
                for index in range(num_points):
                    turned[index] = plane[order[index]]
                plane[:] = turned
        return count

    @compiled
    def ask_for_leaf(work, planes, keys, cache, table, count):
        net = work.evaluator
        handle = ask_for(work.board, net.recents[_LEAF], work.komi, work.has_superko, planes, keys, cache, table, count)
        net.handles[0] = handle
        return count + (handle == count)

    @compiled
    def ask_for_child(work, index, planes, keys, cache, table, count):
        net, board = work.evaluator, work.child
        recent = net.recents[_CHILD]
        net.recents[_CHILD] = net.recents[_LEAF]
        copy_board(board, work.board)
        play(board, work.candidate_move[index])
        push_recent(recent, board)
        handle = ask_for(board, recent, work.komi, work.has_superko, planes, keys, cache, table, count)
        net.handles[index + 1] = handle
        return count + (handle == count)

    @compiled
    def ask_for_all(works, planes, keys, cache, table, count):
        for number in range(works.shape[0]):
            work = works[number]
            if work.leaf_state == WAITING:
                count = ask_for_leaf(work, planes, keys, cache, table, count)
                if asks_for_children:
                    for index in range(work.num_candidates):
                        if not ends_game(work, index):
                            count = ask_for_child(work, index, planes, keys, cache, table, count)
        return count

    @compiled
    def ask(places, numbers, example, planes, keys, cache, table):
        count = np.int64(0)
        for index in range(places.shape[0]):
            count = ask_for_all(works_at(places[index], numbers[index], example), planes, keys, cache, table, count)
        return count

    return ask


@compiled
def _take_answers(policy, wdl, score, ownership, keys, inverse, fresh):
    """Write a batch's outputs, as the positions lie."""
    for row in range(policy.shape[0]):
        answer = fresh[row]
        answer.key = keys[row]
        answer.score = score[row]
        for index in range(3):
            answer.wdl[index] = wdl[row, index]
        order = inverse[symmetry_of(keys[row], inverse.shape[0])]
        for index in range(policy.shape[1]):
            answer.policy[index] = policy[row, order[index]]
        for index in range(ownership.shape[1]):
            answer.ownership[index] = ownership[row, order[index]]


@compiled
def _write_candidates(work, answer):
    """Write the network's policy over the candidates: its softmax, and made-up visits."""
    size = np.int64(work.board.width_marker.shape[0]) - 1
    count = np.int64(work.num_candidates)
    greatest = np.float32(-np.inf)
    for index in range(count):
        logit = answer.policy[action_of_move(np.int64(work.candidate_move[index]), size)]
        work.candidate_prior[index] = logit
        greatest = max(greatest, logit)
    total = np.float32(0.0)
    for index in range(count):
        weight = math.exp(work.candidate_prior[index] - greatest)
        work.candidate_prior[index] = weight
        total += weight
    for index in range(count):
        share = math.sqrt(work.candidate_prior[index])
        work.candidate_value[index] = (0.5 * EVEN_WEIGHT + PRIOR_WEIGHT * share) / (EVEN_WEIGHT + PRIOR_WEIGHT)
        work.candidate_weight[index] = EVEN_WEIGHT + PRIOR_WEIGHT
        work.candidate_prior[index] /= total


@compiled
def _add_ownership(work, answer):
    size = np.int64(work.board.width_marker.shape[0]) - 1
    sign = 1.0 if work.board.to_play == BLACK else -1.0
    for row in range(size):
        for column in range(size):
            work.ownership[(row + 1) * (size + 1) + column + 1] += sign * answer.ownership[row * size + column]
    work.num_evaluations += 1


@compiled
def _answer_of(handle, fresh, cache):
    return fresh[handle] if handle >= 0 else cache[-1 - handle]


@functools.cache
def compose_read(asks_for_children: bool, has_ownership: bool) -> Any:
    """Return compiled `read(places, numbers, example, …, cache) -> answers that were cached`; see `compose_ask`.

    It writes what the search wants to know of them, and puts the fresh ones into the cache in place of what has their
    slots.

    Args of it:
        policy, wdl, score, ownership: what the network says of the rows, see `miai.nets.inference.Outputs`.
        keys: uint64 [most rows], as `ask` filled them.
        inverse: those rows of `miai.nets.symmetry.inverse_symmetry_table` that are in use.
        fresh: answers [most rows], overwritten.
    """

    @compiled
    def read_children(work, fresh, cache):
        num_cached = 0
        for index in range(work.num_candidates):
            if ends_game(work, index):
                # a pass leaves the board as it is
                result = result_of_game(work)
                work.candidate_win[index] = 1.0 if result == 1.0 else 0.0
                work.candidate_loss[index] = 1.0 if result == 0.0 else 0.0
            else:
                handle = work.evaluator.handles[index + 1]
                wdl = _answer_of(handle, fresh, cache).wdl
                work.candidate_win[index] = wdl[2]
                work.candidate_loss[index] = wdl[0]
                num_cached += handle < 0
        return num_cached

    @compiled
    def read_all(works, fresh, cache):
        num_cached = 0
        for number in range(works.shape[0]):
            work = works[number]
            if work.leaf_state == WAITING:
                if asks_for_children:
                    num_cached += read_children(work, fresh, cache)
                num_cached += work.evaluator.handles[0] < 0
                answer = _answer_of(work.evaluator.handles[0], fresh, cache)
                _write_candidates(work, answer)
                work.leaf_result = np.float64(answer.wdl[0]) + 0.5 * np.float64(answer.wdl[1])
                work.score = min(max(answer.score, -work.point_scale), work.point_scale)
                if has_ownership:
                    _add_ownership(work, answer)
        return num_cached

    @compiled
    def read(places, numbers, example, policy, wdl, score, ownership, keys, inverse, fresh, cache):
        _take_answers(policy, wdl, score, ownership, keys, inverse, fresh)
        num_cached = 0
        for index in range(places.shape[0]):
            num_cached += read_all(works_at(places[index], numbers[index], example), fresh, cache)
        if cache.shape[0] > 0:
            for row in range(policy.shape[0]):
                cache[_slot_of(fresh[row].key, cache)] = fresh[row]
        return num_cached

    return read


@compiled
def begin_with_recent(work):
    """Go to the root position, remembering the last ones."""
    begin(work)
    work.evaluator.recents[_LEAF] = work.evaluator.recents[_ROOT]


@compiled
def play_with_recent(work, tree, node):
    """Make the move that leads to a node, remembering the last positions."""
    play_in_tree(work, tree, node)
    push_recent(work.evaluator.recents[_LEAF], work.board)


@compiled
def await_network(work):
    """Leave what is known of candidates, or their outcomes, to the network, which writes them itself."""


@compiled
def evaluate_nowhere(work):
    """Return a value that is never asked for: leaves are evaluated in batches."""
    return 0.5
