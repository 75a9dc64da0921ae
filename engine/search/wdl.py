"""Win, draw and loss probabilities of nodes, for the player who moves at their parent.

Kept as logarithms of `1 − W` and of `L`: products over many children underflow, their sums do not.
"""

import math

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.tree import VALUE_COLUMNS, column

_NOT_WIN, _LOSS = (entry.number for entry in VALUE_COLUMNS[1:])

MIN_LOG = -700.0
"""Logarithm that stands for a probability of 0."""


@compiled
def log_not_win(tree, node):
    """Return `log(1 − W)`."""
    return np.float64(column(tree, _NOT_WIN)[node])


@compiled
def log_loss(tree, node):
    """Return `log L`."""
    return np.float64(column(tree, _LOSS)[node])


@compiled
def clamped_log(probability):
    """Return the logarithm of a probability, MIN_LOG for 0."""
    return max(MIN_LOG, math.log(probability)) if probability > 0.0 else MIN_LOG


@compiled
def log_complement(logarithm):
    """Return `log(1 − e^logarithm)`, MIN_LOG for `logarithm` = 0 (Mächler 2012, for its branches)."""
    if logarithm >= 0.0:
        return MIN_LOG
    if logarithm > -0.6931471805599453:
        return max(MIN_LOG, math.log(-math.expm1(logarithm)))
    return math.log1p(-math.exp(logarithm))


@compiled
def set_outcome(tree, node, not_win, loss):
    """Write a node's `log(1 − W)` and `log L`."""
    column(tree, _NOT_WIN)[node] = np.float32(max(MIN_LOG, not_win))
    column(tree, _LOSS)[node] = np.float32(max(MIN_LOG, loss))


@compiled
def expected_result(tree, node):
    """Return `W + D/2`."""
    return 0.5 * (2.0 - math.exp(log_not_win(tree, node)) - math.exp(log_loss(tree, node)))
