"""Forms of a tournament: who plays whom."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

Pairing = tuple[int, int]
"""The places of two contestants, the lower first."""

FORMS = ("round-robin", "gauntlet", "swiss")
_MAX_STEPS = 20_000
"""Attempts to pair a Swiss round before one more rematch is allowed."""


def round_robin_pairs(num_contestants: int) -> list[Pairing]:
    """Return each two of them."""
    return list(combinations(range(num_contestants), 2))


def gauntlet_pairs(num_contestants: int, num_challengers: int) -> list[Pairing]:
    """Return each of the first, the challengers, with each of the others."""
    return [
        (challenger, other)
        for challenger in range(num_challengers)
        for other in range(num_challengers, num_contestants)
    ]


def pair_swiss_round(
    points: Sequence[float], seeds: Sequence[int], meetings: Mapping[Pairing, int], num_byes: Sequence[int]
) -> tuple[list[Pairing], int | None]:
    """Pair contestants of about the same points who have not met; return the pairs and who has a bye, if any.

    By Monrad's rule: in the order of the standing each plays the next one below that it has not met. Where that leaves
    somebody without an opponent, earlier choices are changed, the last ones first. Two meet again only if there is no
    other way. With an odd number, the last of those with the fewest byes has one.

    Args:
        points: of each contestant.
        seeds: decide between equal points, the lowest first.
        meetings: how often two have met, by their places.
        num_byes: of each contestant.
    """
    standing = sorted(range(len(points)), key=lambda place: (-points[place], seeds[place]))
    bye = None
    if len(standing) % 2:
        fewest = min(num_byes)
        bye = next(place for place in reversed(standing) if num_byes[place] == fewest)
        standing.remove(bye)
    least = min((meetings.get(pair, 0) for pair in combinations(sorted(standing), 2)), default=0)
    for num_rematches in range(len(standing) // 2 + 1):
        steps = iter(range(_MAX_STEPS))
        pairs = next(_pairings(standing, meetings, least, num_rematches, steps), None)
        if pairs is not None:
            return pairs, bye
    raise AssertionError("everybody may meet again")


def _pairings(
    standing: Sequence[int], meetings: Mapping[Pairing, int], least: int, num_rematches: int, steps: Iterator[int]
) -> Iterator[list[Pairing]]:
    """Yield ways to pair all, the most wanted first, until the steps are spent.

    At most `num_rematches` pairs have met more than `least` times.
    """
    if not standing:
        yield []
        return
    first, *others = standing
    for other in others:
        if next(steps, None) is None:
            return
        pair = (min(first, other), max(first, other))
        left = num_rematches - (meetings.get(pair, 0) > least)
        if left < 0:
            continue
        rest = [place for place in others if place != other]
        for pairs in _pairings(rest, meetings, least, left, steps):
            yield [pair, *pairs]
