"""Prior knowledge of a move as pseudo-visits and a value, for rules that start with them, such as `rave`.

Matches that chose the weights: docs/notebook/2026-11-21-prior-knowledge.md.
"""

from miai.engine.jit import compiled

EVEN_WEIGHT = 4.0
"""Visits with an even result for every move."""
STRENGTH_WEIGHT = 10.0
"""Visits with result 1 for the strongest move, and less for the others by their relative strength."""


@compiled
def set_pseudo_visits(workspace, index, relative):
    """Write value and weight of a candidate from its strength relative to the strongest move's, 0 to 1."""
    workspace.candidate_value[index] = (0.5 * EVEN_WEIGHT + STRENGTH_WEIGHT * relative) / (
        EVEN_WEIGHT + STRENGTH_WEIGHT
    )
    workspace.candidate_weight[index] = EVEN_WEIGHT + STRENGTH_WEIGHT
