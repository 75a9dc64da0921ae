"""Backup rules: how a node's value follows from the results below it.

A rule is `backup(tree, node, result, params) -> value`. `result` is the simulation's, 0 to 1, from the view of the
player who moves at the node's parent, as the value is; the node's visits count this simulation already.
"""

from typing import NamedTuple

from engine.jit import compiled
from engine.search.rules import BackupRule
from engine.search.tree import values, visits


class NoParameters(NamedTuple):
    """A rule without parameters."""

    unused: int = 0


@compiled
def back_up_mean(tree, node, result, params):
    """Return the average of all results at or below the node."""
    value = values(tree)[node]
    return value + (result - value) / visits(tree)[node]


MEAN = BackupRule("mean", back_up_mean, NoParameters(), (), "Coulom 2006; Kocsis & Szepesvári 2006")

BACKUP_RULES = {rule.name: rule for rule in (MEAN,)}
"""Every backup rule by its name."""
