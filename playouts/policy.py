"""Policies: an ordered list of layers, of which the first that proposes a move decides, then the correctors.

The order is written once, in `LAYER_ORDER` and `CORRECTOR_ORDER`; a variant is a choice from them. After
Fernando & Müller 2013, "Analyzing simulations in Monte Carlo tree search for the game of Go", table 1, and
the program they used (Enzenberger et al. 2010). Where the paper is silent:

* `fuego` has `biased_pattern` and not `pattern`, which would never be asked behind it. `no_bp` puts the unweighted
  `pattern` in its place, `no_patt` has neither.
* `nakade` belongs to every variant of `fuego` and to no other: the paper's table neither switches it off nor adds it.
* `random` and the `only_…` variants have no corrector: "R + AtariCapture" is read as nothing else.
* Correctors apply to whatever layer decided, `random` too. In Fuego `false_eye_to_capture` skips the moves
  of `capture` and `random`, which makes a difference only where `capture` is switched off.

To add a subpolicy: write `propose(board, workspace) -> count` (see `playouts/capture.py`), put its name into
`miai.playouts.workspace.LAYERS` and its line into `LAYER_ORDER`.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from miai.engine.go.points import PASS
from miai.engine.jit import compiled
from miai.engine.random import random_below, random_unit
from miai.playouts.atari import propose_atari_capture, propose_atari_defense
from miai.playouts.capture import propose_capture
from miai.playouts.correctors import clump_correction, false_eye_to_capture, self_atari_correction
from miai.playouts.crazystone import CRAZYSTONE_LAYERS, choose_crazystone
from miai.playouts.low_liberties import propose_low_lib
from miai.playouts.nakade import propose_nakade
from miai.playouts.pattern_moves import propose_patterns
from miai.playouts.random_moves import propose_random, sample_random
from miai.playouts.workspace import LAYERS

Compiled = Callable[..., Any]


class Subpolicy(NamedTuple):
    """A layer: a compiled `propose(board, workspace) -> count` and how a move is drawn from what it proposes."""

    name: str
    propose: Compiled
    is_weighted: bool = False
    """Draw by `workspace.weights`, else uniformly."""
    sample: Compiled | None = None
    """A faster `sample(board, workspace) -> move` with the same distribution; PASS = nothing to propose."""


LAYER_ORDER = (
    Subpolicy("nakade", propose_nakade),
    Subpolicy("atari_capture", propose_atari_capture),
    Subpolicy("atari_defense", propose_atari_defense),
    Subpolicy("low_lib", propose_low_lib),
    Subpolicy("pattern", propose_patterns),
    Subpolicy("biased_pattern", propose_patterns, is_weighted=True),
    Subpolicy("capture", propose_capture),
    Subpolicy("random", propose_random, sample=sample_random),
)
"""All subpolicies, the first to be asked first. When none proposes a move, the policy passes."""

CORRECTOR_ORDER: dict[str, Compiled] = {
    "false_eye_to_capture": false_eye_to_capture,
    "self_atari_correction": self_atari_correction,
    "clump_correction": clump_correction,
}
"""All correctors `correct(board, move) -> move`, in the order in which they are applied."""

_ALL_LAYERS = tuple(layer.name for layer in LAYER_ORDER)
_CORRECTORS = tuple(CORRECTOR_ORDER)


def _without(*dropped: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    layers = tuple(name for name in _ALL_LAYERS if name not in dropped)
    return layers, tuple(name for name in _CORRECTORS if name not in dropped)


def _only(*added: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (*added, "random"), ()


_VARIANTS = {
    "fuego": _without("pattern"),
    "random": _only(),
    "no_ac": _without("pattern", "atari_capture"),
    "no_ad": _without("pattern", "atari_defense"),
    "no_bp": _without("biased_pattern"),
    "no_patt": _without("pattern", "biased_pattern"),
    "no_ll": _without("pattern", "low_lib"),
    "no_cap": _without("pattern", "capture"),
    "no_fe": _without("pattern", "false_eye_to_capture"),
    "only_ac": _only("atari_capture"),
    "only_ad": _only("atari_defense"),
    "only_bp": _only("biased_pattern"),
    "only_patt": _only("pattern"),
    "only_ll": _only("low_lib"),
    "only_cap": _only("capture"),
}

POLICIES = (*_VARIANTS, "crazystone")
"""The names of all policies."""


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


@compiled
def _sample_uniform(workspace, count):
    return np.int64(workspace.moves[random_below(workspace, count)])


@compiled
def _sample_weighted(workspace, count):
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
def _ask(index: int, propose: Compiled, sample: Compiled, rest: Compiled) -> Compiled:
    """Return `choose` that lets the layer number `index` decide, or else `rest`."""

    @compiled
    def choose(board, workspace):
        count = propose(board, workspace)
        if count > 0:
            workspace.layer_counts[index] += 1
            return sample(workspace, count)
        return rest(board, workspace)

    return choose


@functools.cache
def _ask_last(index: int, sample: Compiled) -> Compiled:
    """Return `choose` for a layer with a way to draw of its own that finds a move whenever there is one; else PASS."""
    passes = LAYERS.index("pass")

    @compiled
    def choose(board, workspace):
        move = sample(board, workspace)
        workspace.layer_counts[passes if move == PASS else index] += 1
        return move

    return choose


@functools.cache
def _correct(choose_first: Compiled, correct: Compiled) -> Compiled:
    """Return `choose` with one corrector behind it."""

    @compiled
    def choose(board, workspace):
        move = choose_first(board, workspace)
        if move == PASS:
            return move
        corrected = correct(board, move)
        workspace.correction_count += np.int64(corrected != move)
        return corrected

    return choose


def _compose(layers: tuple[str, ...], correctors: tuple[str, ...]) -> Compiled:
    by_name = {layer.name: layer for layer in LAYER_ORDER}
    last = by_name[layers[-1]]
    assert last.sample is not None, "the last layer finds a move whenever there is one"
    choose = _ask_last(LAYERS.index(last.name), last.sample)
    for name in reversed(layers[:-1]):
        sample = _sample_weighted if by_name[name].is_weighted else _sample_uniform
        choose = _ask(LAYERS.index(name), by_name[name].propose, sample, choose)
    for name in correctors:
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
        return Policy(name, CRAZYSTONE_LAYERS, (), choose_crazystone)
    layers, correctors = _VARIANTS[name]
    return Policy(name, layers, correctors, _compose(layers, correctors))
