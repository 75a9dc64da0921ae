"""Root statistics as arrays, for programs that learn from them."""

from typing import NamedTuple

import numpy as np

from miai.engine.search.rule_declaration import SelectionRule
from miai.engine.search.search import Search
from miai.engine.search.tree import ROOT


class RootStatistics(NamedTuple):
    """The root and its moves. Values are from the view of the player to move there."""

    moves: np.ndarray
    """int16 [moves]: the domain's move numbers."""
    policy: np.ndarray
    """float64 [moves]: the improved policy; the probabilities sum to 1. See `improved_policy`."""
    priors: np.ndarray
    """float64 [moves]: the prior probabilities, which sum to 1."""
    value: float
    """Expected result, 0 to 1."""
    score: float
    """Expected score in points."""
    simulations: int
    """Done by this search."""


def improved_policy(search: Search, selection: SelectionRule) -> np.ndarray:
    """Return the improved policy at the root, for a network to learn, float64 [children].

    Fractions of the visits; under a rule that divides the visits of the root by another plan (`gumbel`) the policy that
    the rule itself computes, without the noise on its choice. The root must have children.
    """
    children = search.tree.children(ROOT)
    if not selection.ties_by_policy:
        visits = search.tree["visits"][children.start : children.stop].astype(np.float64)
        total = visits.sum()
        return np.asarray(visits / total if total > 0 else np.full(len(children), 1 / len(children)))
    kept = search.settings.selection
    if "noise" in kept._fields:
        search.settings.selection = kept._replace(noise=0.0)
    try:
        return search.policy(ROOT)
    finally:
        search.settings.selection = kept


def root_statistics(search: Search, selection: SelectionRule, simulations: int) -> RootStatistics:
    """Return what a search found; its root must have children."""
    tree = search.tree
    children = tree.children(ROOT)
    rows = slice(children.start, children.stop)
    priors = tree["prior"][rows].astype(np.float64)
    total = priors.sum()
    return RootStatistics(
        moves=tree["move"][rows].astype(np.int16),
        policy=improved_policy(search, selection),
        priors=priors / total if total > 0 else np.full(len(priors), 1 / len(priors)),
        value=1.0 - float(search.win_rates([ROOT])[0]),
        score=-float(tree["score"][ROOT]),
        simulations=simulations,
    )
