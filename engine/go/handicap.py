"""Where handicap stones go. Black's stones only, in the order of their importance."""

from miai.engine.go.points import location_of, point_at

_SMALLEST_FIXED = 7


def _max_fixed(size: int) -> int:
    """Return how many stones have a fixed place (GTP 2, section 4.1.1)."""
    if size < _SMALLEST_FIXED:
        return 0
    return 9 if size % 2 == 1 and size >= 9 else 4


def fixed_handicap_points(size: int, stones: int) -> list[int]:
    """Return the points of a fixed handicap (GTP 2, section 4.1.1).

    The stones stand on the third line, from size 13 on the fourth: 2 in opposite corners, 4 in all;
    on odd sizes from 9 on also in the middle of the sides and the centre, the centre only for odd numbers above 4.

    Raises:
        ValueError: if there is no such handicap; the text names the allowed numbers.
    """
    most = _max_fixed(size)
    if most == 0:
        raise ValueError(f"no fixed handicap on size {size}: sizes from {_SMALLEST_FIXED} have one")
    if not 2 <= stones <= most:
        raise ValueError(f"no fixed handicap of {stones} on size {size}: allowed are 2 to {most}")
    near = 3 if size >= 13 else 2
    far = size - 1 - near
    middle = size // 2
    lower_left, upper_right, upper_left, lower_right = (far, near), (near, far), (near, near), (far, far)
    left, right, upper, lower = (middle, near), (middle, far), (near, middle), (far, middle)
    places = [lower_left, upper_right, upper_left, lower_right][:stones]
    if stones >= 6:
        places += [left, right]
    if stones >= 8:
        places += [upper, lower]
    if stones > 4 and stones % 2 == 1:
        places.append((middle, middle))
    return [point_at(row, column, size) for row, column in places]


def free_handicap_points(size: int, stones: int) -> list[int]:
    """Return points for a free handicap: the fixed ones as far as they go, then always the widest gap.

    The next stone stands where it is farthest from the others, the edge counting as a stone one line outside, so
    that corners and sides come before the centre and the first line last.

    Raises:
        ValueError: if `stones` is below 2 or leaves no point empty; the text names the allowed numbers.
    """
    most = size * size - 1
    if not 2 <= stones <= most:
        raise ValueError(f"no handicap of {stones} on size {size}: allowed are 2 to {most}")
    fixed = _max_fixed(size)
    if stones <= fixed:
        return fixed_handicap_points(size, stones)
    chosen = fixed_handicap_points(size, fixed) if fixed else []
    while len(chosen) < stones:
        chosen.append(_widest_gap(size, chosen))
    return chosen


def _widest_gap(size: int, chosen: list[int]) -> int:
    """Return the free point farthest from the chosen ones and from the edge."""
    taken = [location_of(point, size) for point in chosen]
    best = -1
    best_rank = (-1, -1, -1)
    for row in range(size):
        for column in range(size):
            point = point_at(row, column, size)
            if point in chosen:
                continue
            distances = sorted((row - other.row) ** 2 + (column - other.column) ** 2 for other in taken)
            nearest = distances[0] if distances else size * size
            to_edge = min(row, column, size - 1 - row, size - 1 - column)
            corner = abs(2 * row - size + 1) + abs(2 * column - size + 1)
            rank = (min(nearest, (to_edge + 1) ** 2), nearest, corner)
            if rank > best_rank:
                best, best_rank = point, rank
    return best
