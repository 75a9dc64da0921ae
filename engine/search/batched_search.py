"""Batched search: descend to many leaves, have them all evaluated at once, then expand and back up.

For evaluators outside compiled code, such as networks. `select_leaves` fills an array of workspaces, one a leaf, each
with the leaf's position and its candidate moves; whoever evaluates writes `candidate_prior` and `leaf_result` there,
and `expand_and_back_up` gives the leaves their children and carries the results to the root. In between nothing of the
batch is in the tree, so that what is backed up does not depend on how the leaves were found:

* with virtual loss the simulations of a batch descend one after the other, and each is counted as lost along its way
  until the batch is complete (Chaslot et al. 2008, Parallel Monte-Carlo tree search);
* in a wave all descend together: a node's tickets are divided among its moves in proportion to the search policy (Jones
  2021, section 2.3).
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from miai.engine.intrinsics import to_pointer
from miai.engine.jit import Compiled, compiled
from miai.engine.search.rule_declaration import BackupRule, SelectionRule
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
    visits,
)
from miai.engine.search.virtual_loss import add_virtual_loss, remove_virtual_loss

BATCHINGS = ("virtual-loss", "waves")
"""How the leaves of a batch may be found."""

FREE, WAITING, DECIDED = 0, 1, 2
"""`leaf_state`: no leaf; a leaf to be evaluated; one where the game is over, so that the result is known."""

COUNTS_DTYPE = np.dtype([("leaves", "i8"), ("decided", "i8"), ("collisions", "i8")])
"""Of all batches: leaves that were evaluated, ends of games, and descents that collided."""


def batch_fields(max_depth: int, max_candidates: int) -> list[tuple[Any, ...]]:
    """Return the fields that batches need in a workspace, beside those of every search."""
    return [
        ("leaf_state", "i8"),
        ("leaf_depth", "i8"),
        ("leaf_result", "f8"),  # for the player to move at the leaf
        ("saved_value", "f8", (max_depth + 1,)),  # of the path's nodes, while they count as lost
        ("num_tickets", "i8"),  # of the group of descents that this one is the first of
        ("tickets", "i4", (max_candidates,)),  # that each child is given
    ]


class LeafBatches(NamedTuple):
    """The workspaces of one search's batch, or of several searches' batches."""

    workspaces: Sequence[np.ndarray]
    """Those of each search."""
    addresses: np.ndarray
    """Their addresses, uint64 [searches]."""
    lengths: np.ndarray
    """How many of each are in use, int64 [searches]; what is in the others is old."""

    def in_use(self) -> list[np.ndarray]:
        """Return the workspaces of each search that are in use."""
        return [workspaces[:number] for workspaces, number in zip(self.workspaces, self.lengths, strict=True)]


class BatchFunctions(NamedTuple):
    """Compiled functions of batched search.

    Each does its work for several searches: `trees` are the addresses of their trees, uint64 [searches]; `addresses`
    those of their workspaces, and `lengths`, int64, how many each has; `example` is any array of such workspaces.
    """

    select_leaves: Compiled
    """`select_leaves(trees, addresses, lengths, example, selection_parameters, virtual_loss, visits_per_leaf, counts)`:
    as many descents in each search as it has workspaces, one after the other; those that found a leaf have a
    `leaf_state`. Shortens `lengths` where a root has fewer than `visits_per_leaf` visits for each."""
    select_leaves_in_wave: Compiled | None
    """The same, all of a search together; None if the selection rule has no search policy."""
    expand_and_back_up: Compiled
    """`expand_and_back_up(trees, addresses, lengths, example, backup_parameters, done, num_nodes)`: of batches whose
    leaves were evaluated. Writes how many simulations each search has done, int64, and how many nodes its tree has
    now."""
    count_as_lost: Compiled
    """`count_as_lost(trees, addresses, lengths, example, virtual_loss)`: the leaves that were found, along their paths,
    until `undo_losses`."""
    undo_losses: Compiled
    """`undo_losses(trees, addresses, lengths, example)`: of what was counted last."""

    def select(self, batching: str) -> Compiled:
        """Return what finds leaves as one of `BATCHINGS` says.

        Raises:
            ValueError: for waves of a rule that has no search policy.
        """
        if batching != "waves":
            return self.select_leaves
        if self.select_leaves_in_wave is None:
            raise ValueError("waves need a search policy")
        return self.select_leaves_in_wave


@compiled
def workspaces_at(address, number, example):
    """Return the array of `number` workspaces, of the same type as those in `example`, at an address."""
    return numba.carray(to_pointer(address), (number,), example.dtype)


@compiled
def _tree_at(address):
    return numba.carray(to_pointer(address), (1,), TREE_DTYPE)[0]


@functools.cache
def _compose_each(select_leaves: Compiled) -> Compiled:
    @compiled
    def select_leaves_of_each(
        trees, addresses, lengths, example, selection_parameters, virtual_loss, visits_per_leaf, counts
    ):
        for index in range(trees.shape[0]):
            if lengths[index] > 0:
                tree = _tree_at(trees[index])
                if visits_per_leaf > 0.0:
                    lengths[index] = min(lengths[index], max(1, np.int64(visits(tree)[ROOT] / visits_per_leaf)))
                workspaces = workspaces_at(addresses[index], lengths[index], example)
                select_leaves(tree, workspaces, selection_parameters, virtual_loss, counts[0])

    return select_leaves_of_each


@compiled
def _count_as_lost(trees, addresses, lengths, example, virtual_loss):
    for search in range(trees.shape[0]):
        tree = _tree_at(trees[search])
        workspaces = workspaces_at(addresses[search], lengths[search], example)
        for index in range(workspaces.shape[0]):
            if workspaces[index].leaf_state != FREE:
                add_virtual_loss(tree, workspaces[index], virtual_loss)


@compiled
def _undo_losses(trees, addresses, lengths, example):
    for search in range(trees.shape[0]):
        tree = _tree_at(trees[search])
        workspaces = workspaces_at(addresses[search], lengths[search], example)
        for index in range(workspaces.shape[0] - 1, -1, -1):
            if workspaces[index].leaf_state != FREE:
                remove_virtual_loss(tree, workspaces[index])


@compiled
def distribute_tickets(tree, node, workspace, number):
    """Divide tickets among a node's children by `workspace.policy`, with largest remainders, and write
    `workspace.tickets`.

    The children never visited take part as one; their tickets go one each to the most probable of them.

    Returns:
        How many tickets find no child.
    """
    children = children_of(tree, node)
    count = children.end - children.first
    unseen_quota = 0.0
    left = number
    for index in range(count):
        workspace.tickets[index] = 0
        quota = number * workspace.policy[index]
        if visits(tree)[children.first + index] == 0:
            unseen_quota += quota
        else:
            workspace.tickets[index] = np.int32(math.floor(quota))
            left -= workspace.tickets[index]
    unseen = np.int64(math.floor(unseen_quota))
    left -= unseen
    for _ in range(left):
        best = np.int64(-1)
        greatest = unseen_quota - unseen
        for index in range(count):
            remainder = number * workspace.policy[index] - workspace.tickets[index]
            if visits(tree)[children.first + index] > 0 and remainder > greatest:
                best, greatest = np.int64(index), remainder
        if best < 0:
            unseen += 1
        else:
            workspace.tickets[best] += 1
    while unseen > 0:
        best = np.int64(-1)
        for index in range(count):
            if visits(tree)[children.first + index] == 0 and workspace.tickets[index] == 0:
                if best < 0 or workspace.policy[index] > workspace.policy[best]:
                    best = np.int64(index)
        if best < 0:
            break
        workspace.tickets[best] = 1
        unseen -= 1
    return unseen


@functools.cache
def _compose_claim_leaf(domain: DomainFunctions) -> Compiled:
    is_over, list_candidates, result_of, undo = (
        domain.is_over,
        domain.list_candidates,
        domain.result,
        domain.undo,
    )

    @compiled
    def claim_leaf(tree, workspace):
        """Make the node where a descent ended its leaf, unless another has it; at the greatest depth all may."""
        node = np.int64(workspace.path[workspace.trace_length])
        if first_children(tree)[node] == UNEXPANDED and is_over(workspace):
            first_children(tree)[node] = TERMINAL
        workspace.leaf_depth = workspace.trace_length
        workspace.leaf_state = FREE
        if first_children(tree)[node] == TERMINAL:
            workspace.leaf_result = result_of(workspace)
            workspace.leaf_state = DECIDED
        elif claim_expansion(tree, node) or workspace.trace_length + 1 >= workspace.path.shape[0]:
            list_candidates(workspace)
            workspace.leaf_state = WAITING
        undo(workspace)

    return claim_leaf


@functools.cache
def _compose_step(domain: DomainFunctions) -> Compiled:
    play = domain.play

    @compiled
    def step_down(tree, workspace, child):
        play(workspace, tree, child)
        workspace.trace[workspace.trace_length] = moves(tree)[child]
        workspace.trace_length += 1
        workspace.path[workspace.trace_length] = child

    return step_down


@compiled
def _count(counts, workspace):
    counts.leaves += workspace.leaf_state == WAITING
    counts.decided += workspace.leaf_state == DECIDED
    counts.collisions += workspace.leaf_state == FREE


@functools.cache
def _compose_select_leaves(domain: DomainFunctions, select: Compiled) -> Compiled:
    reset, claim_leaf, step_down = domain.reset, _compose_claim_leaf(domain), _compose_step(domain)

    @compiled
    def descend(tree, workspace, selection_parameters):
        node = np.int64(ROOT)
        reset(workspace)
        workspace.path[0] = ROOT
        workspace.trace_length = 0
        while first_children(tree)[node] > 0 and workspace.trace_length + 1 < workspace.path.shape[0]:
            # a rule counts the visit that is under way
            visits(tree)[node] += 1
            child = np.int64(select(tree, node, selection_parameters, workspace))
            visits(tree)[node] -= 1
            node = child
            step_down(tree, workspace, node)

    @compiled
    def select_leaves(tree, workspaces, selection_parameters, virtual_loss, counts):
        for index in range(workspaces.shape[0]):
            workspace = workspaces[index]
            descend(tree, workspace, selection_parameters)
            claim_leaf(tree, workspace)
            add_virtual_loss(tree, workspace, virtual_loss)
            _count(counts, workspace)
        for index in range(workspaces.shape[0] - 1, -1, -1):
            remove_virtual_loss(tree, workspaces[index])

    return select_leaves


@functools.cache
def _compose_wave(domain: DomainFunctions, policy: Compiled) -> Compiled:
    reset, undo, claim_leaf, step_down = domain.reset, domain.undo, _compose_claim_leaf(domain), _compose_step(domain)

    @compiled
    def split(tree, workspaces, start, selection_parameters):
        """Divide the group of descents that begins with `start` among the children of the node where it is."""
        workspace = workspaces[start]
        number = np.int64(workspace.num_tickets)
        node = np.int64(workspace.path[workspace.trace_length])
        children = children_of(tree, node)
        visits(tree)[node] += 1
        policy(tree, node, selection_parameters, workspace)
        visits(tree)[node] -= 1
        num_idle = distribute_tickets(tree, node, workspace, number)
        # the idle ones stay behind, at the end of the group
        for index in range(start + number - num_idle, start + number):
            workspaces[index].leaf_state = FREE
            workspaces[index].num_tickets = 0
            undo(workspaces[index])
        # the last child's descents go last, so that the tickets, kept with the first, are read before it moves on
        end = start + number - num_idle
        for offset in range(children.end - children.first - 1, -1, -1):
            tickets = np.int64(workspace.tickets[offset])
            if tickets > 0:
                for index in range(end - tickets, end):
                    step_down(tree, workspaces[index], children.first + offset)
                end -= tickets
                workspaces[end].num_tickets = tickets

    @compiled
    def select_leaves_in_wave(tree, workspaces, selection_parameters, virtual_loss, counts):
        number = workspaces.shape[0]
        for index in range(number):
            reset(workspaces[index])
            workspaces[index].path[0] = ROOT
            workspaces[index].trace_length = 0
            workspaces[index].num_tickets = 0
        workspaces[0].num_tickets = number
        index = 0
        while index < number:
            workspace = workspaces[index]
            group = np.int64(workspace.num_tickets)
            if group == 0:
                index += 1
                continue
            node = np.int64(workspace.path[workspace.trace_length])
            if first_children(tree)[node] > 0 and workspace.trace_length + 1 < workspace.path.shape[0]:
                split(tree, workspaces, index, selection_parameters)
                continue
            claim_leaf(tree, workspace)
            for follower in range(index + 1, index + group):
                workspaces[follower].leaf_state = FREE
                undo(workspaces[follower])
            index += group
        for index in range(number):
            _count(counts, workspaces[index])

    return select_leaves_in_wave


@functools.cache
def compose_batch_functions(
    domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule
) -> BatchFunctions:
    """Return the functions of batched search with these parts.

    Raises:
        ValueError: if the backup rule needs probabilities of win, draw and loss, and the domain has
            none.
    """
    expand, back_up = compose_steps(domain, selection, backup_rule)
    update_statistics = selection.update_statistics

    @compiled
    def expand_and_back_up(tree, workspaces, backup_parameters):
        done = np.int64(0)
        for index in range(workspaces.shape[0]):
            workspace = workspaces[index]
            if workspace.leaf_state == FREE:
                continue
            done += 1
            leaf = np.int64(workspace.path[workspace.leaf_depth])
            if first_children(tree)[leaf] == EXPANDING:
                expand(tree, leaf, workspace)
            for ply in range(workspace.leaf_depth + 1):
                visits(tree)[workspace.path[ply]] += 1
            back_up(tree, workspace, np.int64(workspace.leaf_depth), workspace.leaf_result, backup_parameters)
            update_statistics(tree, workspace, np.int64(workspace.leaf_depth), workspace.leaf_result)
        return done

    @compiled
    def expand_and_back_up_each(trees, addresses, lengths, example, backup_parameters, done, num_nodes):
        for index in range(trees.shape[0]):
            tree = _tree_at(trees[index])
            done[index] = expand_and_back_up(
                tree, workspaces_at(addresses[index], lengths[index], example), backup_parameters
            )
            num_nodes[index] = tree.num_nodes[0]

    wave = None if selection.policy is None else _compose_each(_compose_wave(domain, selection.policy))
    select_leaves = _compose_each(_compose_select_leaves(domain, selection.select))
    return BatchFunctions(select_leaves, wave, expand_and_back_up_each, _count_as_lost, _undo_losses)
