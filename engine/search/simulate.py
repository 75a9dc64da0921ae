"""The simulate loop: descend, expand, evaluate, back up. Knows no game and no formula.

It is composed once for each combination of a domain, a selection rule and a backup rule, all inlined. A workspace
(`workspace`, a record, one a thread) carries a simulation; its fields are those of
`miai.engine.search.workspace.workspace_fields` and the domain's own.
"""

import functools
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.intrinsics import atomic_add
from miai.engine.jit import Compiled, compiled
from miai.engine.search.parameters import Range
from miai.engine.search.rule_declaration import BackupRule, SelectionRule, init_no_columns
from miai.engine.search.tree import (
    ROOT,
    TERMINAL,
    UNEXPANDED,
    VALUE_COLUMNS,
    Column,
    allocate,
    claim_expansion,
    column,
    first_children,
    moves,
    publish_children,
    reset_node,
    results,
    scores,
    values,
    visits,
)

_OUTCOME = VALUE_COLUMNS[0].number


@compiled
def list_no_outcomes(workspace):
    """List nothing: for domains that know no win, draw and loss probabilities."""


@compiled
def list_no_threats(workspace):
    """Leave `candidate_threat` as it is."""


class DomainFunctions(NamedTuple):
    """The interface of a game to the search. All functions are compiled and work on the position in `workspace`."""

    reset: Compiled
    """`reset(workspace)`: go to the root position."""
    play: Compiled
    """`play(workspace, tree, node)`: go to the position of a child of the node where the simulation stands."""
    undo: Compiled
    """`undo(workspace)`: undo what `reset` and `play` left outside the position; called after each simulation."""
    is_over: Compiled
    """`is_over(workspace) -> bool`."""
    result: Compiled
    """`result(workspace) -> float`: of a game that is over, 0 to 1 for the player to move; sets `workspace.score`."""
    list_candidates: Compiled
    """`list_candidates(workspace)`: write `candidate_move`, `_prior`, `_value`, `_weight` and `num_candidates` (not
    0)."""
    evaluate: Compiled
    """`evaluate(workspace) -> float`: value of the position for the player to move; sets `score`, and extends
    `trace`."""
    columns: tuple[Column, ...] = ()
    """In which the domain remembers what it knows of nodes."""
    init_children: Compiled = init_no_columns
    """`init_children(tree, first, count, workspace)`: write those of new children."""
    list_outcomes: Compiled = list_no_outcomes
    """`list_outcomes(workspace)`: write `candidate_win` and `candidate_loss` of the candidates that were listed."""
    list_threats: Compiled = list_no_threats
    """`list_threats(workspace)`: write `candidate_threat` of the candidates that were listed."""


_PAYOFFS = Range(-1e6, 1e6)


class SearchParameters(NamedTuple):
    """What a search depends on, whatever its rules."""

    expand_at: Annotated[int, Range(1, 1_000_000), "visits at which a position gets children"] = 2
    stop_probability: Annotated[
        float,
        Range(0.0, 1.0),
        "search policy's probability below which all moves but one must fall to end the search; 0 = never",
    ] = 0.0
    win_payoff: Annotated[float, _PAYOFFS, "what a win is worth to the final-move rule payoff"] = 1.0
    draw_payoff: Annotated[float, _PAYOFFS, "what a draw is worth to it"] = 0.5
    loss_payoff: Annotated[float, _PAYOFFS, "what a loss is worth to it"] = 0.0


class Steps(NamedTuple):
    """The steps of a simulation that every way to run simulations has in common; all compiled."""

    expand: Compiled
    """`expand(tree, node, workspace)`: give a node that was claimed its children, from the candidates listed in
    `workspace`."""
    back_up: Compiled
    """`back_up(tree, workspace, depth, result, backup_parameters)`: carry the result, from the view of the player to
    move at the leaf, from `workspace.path[depth]` to the root."""


@compiled
def _value_of_result(workspace, result):
    return result


@compiled
def _value_of_score(workspace, result):
    return 0.5 + 0.5 * np.float64(workspace.score) / np.float64(workspace.point_scale)


@compiled
def _note_no_outcome(tree, node, result):
    """Leave the outcome to the value."""


@compiled
def _note_outcome(tree, node, result):
    outcome = column(tree, _OUTCOME)
    if results(tree)[node] <= 1:
        outcome[node] = np.float32(result)
    else:
        outcome[node] += (np.float32(result) - outcome[node]) / np.float32(results(tree)[node])


