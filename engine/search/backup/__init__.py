"""Backup rules: compute a node's value from the results below it.

A rule is `backup(tree, node, workspace, params) -> value`. `workspace.result` is the simulation's, 0 to 1, from the
view of the player who moves at the node's parent, as the value is; the node's visits and results count this simulation
already, the visits those of other threads under way too. Children's values are from the other player's view.
"""

from miai.engine.search.rule_declaration import BackupRule, RegisteredRules
from miai.engine.search.rule_names import BACKUP_MODULES

BACKUP_RULES = RegisteredRules(BackupRule, __name__, BACKUP_MODULES)
"""Every built-in backup rule by its name."""
