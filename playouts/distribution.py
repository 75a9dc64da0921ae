"""The exact distribution of a policy over the moves of a position."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from miai.engine.go.board import board_size
from miai.engine.go.points import PASS
from miai.playouts.crazystone import propose_candidates, puts_block_in_atari, replace_useless
from miai.playouts.policy import CORRECTOR_ORDER, LAYER_ORDER, Policy
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
    proposal = propose(policy, board)
    result = np.zeros(len(board["color"]))
    for move, probability in zip(proposal.moves, proposal.probabilities, strict=True):
        result[_correct(policy, board, move)] += probability
    return result


def _correct(policy: Policy, board: np.void, move: int) -> int:
    if move == PASS:
        return PASS
    if policy.name == "crazystone":
        return int(replace_useless(board, move))
    for name in policy.correctors:
        move = int(CORRECTOR_ORDER[name](board, move))
    return move


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