def columns_of(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> list[Column]:
    """Return the columns that a search of these parts needs, by number."""
    columns = {*domain.columns, *selection.columns, *backup_rule.columns}
    return sorted(columns, key=lambda column: column.number)


@functools.cache
def compose_steps(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> Steps:
    """Return the steps for these parts.

    Raises:
        ValueError: if the backup rule needs probabilities of win, draw and loss, and the domain has
            none.
    """
    list_outcomes, backup = domain.list_outcomes, backup_rule.backup
    if backup_rule.needs_outcomes:
        if list_outcomes is list_no_outcomes:
            raise ValueError(f"{backup_rule.name} needs win, draw and loss probabilities, which are not known here")
    else:
        list_outcomes = list_no_outcomes
    list_threats = domain.list_threats if selection.needs_threats else list_no_threats
    value_of = _value_of_score if selection.kind == "points" else _value_of_result
    note_outcome = _note_outcome if selection.kind == "points" else _note_no_outcome
    init_domain, init_selection, init_backup = domain.init_children, selection.init_children, backup_rule.init_children

    @compiled
    def expand(tree, node, workspace):
        count = workspace.num_candidates
        first = allocate(tree, count)
        if first == 0:
            first_children(tree)[node] = UNEXPANDED
            return
        list_outcomes(workspace)
        list_threats(workspace)
        for index in range(count):
            reset_node(tree, first + index, workspace.candidate_move[index], workspace.candidate_prior[index])
        init_domain(tree, first, count, workspace)
        init_selection(tree, first, count, workspace)
        init_backup(tree, first, count, workspace)
        publish_children(tree, node, first, count)

    @compiled
    def back_up(tree, workspace, depth, result, backup_parameters):
        score = workspace.score
        outcome = result
        workspace.result = value_of(workspace, result)
        for ply in range(depth, -1, -1):
            node = np.int64(workspace.path[ply])
            workspace.result = 1.0 - workspace.result
            outcome = 1.0 - outcome
            workspace.is_leaf = ply == depth
            score = -score
            if tree.results != tree.visits:
                results(tree)[node] += 1
            scores(tree)[node] += (score - scores(tree)[node]) / results(tree)[node]
            note_outcome(tree, node, outcome)
            values(tree)[node] = backup(tree, node, workspace, backup_parameters)

    return Steps(expand, back_up)


@functools.cache
def compose_simulations(domain: DomainFunctions, selection: SelectionRule, backup_rule: BackupRule) -> Compiled:
    """Return compiled `run(tree, workspace, parameters, selection_parameters, backup_parameters, budget) -> done`.

    It takes simulations from `budget`, int64 [1], shared by all threads, until none is left.
    """
    reset, play, undo = domain.reset, domain.play, domain.undo
    is_over, result_of, list_candidates, evaluate = (
        domain.is_over,
        domain.result,
        domain.list_candidates,
        domain.evaluate,
    )
    select, update_statistics = selection.select, selection.update_statistics
    expand, back_up = compose_steps(domain, selection, backup_rule)

    @compiled
    def descend(tree, workspace, parameters, selection_parameters):
        """Walk down to a leaf, or to a child of one that is given children; return its depth."""
        node = np.int64(ROOT)
        depth = np.int64(0)
        workspace.path[0] = ROOT
        workspace.trace_length = 0
        visits(tree)[ROOT] += 1
        has_expanded = False
        while depth + 1 < workspace.path.shape[0]:
            first = first_children(tree)[node]
            if first == UNEXPANDED:
                if is_over(workspace):
                    first_children(tree)[node] = TERMINAL
                    break
                if has_expanded or (visits(tree)[node] < parameters.expand_at and node != ROOT):
                    break
                if tree.num_nodes[0] >= tree.capacity or not claim_expansion(tree, node):
                    break
                list_candidates(workspace)
                expand(tree, node, workspace)
                has_expanded = True
                first = first_children(tree)[node]
            if first <= 0:
                break
            node = np.int64(select(tree, node, selection_parameters, workspace))
            visits(tree)[node] += 1
            play(workspace, tree, node)
            workspace.trace[depth] = moves(tree)[node]
            depth += 1
            workspace.trace_length = depth
            workspace.path[depth] = node
        return depth

    @compiled
    def run(tree, workspace, parameters, selection_parameters, backup_parameters, budget):
        done = 0
        while atomic_add(budget, 0, -1) > 0:
            reset(workspace)
            depth = descend(tree, workspace, parameters, selection_parameters)
            if first_children(tree)[workspace.path[depth]] == TERMINAL:
                result = result_of(workspace)
            else:
                result = evaluate(workspace)
            back_up(tree, workspace, depth, result, backup_parameters)
            update_statistics(tree, workspace, depth, result)
            undo(workspace)
            done += 1
        return done

    return run
