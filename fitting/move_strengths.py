"""Strengths of the features that the search's prior knowledge is made of, from games.

Every move of the games, or the best one by a teacher, won a competition against all other legal moves but those that
fill an own eye; see
`miai.playouts.move_features` for the features and `miai.fitting.bradley_terry` for the model. The first moves of a
game can be left out, because openings generated for a match are nobody's choice.
"""

from collections.abc import Iterable

import numpy as np

from miai.fitting.bradley_terry import Competitions
from miai.playouts.move_features import FEATURES, GROUPS, NO_SHAPE, list_featured_moves
from miai.playouts.patterns import canonical_codes, code_text
from miai.playouts.workspace import new_playout_workspace


def competitions_of_game(
    positions: Iterable[tuple[np.void, int | None]], size: int, skip: int
) -> list[tuple[np.ndarray, int]]:
    """Return each competition in a game: int32 [candidates, 1 + groups], the code first, and who won.

    Args:
        positions: boards, each with the move that won there; None = nobody knows.
        size: of the boards.
        skip: how many of them are left out.
    """
    found = []
    workspace = new_playout_workspace(size)[0]
    rows = size**2 + 1
    codes, moves = np.zeros(rows, dtype=np.int32), np.zeros(rows, dtype=np.int64)
    teams = np.zeros((rows, len(GROUPS)), dtype=np.int32)
    for number, (board, move) in enumerate(positions):
        if number < skip or move is None:
            continue
        count = list_featured_moves(board, workspace, moves, codes, teams)
        played = np.flatnonzero(moves[:count] == move)
        if count >= 2 and len(played):
            found.append((np.column_stack([codes[:count], teams[:count]]), int(played[0])))
    return found


def with_shapes_numbered(games: Competitions, forms: np.ndarray) -> Competitions:
    """Replace the codes in the first column by members behind the features: places in `forms` + len(FEATURES).

    Shapes that are not among `forms` are nobody.
    """
    codes = games.teams[:, 0].astype(np.int64)
    canonical = np.where(codes == NO_SHAPE, NO_SHAPE, canonical_codes(np.maximum(codes, 0)))
    place = np.minimum(np.searchsorted(forms, canonical), len(forms) - 1)
    members = np.where(forms[place] == canonical, len(FEATURES) + place, 0)
    return Competitions(np.column_stack([members, games.teams[:, 1:]]).astype(np.int32), games.starts, games.winners)


def shapes_in(games: Competitions, min_count: int) -> np.ndarray:
    """Return, ascending, the canonical codes seen at least so often."""
    codes = games.teams[:, 0].astype(np.int64)
    forms, counts = np.unique(canonical_codes(codes[codes != NO_SHAPE]), return_counts=True)
    return np.asarray(forms[counts >= min_count])


def table_rows(forms: np.ndarray, strengths: np.ndarray, counts: np.ndarray) -> list[str]:
    """Return the lines of the table that `playouts/move_features.py` reads; features never seen are left out."""
    rows = [
        f"{name} {strengths[index]:.4g} {counts[index]}"
        for index, name in enumerate(FEATURES)
        if index and counts[index]
    ]
    for place, form in enumerate(forms.tolist()):
        index = len(FEATURES) + place
        rows.append(f"shape {form} {strengths[index]:.4g} {counts[index]} {code_text(form)}")
    return rows
