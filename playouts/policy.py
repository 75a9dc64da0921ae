"""Policies: an ordered list of layers, of which the first that proposes a move decides, then the correctors.

`miai.playouts.layer_order` holds the order and the named policies; here they are composed into compiled code.
"""

import functools
import importlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miai.engine.go.points import PASS
from miai.engine.jit import Compiled, compiled
from miai.engine.random import random_below, random_unit
from miai.playouts.crazystone import choose_crazystone
from miai.playouts.layer_order import CORRECTORS, FUEGO_CORRECTORS, FUEGO_LAYERS, LAYERS, POLICIES, VARIANTS


class Subpolicy(NamedTuple):
    """A layer: a compiled `propose(board, workspace) -> count` and how a move is sampled from what it proposes."""

    name: str
    propose: Compiled
    is_weighted: bool = False
    """Draw by `workspace.weights`, else uniformly."""
    sample: Compiled | None = None
    """A faster `sample(board, workspace) -> move` with the same distribution; PASS = nothing to propose."""
    sample_in_playout: Compiled | None = None
    """What takes its place in a playout, where a move depends on those before."""


def _load(reference: str) -> Compiled:
    """Return the compiled function that a line of the order names as `module:function`."""
    module, _, function = reference.partition(":")
    return getattr(importlib.import_module(f"miai.playouts.{module}"), function)


LAYER_ORDER = tuple(
    Subpolicy(
        line.name,
        _load(line.propose),
        line.is_weighted,
        _load(line.sample) if line.sample else None,
        _load(line.sample_in_playout) if line.sample_in_playout else None,
    )
    for line in (*LAYERS, *FUEGO_LAYERS)
)
"""All subpolicies, the first to be asked first; then those of Fuego's revision 1585."""

CORRECTOR_ORDER = {line.name: _load(line.correct) for line in (*CORRECTORS, *FUEGO_CORRECTORS)}
"""All correctors, in the order in which they are applied; then those of Fuego's revision 1585."""

_SPARED = {line.name: line.spares for line in (*CORRECTORS, *FUEGO_CORRECTORS)}


@dataclass(frozen=True)
class Policy:
    """A named playout policy."""

    name: str
    layers: tuple[str, ...]
    """In the order in which they are asked."""
    correctors: tuple[str, ...]
    """In the order in which they are applied."""
    choose: Compiled
    """Compiled `choose(board, workspace) -> move`: draw a move for the player to move; PASS if there is none."""
    choose_in_playout: Compiled
    """The same for one move after another of a playout, which `begin_list(workspace)` begins."""


@compiled
def sample_uniform(workspace, count):
    """Return one of the first `count` moves proposed, all alike."""
    return np.int64(workspace.moves[random_below(workspace, count)])


@compiled
def sample_weighted(workspace, count):
    """Return one of the first `count` moves proposed, by `workspace.weights`."""
    total = 0.0
    for index in range(count):
        total += workspace.weights[index]
    target = random_unit(workspace) * total
    index = np.int64(0)
    target -= workspace.weights[0]
    while target >= 0.0 and index < count - 1:
        index += 1
        target -= workspace.weights[index]
    return np.int64(workspace.moves[index])


@functools.cache
def _try_layer(propose: Compiled, sample: Compiled, correct: Compiled, rest: Compiled) -> Compiled:
    """Return `choose` that lets a layer decide, with its own corrector behind it, or else `rest`."""

    @compiled
    def choose(board, workspace):
        count = propose(board, workspace)
        if count > 0:
            return correct(board, sample(workspace, count))
        return rest(board, workspace)

    return choose


@functools.cache
def _correct(choose_first: Compiled, correct: Compiled) -> Compiled:
    """Return `choose` with one corrector behind it."""

    @compiled
    def choose(board, workspace):
        move = choose_first(board, workspace)
        if move == PASS:
            return move
        return correct(board, move)

    return choose


@compiled
def keep(board, move):
    """Return the move: no corrector."""
    return move


@functools.cache
def _correct_then(first: Compiled, then: Compiled) -> Compiled:
    @compiled
    def correct(board, move):
        return then(board, first(board, move))

    return correct


def make_corrector(names: tuple[str, ...]) -> Compiled:
    """Return compiled `correct(board, move) -> move`: the correctors one after another; the move is no pass."""
    correct = keep
    for name in names:
        correct = _correct_then(correct, CORRECTOR_ORDER[name])
    return correct


def correctors_of_layer(layer: str, correctors: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of a policy's correctors, in their order, that do not leave a layer's moves alone."""
    return tuple(name for name in correctors if layer not in _SPARED[name])


def _compose(layers: tuple[str, ...], correctors: tuple[str, ...], in_playout: bool) -> Compiled:
    by_name = {layer.name: layer for layer in LAYER_ORDER}
    last = by_name[layers[-1]]
    choose = (last.sample_in_playout if in_playout else None) or last.sample
    assert choose is not None, "the last layer finds a move whenever there is one"
    for_all = tuple(name for name in correctors if not _SPARED[name])
    for name in reversed(layers[:-1]):
        sample = sample_weighted if by_name[name].is_weighted else sample_uniform
        own = tuple(one for one in correctors_of_layer(name, correctors) if one not in for_all)
        choose = _try_layer(by_name[name].propose, sample, make_corrector(own), choose)
    for name in for_all:
        choose = _correct(choose, CORRECTOR_ORDER[name])
    return choose


@functools.cache
def make_policy(name: str) -> Policy:
    """Return the policy of this name; compiled code is shared between policies wherever it can be.

    Raises:
        ValueError: if there is none, listing the names there are.
    """
    if name not in POLICIES:
        raise ValueError(f"unknown policy {name!r}: allowed are {', '.join(POLICIES)}")
    if name == "crazystone":
        return Policy(name, ("crazystone",), (), choose_crazystone, choose_crazystone)
    layers, correctors = VARIANTS[name]
    choose, choose_in_playout = (_compose(layers, correctors, in_playout) for in_playout in (False, True))
    return Policy(name, layers, correctors, choose, choose_in_playout)
