"""The 3x3 patterns of Fuego's revision 1585, in the notation of `miai.playouts.patterns`.

They are MoGo's (Gelly et al. 2006, section 3.2) as `GoUctPatterns` reads them. Patterns of the centre match no point at
the edge, and none matches a corner.
"""

import functools

import numpy as np

from miai.engine.go.points import BORDER
from miai.playouts.patterns import PatternTable, Shape, codes_of_shape, learned_strengths, make_table

CENTER = (
    Shape("hane: enclosing the head of a stone", "XOX .*. ???"),
    Shape("hane: around the head, no cutting stone near", "XO. .*. ?.?"),
    Shape("hane: thin, against two stones in a row", "XOO .*. ?.?", "X"),
    Shape("hane: turning beside the own stone", "XO? X*. ?.?"),
    Shape("cut: crosswise, not protected", "XO? O*o ?o?"),
    Shape("cut: crosswise, with a peep", "XO? O*X ???"),
    Shape("cut: crosswise, closed", "XO? O*O ?O?"),
    Shape("cut: pushing in between two stones", "?X? O*O ooo"),
)
EDGE = (
    Shape("chase along the side", "X.? O*? ###"),
    Shape("stop a stone that crawls", "?X? x*O ###"),
    Shape("descend from the own stone", "?XO ?*? ###", "X"),
    Shape("hane under a stone", "?OX ?*o ###", "X"),
    Shape("throw in", "?OX X*O ###", "X"),
)


@functools.cache
def matched_codes() -> np.ndarray:
    """Return, ascending, the codes that some pattern matches for the player to move (= BLACK)."""

    def codes_of(shapes: tuple[Shape, ...], num_border: int) -> np.ndarray:
        codes = np.concatenate([codes_of_shape(shape) for shape in shapes])
        beyond = sum(((codes >> 2 * place) & 3) == BORDER for place in range(9))
        return codes[beyond == num_border]

    return np.unique(np.concatenate([codes_of(CENTER, 0), codes_of(EDGE, 3)]))


@functools.cache
def pattern_table() -> PatternTable:
    """Return the table of these patterns, with the learned strengths that come with the program."""
    return make_table(learned_strengths(), matched_codes())
