"""The exact distribution of a policy over the moves of a position."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from miai.engine.go.board import board_size
from miai.engine.go.points import PASS
from miai.engine.jit import Compiled, compiled
from miai.playouts.crazystone import propose_candidates, puts_block_in_atari, replace_useless
from miai.playouts.layer_order import VARIANTS
from miai.playouts.policy import LAYER_ORDER, Policy, correctors_of_layer, make_corrector, make_policy
from miai.playouts.workspace import new_playout_workspace

_LAYERS_BY_NAME = {layer.name: layer for layer in LAYER_ORDER}


class Proposal(NamedTuple):
    """What the layer that decides proposes, before correctors."""

    layer: str
    moves: list[int]
    probabilities: np.ndarray
    """float64, beside `moves`."""


@functools.cache
def _workspace(size: int) -> np.ndarray:
    return new_playout_workspace(size)


def propose(policy: Policy, board: np.void) -> Proposal:
    """Return the layer of a policy that decides in a position and the probabilities it gives to its moves."""
    if policy.name == "crazystone":
        return _propose_crazystone(board)
    workspace = _workspace(board_size(board))[0]
    for name in policy.layers:
        layer = _LAYERS_BY_NAME[name]
        count = layer.propose(board, workspace)
        if count > 0:
            weights = workspace["weights"][:count].astype(np.float64) if layer.is_weighted else np.ones(count)
            return Proposal(name, workspace["moves"][:count].tolist(), weights / weights.sum())
    return Proposal("pass", [PASS], np.ones(1))


def distribution(policy: Policy, board: np.void) -> np.ndarray:
    """Return the probability of each move under a policy, float64 [indices], PASS at its own index.

    The board stays as it is.
    """
    result = np.zeros(len(board["color"]))
    if policy.name != "crazystone":
        make_distribution(policy.name)(board, _workspace(board_size(board))[0], result)
        return result
    proposal = propose(policy, board)
    for move, probability in zip(proposal.moves, proposal.probabilities, strict=True):
        result[PASS if move == PASS else int(replace_useless(board, move))] += probability
    return result


@functools.cache
def make_distribution(policy_name: str) -> Compiled:
    """Return compiled `fill(board, workspace, probabilities)` of a layered policy.

    It writes what `distribution` returns to `probabilities`, float64 [indices]; the board stays as it is. Layers and
    correctors are those of the policy's `choose`, in the same order.

    Raises:
        ValueError: if there is no such policy, or it has no layers (`crazystone`).
    """
    policy = make_policy(policy_name)
    if policy.name not in VARIANTS:
        raise ValueError(f"policy {policy_name!r} has no layers (allowed: {', '.join(VARIANTS)})")
    collect = _collect_pass
    for name in reversed(policy.layers):
        layer = _LAYERS_BY_NAME[name]
        weigh = _weigh_by_strength if layer.is_weighted else _weigh_evenly
        correct = make_corrector(correctors_of_layer(name, policy.correctors))
        collect = _collect_first(layer.propose, weigh, correct, collect)
    return _compose_distribution(collect)


@compiled
def _collect_pass(board, workspace):
    workspace.moves[0] = PASS
    workspace.weights[0] = 1.0
    return np.int64(1)


@compiled
def _weigh_evenly(workspace, count):
    for index in range(count):
        workspace.weights[index] = 1.0


@compiled
def _weigh_by_strength(workspace, count):
    """Leave the weights that the layer wrote."""


@functools.cache
def _collect_first(propose_moves: Compiled, weigh: Compiled, correct: Compiled, rest: Compiled) -> Compiled:
    """Return `collect(board, workspace) -> count`, which leaves the moves and weights of the first layer with any.

    The moves are corrected, so one may be there twice.
    """

    @compiled
    def collect(board, workspace):
        count = propose_moves(board, workspace)
        if count > 0:
            weigh(workspace, count)
            for index in range(count):
                workspace.moves[index] = correct(board, np.int64(workspace.moves[index]))
            return count
        return rest(board, workspace)

    return collect


@functools.cache
def _compose_distribution(collect: Compiled) -> Compiled:
    @compiled
    def fill(board, workspace, probabilities):
        probabilities[:] = 0.0
        count = collect(board, workspace)
        total = 0.0
        for index in range(count):
            total += workspace.weights[index]
        for index in range(count):
            probabilities[np.int64(workspace.moves[index])] += workspace.weights[index] / total

    return fill


def _propose_crazystone(board: np.void) -> Proposal:
    """Return what Crazy Stone draws, after repeated draws and before the replacement of useless moves."""
    workspace = _workspace(board_size(board))[0]
    count = propose_candidates(board, workspace)
    if count == 0:
        return Proposal("pass", [PASS], np.ones(1))
    moves = workspace["moves"][:count].tolist()
    urgencies = workspace["weights"][:count].astype(np.float64)
    color = int(board["to_play"])
    lowered = [
        index
        for index, move in enumerate(moves)
        if urgencies[index] >= 1000 and puts_block_in_atari(board, move, color)
    ]
    return Proposal("crazystone", moves, _after_repeats(urgencies, lowered))


def _after_repeats(urgencies: np.ndarray, lowered: list[int]) -> np.ndarray:
    """Return the probabilities of moves sampled by urgency, if the first choice of one in `lowered` only sets it to 1.

    The set of moves lowered so far is the state of a Markov chain without cycles; follow all its paths.
    """

    @functools.cache
    def from_state(state: frozenset[int]) -> tuple[float, ...]:
        current = urgencies.copy()
        current[list(state)] = 1.0
        probabilities = current / current.sum()
        again = [index for index in lowered if index not in state]
        result = probabilities.copy()
        result[again] = 0.0
        for index in again:
            result += probabilities[index] * np.array(from_state(state | {index}))
        return tuple(result)

    start: Callable[[frozenset[int]], tuple[float, ...]] = from_state
    return np.array(start(frozenset()))
