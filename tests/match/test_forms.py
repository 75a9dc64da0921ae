"""Who plays whom in a round robin, a gauntlet and a Swiss tournament."""

import itertools
import random
from collections import Counter

import pytest

from miai.match.forms import gauntlet_pairs, pair_swiss_round, round_robin_pairs


def test_everybody_meets_everybody_once_in_a_round_robin() -> None:
    pairs = round_robin_pairs(6)
    assert sorted(pairs) == sorted(set(pairs)) == list(itertools.combinations(range(6), 2))


def test_challengers_meet_the_others_and_not_each_other() -> None:
    assert gauntlet_pairs(4, 1) == [(0, 1), (0, 2), (0, 3)]
    assert gauntlet_pairs(4, 2) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_the_first_round_pairs_by_seed_and_the_next_by_points() -> None:
    assert pair_swiss_round([0, 0, 0, 0], [0, 1, 2, 3], {}, [0] * 4) == ([(0, 1), (2, 3)], None)
    assert pair_swiss_round([0, 0, 0, 0], [3, 2, 1, 0], {}, [0] * 4) == ([(2, 3), (0, 1)], None)
    assert pair_swiss_round([2, 0, 2, 0], [0, 1, 2, 3], {(0, 1): 1, (2, 3): 1}, [0] * 4) == ([(0, 2), (1, 3)], None)


def test_an_earlier_choice_is_changed_rather_than_that_two_meet_again() -> None:
    meetings = {(2, 3): 1}
    pairs, _ = pair_swiss_round([3, 2, 1, 0], [0, 1, 2, 3], meetings, [0] * 4)
    assert pairs == [(0, 2), (1, 3)]


def test_the_last_without_a_bye_has_it() -> None:
    pairs, bye = pair_swiss_round([4, 2, 0], [0, 1, 2], {}, [0, 0, 0])
    assert (pairs, bye) == ([(0, 1)], 2)
    pairs, bye = pair_swiss_round([4, 2, 2], [0, 1, 2], {(0, 1): 1}, [0, 0, 1])
    assert (pairs, bye) == ([(0, 2)], 1)


def test_two_meet_again_only_where_it_must_be() -> None:
    # After three rounds among six that all crossed the line between two threes, the rest are two triangles.
    meetings = {(min(a, b), max(a, b)): 1 for a in (0, 1, 2) for b in (3, 4, 5)}
    pairs, _ = pair_swiss_round([6, 5, 4, 3, 2, 1], range(6), meetings, [0] * 6)
    assert sum(meetings.get(pair, 0) for pair in pairs) == 1
    assert sorted(place for pair in pairs for place in pair) == list(range(6))


def test_those_who_met_least_meet_again_first() -> None:
    meetings = Counter[tuple[int, int]]()
    for _ in range(6):
        pairs, _ = pair_swiss_round([4, 3, 2, 1], range(4), meetings, [0] * 4)
        meetings.update(pairs)
    assert len(meetings) == 6 and set(meetings.values()) == {2}


@pytest.mark.parametrize("count", [2, 3, 7, 16, 33])
def test_rounds_of_random_results_pair_everybody_and_rarely_twice(count: int) -> None:
    stream = random.Random(count)
    strengths = [stream.random() for _ in range(count)]
    points, byes, meetings = [0.0] * count, [0] * count, Counter[tuple[int, int]]()
    rounds = min(6, count - 1)
    for _ in range(rounds):
        pairs, bye = pair_swiss_round(points, range(count), meetings, byes)
        present = [place for pair in pairs for place in pair] + ([] if bye is None else [bye])
        assert sorted(present) == list(range(count))
        if bye is not None:
            byes[bye] += 1
            points[bye] += 1
        for first, second in pairs:
            meetings[first, second] += 1
            first_wins = stream.random() < strengths[first] / (strengths[first] + strengths[second])
            points[first if first_wins else second] += 1
    assert max(byes) <= 1
    assert max(meetings.values()) == 1
