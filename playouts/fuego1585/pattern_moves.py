"""The layers of 3x3 patterns of Fuego's revision 1585, around the last two moves."""

from miai.engine.jit import compiled
from miai.playouts.fuego1585.rules import is_playable, self_atari
from miai.playouts.pattern_moves import compose_patterns


@compiled
def level_at(workspace, code):
    """Return the level of a pattern's strength; 0 = no pattern of revision 1585."""
    return workspace.fuego_pattern_levels[code]


@compiled
def _strength_of(workspace, level):
    return workspace.fuego_strengths[level]


@compiled
def _is_allowed(board, point, color):
    """Tell whether a match is proposed: no self-atari, nor the place of a stone that was just played and taken."""
    if point == board.second_last_move or not is_playable(board, point, color):
        return False
    return not self_atari(board, point, color)


propose_patterns = compose_patterns(level_at, _strength_of, _is_allowed)
"""The layer `fuego_pattern` ignores the strengths, `fuego_biased_pattern` samples by them."""
