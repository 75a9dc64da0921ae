"""Openings: short, distinct sequences of moves from which both sides play once with each colour.

Both sides play both colours, but an opening that decides the game carries no information and pulls every match towards
50 %. So generated stones stand on the third line or further in (the second below 8x8) and touch nothing, and a judge
such as `miai.match.opening_evaluation.OpeningEvaluator` can turn openings down.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from miai.engine.go.points import BLACK, PASS, WHITE, Location, all_points, location_of, opponent, point_at
from miai.engine.go.rules import Rules
from miai.engine.go.sgf import SgfError, load_game

Opening = tuple[int, ...]
"""Moves in turn, Black first."""

_ATTEMPTS = 5_000
"""Random sequences tried in vain before openings count as exhausted."""
_MAX_UNFAIR = 300
"""Distinct openings turned down in a row before fair ones count as too rare to be looked for."""


class OpeningError(ValueError):
    """Openings that cannot be had; the text tells what is possible."""


def read_plies(text: str) -> tuple[int, int] | None:
    """Return the fewest and the most moves that a text such as `4` or `2-4` means; None for another text."""
    found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text)
    if found is None:
        return None
    fewest, most = int(found[1]), int(found[2] or found[1])
    return (fewest, most) if 1 <= fewest <= most else None


def canonical_position(opening: Sequence[int], size: int) -> tuple[tuple[int, int], ...]:
    """Return the stones of an opening without captures, the same for all orders of moves and all 8 symmetries."""
    stones = []
    color = BLACK
    for move in opening:
        if move != PASS:
            stones.append((location_of(move, size), color))
        color = opponent(color)
    variants = []
    for symmetry in range(8):
        turned = [(point_at(*_turn(location, symmetry, size), size), color) for location, color in stones]
        variants.append((*sorted(turned), (len(opening) % 2, 0)))
    return min(variants)


def _turn(location: Location, symmetry: int, size: int) -> Location:
    row, column = location
    if symmetry & 1:
        row = size - 1 - row
    if symmetry & 2:
        column = size - 1 - column
    return Location(column, row) if symmetry & 4 else Location(row, column)


def generate_openings(
    count: int,
    size: int,
    plies: tuple[int, int],
    seed: int,
    is_fair: Callable[[Opening], bool] | None = None,
) -> list[Opening]:
    """Draw `count` openings of `plies` (fewest, most) moves; no two are alike up to symmetry or order of moves.

    The first openings of a longer list are those of a shorter one, so that a match can be made longer.

    Args:
        is_fair: turns openings down; called once for each distinct one, in the order of drawing.

    Raises:
        OpeningError: if there are not as many.
    """
    stream = random.Random(f"miai match openings {size} {plies[0]} {plies[1]} {seed}")
    edge = 2 if size >= 8 else 1 if size >= 5 else 0
    inner = range(edge, size - edge)
    sensible = [point for point in all_points(size) if all(line in inner for line in location_of(point, size))]
    seen: set[tuple[tuple[int, int], ...]] = set()
    openings: list[Opening] = []
    failures = unfair = 0
    while len(openings) < count:
        if failures > _ATTEMPTS or unfair > _MAX_UNFAIR:
            raise OpeningError(
                f"found only {len(openings)} {'distinct' if len(seen) == len(openings) else 'fair'} openings of "
                f"{_describe_plies(plies)} on {size}x{size}, where {count} are needed: allow more plies"
                + (", or any opening with --opening-window 0 1" if len(seen) > len(openings) else "")
                + (f", or play at most {2 * len(openings)} games" if openings else "")
            )
        opening = _sample_opening(stream, sensible, stream.randint(*plies), size)
        key = canonical_position(opening, size) if opening else None
        if key is None or key in seen:
            failures += 1
            continue
        failures = 0
        seen.add(key)
        if is_fair is not None and not is_fair(opening):
            unfair += 1
            continue
        unfair = 0
        openings.append(opening)
    return openings


def load_openings(paths: Iterable[Path], size: int, rules: Rules, max_plies: int | None = None) -> list[Opening]:
    """Read an opening from the main line of each SGF file, up to `max_plies` moves, by the rules of the match.

    Raises:
        OpeningError: if a file cannot be read or is illegal by these rules, begins otherwise than on an empty board
            with Black to play, ends the game, or leads to the same position as another one.
    """
    openings = []
    seen: dict[object, Path] = {}
    for path in paths:
        try:
            game, _ = load_game(path, None if max_plies is None else max_plies + 1, rules)
        except SgfError as error:
            raise OpeningError(f"{path}: {error}") from None
        if game.size != size:
            raise OpeningError(f"{path} is a game on {game.size}x{game.size}, and the match is on {size}x{size}")
        colors = [color for color, _ in game.moves]
        if game.setup_stones or colors != [(BLACK, WHITE)[index % 2] for index in range(len(colors))]:
            raise OpeningError(f"{path}: an opening begins on an empty board, and Black and White take turns")
        if game.is_over or not game.moves:
            raise OpeningError(f"{path}: an opening has at least one move and leaves the game open")
        opening = tuple(move for _, move in game.moves)
        key = canonical_position(opening, size)
        if key in seen:
            raise OpeningError(f"{path} is the same opening as {seen[key]}")
        seen[key] = path
        openings.append(opening)
    return openings


def _sample_opening(stream: random.Random, sensible: Sequence[int], plies: int, size: int) -> Opening:
    """Draw a sequence of stones that do not touch; empty if there was no room for all of them."""
    free = list(sensible)
    opening = []
    for _ in range(plies):
        if not free:
            return ()
        point = stream.choice(free)
        opening.append(point)
        free = [other for other in free if _distance(other, point, size) > 1]
    return tuple(opening)


def _distance(point: int, other: int, size: int) -> int:
    (row, column), (other_row, other_column) = location_of(point, size), location_of(other, size)
    return abs(row - other_row) + abs(column - other_column)


def _describe_plies(plies: tuple[int, int]) -> str:
    count = f"{plies[0]} ply" if plies[1] == 1 else f"{plies[0]} plies"
    return count if plies[0] == plies[1] else f"{plies[0]} to {plies[1]} plies"
