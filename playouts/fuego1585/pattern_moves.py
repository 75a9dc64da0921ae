"""The layers of 3x3 patterns of Fuego's revision 1585, around the last two moves."""

import numpy as np

from miai.engine.go.points import EMPTY
from miai.engine.jit import compiled
from miai.playouts.fuego1585.rules import is_playable, self_atari
from miai.playouts.pattern_moves import compose_matches


@compiled
def level_at(workspace, code):
    """Return the level of a pattern's strength; 0 = no pattern of revision 1585."""
    return workspace.fuego_pattern_levels[code]


_append_matches = compose_matches(level_at)


@compiled
def propose_patterns(board, workspace):
    """Propose the moves around the last two moves that match a pattern, no self-atari.

    Writes the learned strengths into `workspace.weights`; the layer `fuego_pattern` ignores them,
    `fuego_biased_pattern` samples by them.
    """
    last = np.int64(board.last_move)
    if last <= 0 or board.color[last] == EMPTY:
        return np.int64(0)
    far = np.int64(-4096)  # touches nothing
    num_matches = _append_matches(board, workspace, last, far, np.int64(0))
    second_last = np.int64(board.second_last_move)
    if second_last > 0:
        num_matches = _append_matches(board, workspace, second_last, last, num_matches)
    color = np.int64(board.to_play)
    count = np.int64(0)
    for index in range(num_matches):
        point = np.int64(workspace.moves[index])
        if point != second_last and is_playable(board, point, color) and not self_atari(board, point, color):
            workspace.moves[count] = point
            workspace.weights[count] = workspace.fuego_strengths[workspace.levels[index]]
            count += 1
    return count
