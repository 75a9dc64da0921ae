"""The simulate loop: descend, expand, evaluate, back up. Knows no game and no formula.

It is composed once for each combination of a domain, a selection rule and a backup rule, all inlined. A working
space (`work`, a record, one a thread) carries a simulation; its fields are those of
`miai.engine.search.rule_declaration.work_fields` and the domain's own.
"""

import functools
from typing import NamedTuple

import numpy as np

from miai.engine.intrinsics import atomic_add
from miai.engine.jit import compiled
from miai.engine.search.rule_declaration import BackupRule, Compiled, SelectionRule, leave_children
from miai.engine.search.tree import (
    ROOT,
    TERMINAL,
    UNEXPANDED,
    allocate,
    claim_expansion,
    column,
    column_number,
    first_children,
    moves,
    publish_children,
    reset_node,
    scores,
    values,
    visits,
)

_OUTCOME = column_number("outcome")


@compiled
def list_no_outcomes(work):
    """List nothing: for domains that know no chances of win, draw and loss."""


@compiled
def list_no_threats(work):
    """Leave `candidate_threat` as it is."""


class DomainFunctions(NamedTuple):
    """What the search asks of a game. All are compiled and work on the position in `work`."""

    begin: Compiled
    """`begin(work)`: go to the root position."""
    play: Compiled
    """`play(work, tree, node)`: go to the position of a child of the node where the simulation stands."""
    finish: Compiled
    """`finish(work)`: undo what `begin` and `play` left outside the position; called after each simulation."""
    is_over: Compiled
    """`is_over(work) -> bool`."""
    result: Compiled
    """`result(work) -> float`: of a game that is over, 0 to 1 for the player to move; sets `work.score`."""
    list_candidates: Compiled
    """`list_candidates(work)`: write `candidate_move`, `_prior`, `_value`, `_weight` and `num_candidates` (not 0)."""
    evaluate: Compiled
    """`evaluate(work) -> float`: value of the position for the player to move; sets `score`, and extends `trace`."""
    columns: tuple[str, ...] = ()
    """The `tree.RULE_COLUMNS` in which the domain remembers what it knows of nodes."""
    prepare: Compiled = leave_children
    """`prepare(tree, first, count, work)`: write those of new children."""
    list_outcomes: Compiled = list_no_outcomes
    """`list_outcomes(work)`: write `candidate_win` and `candidate_loss` of the candidates that were listed."""
    list_threats: Compiled = list_no_threats
    """`list_threats(work)`: write `candidate_threat` of the candidates that were listed."""


class SearchParameters(NamedTuple):
    """What the loop itself depends on."""

    expand_at: int = 2
    """Visits at which a node gets children."""

    stop_share: float = 0.0
    """Share, see `SelectionRule.shares`, below which all root moves but one must fall to end the search; 0 = never."""
    win_payoff: float = 1.0
    """What a win, a draw and a loss are worth to the final-move rule `payoff`."""
    draw_payoff: float = 0.5
    loss_payoff: float = 0.0


class Steps(NamedTuple):
    """The steps of a simulation that every way to run simulations has in common; all compiled."""

    expand: Compiled
    """`expand(tree, node, work)`: give a node that was claimed its children, from the candidates listed in `work`."""
    back_up: Compiled
    """`back_up(tree, work, depth, result, backup_parameters)`: carry the result, from the view of the player to move at
    the leaf, from `work.path[depth]` to the root."""


@compiled
def _keep_result(work, result):
    return result


@compiled
def _take_points(work, result):
    return 0.5 + 0.5 * np.float64(work.score) / np.float64(work.point_scale)


@compiled
def _note_nothing(tree, node, result):
    """Leave the outcome to the value."""


@compiled
def _note_outcome(tree, node, result):
    outcome = column(tree, _OUTCOME)
    if visits(tree)[node] <= 1:
        outcome[node] = np.float32(result)
    else:
        outcome[node] += (np.float32(result) - outcome[node]) / np.float32(visits(tree)[node])


