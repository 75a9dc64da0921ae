"""How strong each 3x3 shape of the playouts is, from games.

The model is the one that the layer `biased_pattern` draws by. Wherever a game move, or a teacher's best one, was one of
two or more moves that the layer would have proposed, and no earlier layer of the policy `fuego` had anything to say,
that move won a competition: with probability strength / sum of the strengths of all proposed moves
(`miai.fitting.bradley_terry` with teams of one). Moves outside the layer's set are no competitions, because there the
layer has no say. Turned and mirrored forms of a shape are one shape.
"""

from collections.abc import Iterable

import numpy as np

from miai.playouts.pattern_moves import propose_patterns
from miai.playouts.patterns import canonical_codes, code_text, pattern_code
from miai.playouts.policy import LAYER_ORDER
from miai.playouts.workspace import new_playout_workspace

_EARLIER = tuple(layer.propose for layer in LAYER_ORDER[: [layer.name for layer in LAYER_ORDER].index("pattern")])


def competitions_of_game(
    positions: Iterable[tuple[np.void, int | None]], size: int, forms: np.ndarray
) -> list[tuple[np.ndarray, int]]:
    """Return each competition in a game: the candidates' shapes, one by one as places in `forms` + 1, and who won.

    Args:
        positions: boards, each with the move that won there; None = nobody knows.
        size: of the boards.
        forms: the canonical codes, ascending.
    """
    found = []
    workspace = new_playout_workspace(size)[0]
    for board, move in positions:
        if move is not None and not any(propose(board, workspace) for propose in _EARLIER):
            count = propose_patterns(board, workspace)
            candidates = workspace["moves"][:count].tolist()
            if count >= 2 and move in candidates:
                codes = np.array([pattern_code(board, candidate) for candidate in candidates])
                shapes = 1 + np.searchsorted(forms, canonical_codes(codes))
                found.append((shapes[:, None], candidates.index(move)))
    return found


def table_rows(forms: np.ndarray, strengths: np.ndarray, counts: np.ndarray) -> list[str]:
    """Return the lines of the table that `playouts/patterns.py` reads; shapes never seen are left out: they count 1."""
    return [
        f"{form} {strength:.4g} {count} {code_text(form)}"
        for form, strength, count in zip(forms.tolist(), strengths, counts.tolist(), strict=True)
        if count
    ]
