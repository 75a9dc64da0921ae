"""Selection rules: which child a simulation descends into.

A rule is `select(tree, node, params, work) -> child`. Children's values are from the view of the player who moves at
`node`, so no rule contains a minus for the other player. Ties fall to the first child.
"""

from engine.search.selection.crazystone import CRAZYSTONE
from engine.search.selection.dominance import DOMINANCE
from engine.search.selection.esprit import ESPRIT, ESPRIT_STOCHASTIC
from engine.search.selection.gumbel import GUMBEL
from engine.search.selection.puct import PUCT, PUCT_POLICY, REGULARIZED_POLICY
from engine.search.selection.rave import RAVE
from engine.search.selection.uct import UCT

SELECTION_RULES = {
    rule.name: rule
    for rule in (
        *(UCT, RAVE, PUCT, PUCT_POLICY, REGULARIZED_POLICY, ESPRIT, ESPRIT_STOCHASTIC),
        *(CRAZYSTONE, DOMINANCE, GUMBEL),
    )
}
"""Every selection rule by its name."""