def columns_of(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> list[str]:
    """Return the `tree.RULE_COLUMNS` that a search of these parts needs."""
    own = ["outcome"] if selection.kind == "points" else []
    return sorted({*domain.columns, *selection.columns, *backup_rule.columns, *own})


@functools.cache
def compose_steps(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> Steps:
    """Return the steps for these parts.

    Raises:
        ValueError: if the backup rule needs chances of win, draw and loss, and the domain has none.
    """
    list_outcomes, backup = domain.list_outcomes, backup_rule.backup
    if "wdl" in backup_rule.kinds:
        if list_outcomes is list_no_outcomes:
            raise ValueError(f"{backup_rule.name} needs chances of win, draw and loss, which are not known here")
    else:
        list_outcomes = list_no_outcomes
    list_threats = domain.list_threats if "threat" in selection.columns else list_no_threats
    value_of = _take_points if selection.kind == "points" else _keep_result
    note_outcome = _note_outcome if selection.kind == "points" else _note_nothing
    prepare_domain, prepare_selection, prepare_backup = domain.prepare, selection.prepare, backup_rule.prepare

    @compiled
    def expand(tree, node, work):
        count = work.num_candidates
        first = allocate(tree, count)
        if first == 0:
            first_children(tree)[node] = UNEXPANDED
            return
        list_outcomes(work)
        list_threats(work)
        for index in range(count):
            reset_node(tree, first + index, work.candidate_move[index], work.candidate_prior[index])
        prepare_domain(tree, first, count, work)
        prepare_selection(tree, first, count, work)
        prepare_backup(tree, first, count, work)
        publish_children(tree, node, first, count)

    @compiled
    def back_up(tree, work, depth, result, backup_parameters):
        score = work.score
        outcome = result
        work.result = value_of(work, result)
        for ply in range(depth, -1, -1):
            node = np.int64(work.path[ply])
            work.result = 1.0 - work.result
            outcome = 1.0 - outcome
            work.is_leaf = ply == depth
            score = -score
            scores(tree)[node] += (score - scores(tree)[node]) / visits(tree)[node]
            note_outcome(tree, node, outcome)
            values(tree)[node] = backup(tree, node, work, backup_parameters)

    return Steps(expand, back_up)


@functools.cache
def compose_simulations(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> Compiled:
    """Return compiled `run(tree, work, parameters, selection_parameters, backup_parameters, budget) -> done`.

    It takes simulations from `budget`, int64 [1], shared by all threads, until none is left.
    """
    begin, play, finish = domain.begin, domain.play, domain.finish
    is_over, result_of, list_candidates, evaluate = (
        domain.is_over,
        domain.result,
        domain.list_candidates,
        domain.evaluate,
    )
    select, learn = selection.select, selection.learn
    expand, back_up = compose_steps(domain, selection, backup_rule)

    @compiled
    def descend(tree, work, parameters, selection_parameters):
        """Walk down to a leaf, or to a child of one that is given children; return its depth."""
        node = np.int64(ROOT)
        depth = np.int64(0)
        work.path[0] = ROOT
        work.trace_length = 0
        visits(tree)[ROOT] += 1
        has_expanded = False
        while depth + 1 < work.path.shape[0]:
            first = first_children(tree)[node]
            if first == UNEXPANDED:
                if is_over(work):
                    first_children(tree)[node] = TERMINAL
                    break
                if has_expanded or (visits(tree)[node] < parameters.expand_at and node != ROOT):
                    break
                if tree.num_nodes[0] >= tree.capacity or not claim_expansion(tree, node):
                    break
                list_candidates(work)
                expand(tree, node, work)
                has_expanded = True
                first = first_children(tree)[node]
            if first <= 0:
                break
            node = np.int64(select(tree, node, selection_parameters, work))
            visits(tree)[node] += 1
            play(work, tree, node)
            work.trace[depth] = moves(tree)[node]
            depth += 1
            work.trace_length = depth
            work.path[depth] = node
        return depth

    @compiled
    def run(tree, work, parameters, selection_parameters, backup_parameters, budget):
        done = 0
        while atomic_add(budget, 0, -1) > 0:
            begin(work)
            depth = descend(tree, work, parameters, selection_parameters)
            if first_children(tree)[work.path[depth]] == TERMINAL:
                result = result_of(work)
            else:
                result = evaluate(work)
            back_up(tree, work, depth, result, backup_parameters)
            learn(tree, work, depth, result)
            finish(work)
            done += 1
        return done

    return run
