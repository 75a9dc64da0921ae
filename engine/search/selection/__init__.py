"""Selection rules: which child a simulation descends into.

A rule is `select(tree, node, params, workspace) -> child`. Children's values are from the view of the player who moves
at `node`, so no rule contains a minus for the other player. Ties fall to the first child.
"""

from miai.engine.search.rule_declaration import RegisteredRules, SelectionRule
from miai.engine.search.rule_names import SELECTION_MODULES

SELECTION_RULES = RegisteredRules(SelectionRule, __name__, SELECTION_MODULES)
"""Every built-in selection rule by its name."""
