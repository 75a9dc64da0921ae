"""The stepwise entrance: descend to many leaves, have them all evaluated at once, then expand and back up.

For evaluators outside compiled code, as networks are. `gather` fills an array of working spaces, one a leaf, each with
the leaf's position and its candidate moves; whoever evaluates writes `candidate_prior` and `leaf_result` there, and
`absorb` gives the leaves their children and carries the results to the root. In between nothing of the batch is in
the tree, so that what is backed up does not depend on how the leaves were found:

* with virtual loss the simulations of a batch descend one after the other, and each is counted as lost along its way
  until the batch is complete (Chaslot et al. 2008, Parallel Monte-Carlo tree search);
* in a wave all descend together: a node's tickets are divided among its moves in proportion to the shares that the
  selection rule gives them (Jones 2021, section 2.3).
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from miai.engine.intrinsics import to_pointer
from miai.engine.jit import compiled
from miai.engine.search.rule_declaration import BackupRule, Compiled, SelectionRule
from miai.engine.search.simulate import DomainFunctions, compose_steps
from miai.engine.search.tree import (
    EXPANDING,
    ROOT,
    TERMINAL,
    TREE_DTYPE,
    UNEXPANDED,
    children_of,
    claim_expansion,
    first_children,
    moves,
    values,
    visits,
)

BATCHINGS = ("virtual-loss", "waves")
"""How the leaves of a batch may be found."""

FREE, WAITING, DECIDED = 0, 1, 2
"""`leaf_state`: no leaf; a leaf to be evaluated; one where the game is over, so that the result is known."""

COUNTS_DTYPE = np.dtype([("leaves", "i8"), ("decided", "i8"), ("collisions", "i8")])
"""Of all batches: leaves that were evaluated, ends of games, and descents that found no leaf of their own."""


def batch_fields(max_depth: int, max_candidates: int) -> list[tuple[Any, ...]]:
    """Return the fields that batches need in a working space, beside those of every search."""
    return [
        ("leaf_state", "i8"),
        ("leaf_depth", "i8"),
        ("leaf_result", "f8"),  # for the player to move at the leaf
        ("saved_value", "f8", (max_depth + 1,)),  # of the path's nodes, while they count as lost
        ("num_tickets", "i8"),  # of the group of descents that this one is the first of
        ("tickets", "i4", (max_candidates,)),  # that each child is given
    ]


class Gathered(NamedTuple):
    """The working spaces of one search's batch, or of several searches' batches."""

    works: Sequence[np.ndarray]
    """Those of each search."""
    places: np.ndarray
    """Their addresses, uint64 [searches]."""
    numbers: np.ndarray
    """How many of each are in use, int64 [searches]; what is in the others is old."""

    def in_use(self) -> list[np.ndarray]:
        """Return the working spaces of each search that are in use."""
        return [works[:number] for works, number in zip(self.works, self.numbers, strict=True)]


class Batches(NamedTuple):
    """Compiled functions of the stepwise entrance.

    Each does its work for several searches: `trees` are the addresses of their trees, uint64 [searches]; `places` those
    of their working spaces, and `numbers`, int64, how many each has; `example` is any array of such working spaces.
    """

    gather: Compiled
    """`gather(trees, places, numbers, example, selection_parameters, virtual_loss, counts)`: as many descents in each
    search as it has working spaces, one after the other; those that found a leaf have a `leaf_state`."""
    gather_wave: Compiled | None
    """The same, all of a search together; None if the selection rule has no shares."""
    absorb: Compiled
    """`absorb(trees, places, numbers, example, backup_parameters, done, num_nodes)`: of batches whose leaves were
    evaluated. Writes how many simulations each search has done, int64, and how many nodes its tree has now."""


@compiled
def works_at(address, number, example):
    """Return the array of `number` working spaces, of the same type as those in `example`, at an address."""
    return numba.carray(to_pointer(address), (number,), example.dtype)


@compiled
def _tree_at(address):
    return numba.carray(to_pointer(address), (1,), TREE_DTYPE)[0]


@functools.cache
def _compose_each(gather: Compiled) -> Compiled:
    @compiled
    def gather_each(trees, places, numbers, example, selection_parameters, virtual_loss, counts):
        for index in range(trees.shape[0]):
            if numbers[index] > 0:
                works = works_at(places[index], numbers[index], example)
                gather(_tree_at(trees[index]), works, selection_parameters, virtual_loss, counts[0])

    return gather_each


@compiled
def _lose(tree, work, virtual_loss):
    """Count a descent as lost along its path, for the players who chose it."""
    for ply in range(work.leaf_depth + 1):
        node = np.int64(work.path[ply])
        n = np.float64(visits(tree)[node])
        work.saved_value[ply] = values(tree)[node]
        visits(tree)[node] += 1
        if virtual_loss > 0.0 and node != ROOT:
            values(tree)[node] *= n / (n + virtual_loss)


@compiled
def _restore(tree, work):
    """Undo `_lose`; the last to descend must be the first to be undone."""
    for ply in range(work.leaf_depth, -1, -1):
        node = np.int64(work.path[ply])
        visits(tree)[node] -= 1
        values(tree)[node] = work.saved_value[ply]


@compiled
def share_tickets(tree, node, work, number):
    """Divide tickets among a node's children by `work.share`, with largest remainders, and write `work.tickets`.

    The children never visited are one party; of them the first in share get one each.

    Returns:
        How many tickets find no child.
    """
    children = children_of(tree, node)
    count = children.end - children.first
    unseen_quota = 0.0
    left = number
    for index in range(count):
        work.tickets[index] = 0
        quota = number * work.share[index]
        if visits(tree)[children.first + index] == 0:
            unseen_quota += quota
        else:
            work.tickets[index] = np.int32(math.floor(quota))
            left -= work.tickets[index]
    unseen = np.int64(math.floor(unseen_quota))
    left -= unseen
    for _ in range(left):
        best = np.int64(-1)
        greatest = unseen_quota - unseen
        for index in range(count):
            remainder = number * work.share[index] - work.tickets[index]
            if visits(tree)[children.first + index] > 0 and remainder > greatest:
                best, greatest = np.int64(index), remainder
        if best < 0:
            unseen += 1
        else:
            work.tickets[best] += 1
    while unseen > 0:
        best = np.int64(-1)
        for index in range(count):
            if visits(tree)[children.first + index] == 0 and work.tickets[index] == 0:
                if best < 0 or work.share[index] > work.share[best]:
                    best = np.int64(index)
        if best < 0:
            break
        work.tickets[best] = 1
        unseen -= 1
    return unseen


@functools.cache
def _compose_arrival(domain: DomainFunctions) -> Compiled:
    is_over, list_candidates, result_of, finish = (
        domain.is_over,
        domain.list_candidates,
        domain.result,
        domain.finish,
    )

    @compiled
    def arrive(tree, work):
        """Make the node where a descent ended its leaf, unless another has it; at the greatest depth all may."""
        node = np.int64(work.path[work.trace_length])
        if first_children(tree)[node] == UNEXPANDED and is_over(work):
            first_children(tree)[node] = TERMINAL
        work.leaf_depth = work.trace_length
        work.leaf_state = FREE
        if first_children(tree)[node] == TERMINAL:
            work.leaf_result = result_of(work)
            work.leaf_state = DECIDED
        elif claim_expansion(tree, node) or work.trace_length + 1 >= work.path.shape[0]:
            list_candidates(work)
            work.leaf_state = WAITING
        finish(work)

    return arrive


@functools.cache
def _compose_step(domain: DomainFunctions) -> Compiled:
    play = domain.play

    @compiled
    def step_down(tree, work, child):
        play(work, tree, child)
        work.trace[work.trace_length] = moves(tree)[child]
        work.trace_length += 1
        work.path[work.trace_length] = child

    return step_down


@compiled
def _count(counts, work):
    counts.leaves += work.leaf_state == WAITING
    counts.decided += work.leaf_state == DECIDED
    counts.collisions += work.leaf_state == FREE


@functools.cache
def _compose_gather(domain: DomainFunctions, select: Compiled) -> Compiled:
    begin, arrive, step_down = domain.begin, _compose_arrival(domain), _compose_step(domain)

    @compiled
    def descend(tree, work, selection_parameters):
        node = np.int64(ROOT)
        begin(work)
        work.path[0] = ROOT
        work.trace_length = 0
        while first_children(tree)[node] > 0 and work.trace_length + 1 < work.path.shape[0]:
            # a rule counts the visit that is under way
            visits(tree)[node] += 1
            child = np.int64(select(tree, node, selection_parameters, work))
            visits(tree)[node] -= 1
            node = child
            step_down(tree, work, node)

    @compiled
    def gather(tree, works, selection_parameters, virtual_loss, counts):
        for index in range(works.shape[0]):
            work = works[index]
            descend(tree, work, selection_parameters)
            arrive(tree, work)
            _lose(tree, work, virtual_loss)
            _count(counts, work)
        for index in range(works.shape[0] - 1, -1, -1):
            _restore(tree, works[index])

    return gather


@functools.cache
def _compose_wave(domain: DomainFunctions, shares: Compiled) -> Compiled:
    begin, finish, arrive, step_down = domain.begin, domain.finish, _compose_arrival(domain), _compose_step(domain)

    @compiled
    def split(tree, works, start, selection_parameters):
        """Divide the group of descents that begins with `start` among the children of the node where it is."""
        work = works[start]
        number = np.int64(work.num_tickets)
        node = np.int64(work.path[work.trace_length])
        children = children_of(tree, node)
        visits(tree)[node] += 1
        shares(tree, node, selection_parameters, work)
        visits(tree)[node] -= 1
        num_idle = share_tickets(tree, node, work, number)
        # the idle ones stay behind, at the end of the group
        for index in range(start + number - num_idle, start + number):
            works[index].leaf_state = FREE
            works[index].num_tickets = 0
            finish(works[index])
        # the last child's descents go last, so that the tickets, kept with the first, are read before it moves on
        end = start + number - num_idle
        for offset in range(children.end - children.first - 1, -1, -1):
            tickets = np.int64(work.tickets[offset])
            if tickets > 0:
                for index in range(end - tickets, end):
                    step_down(tree, works[index], children.first + offset)
                end -= tickets
                works[end].num_tickets = tickets

    @compiled
    def gather_wave(tree, works, selection_parameters, virtual_loss, counts):
        number = works.shape[0]
        for index in range(number):
            begin(works[index])
            works[index].path[0] = ROOT
            works[index].trace_length = 0
            works[index].num_tickets = 0
        works[0].num_tickets = number
        index = 0
        while index < number:
            work = works[index]
            group = np.int64(work.num_tickets)
            if group == 0:
                index += 1
                continue
            node = np.int64(work.path[work.trace_length])
            if first_children(tree)[node] > 0 and work.trace_length + 1 < work.path.shape[0]:
                split(tree, works, index, selection_parameters)
                continue
            arrive(tree, work)
            for follower in range(index + 1, index + group):
                works[follower].leaf_state = FREE
                finish(works[follower])
            index += group
        for index in range(number):
            _count(counts, works[index])

    return gather_wave


@functools.cache
def compose_batches(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> Batches:
    """Return the stepwise entrance to a search of these parts.

    Raises:
        ValueError: if the backup rule needs chances of win, draw and loss, and the domain has none.
    """
    expand, back_up = compose_steps(domain, selection, backup_rule)
    learn = selection.learn

    @compiled
    def absorb(tree, works, backup_parameters):
        done = np.int64(0)
        for index in range(works.shape[0]):
            work = works[index]
            if work.leaf_state == FREE:
                continue
            done += 1
            leaf = np.int64(work.path[work.leaf_depth])
            if first_children(tree)[leaf] == EXPANDING:
                expand(tree, leaf, work)
            for ply in range(work.leaf_depth + 1):
                visits(tree)[work.path[ply]] += 1
            back_up(tree, work, np.int64(work.leaf_depth), work.leaf_result, backup_parameters)
            learn(tree, work, np.int64(work.leaf_depth), work.leaf_result)
        return done

    @compiled
    def absorb_each(trees, places, numbers, example, backup_parameters, done, num_nodes):
        for index in range(trees.shape[0]):
            tree = _tree_at(trees[index])
            done[index] = absorb(tree, works_at(places[index], numbers[index], example), backup_parameters)
            num_nodes[index] = tree.num_nodes[0]

    wave = None if selection.shares is None else _compose_each(_compose_wave(domain, selection.shares))
    return Batches(_compose_each(_compose_gather(domain, selection.select)), wave, absorb_each)
