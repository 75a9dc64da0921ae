"""Selection rules: which child a simulation descends into.

A rule is `select(tree, node, params, workspace) -> child`. Children's values are from the view of the player who moves
at `node`, so no rule contains a minus for the other player. Ties fall to the first child.
"""

from miai.engine.search.selection.crazystone import CRAZYSTONE
from miai.engine.search.selection.dominance import DOMINANCE
from miai.engine.search.selection.esprit import ESPRIT, ESPRIT_STOCHASTIC
from miai.engine.search.selection.gumbel import GUMBEL
from miai.engine.search.selection.puct import PUCT, PUCT_POLICY, REGULARIZED_POLICY
from miai.engine.search.selection.rave import RAVE
from miai.engine.search.selection.uct import UCT

SELECTION_RULES = {
    rule.name: rule
    for rule in (
        *(UCT, RAVE, PUCT, PUCT_POLICY, REGULARIZED_POLICY, ESPRIT, ESPRIT_STOCHASTIC),
        *(CRAZYSTONE, DOMINANCE, GUMBEL),
    )
}
"""Every selection rule by its name."""
