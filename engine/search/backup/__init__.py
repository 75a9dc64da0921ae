"""Backup rules: how a node's value follows from the results below it.

A rule is `backup(tree, node, workspace, params) -> value`. `workspace.result` is the simulation's, 0 to 1, from the
view of the player who moves at the node's parent, as the value is; the node's visits count this simulation already.
Children's values are from the other player's view.
"""

from miai.engine.search.backup.best_child import MAX, MAXMCTS, ROBUST_MAX
from miai.engine.search.backup.mean import MEAN
from miai.engine.search.backup.mix import MIX
from miai.engine.search.backup.wdl import WDL_PRODUCT
from miai.engine.search.backup.weighted import WEIGHTED_RULES

BACKUP_RULES = {rule.name: rule for rule in (MEAN, MAX, ROBUST_MAX, MIX, *WEIGHTED_RULES, MAXMCTS, WDL_PRODUCT)}
"""Every backup rule by its name."""
