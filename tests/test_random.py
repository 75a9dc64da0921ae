"""Random streams: known values, reproducible, uniform, independent of each other."""

import math

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import new_stream, next_uint64, random_below, random_unit

FIRST_DRAWS = [2153170140555445494, 10773835443153294742, 4038459852500073790]
HOLDER = np.dtype([("before", "u8"), ("stream", "u8", (2,))], align=True)


def holder(*seeds: int) -> np.void:
    holders = np.zeros(1, dtype=HOLDER)
    holders[0]["stream"] = new_stream(*seeds)
    return holders[0]


@compiled
def count_below(holder, bound, counts, num_draws):
    for _ in range(num_draws):
        counts[random_below(holder, bound)] += 1


def test_draws_are_those_of_xoroshiro128_plus() -> None:
    """A plain Python version of the generator by Blackman and Vigna (2018), beside the compiled one."""
    mask = (1 << 64) - 1

    def rotated(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & mask

    drawing = holder(1, 2)
    first, second = (int(word) for word in drawing["stream"])
    for _ in range(1000):
        expected = (first + second) & mask
        second ^= first
        first, second = rotated(first, 24) ^ second ^ (second << 16) & mask, rotated(second, 37)
        assert int(next_uint64(drawing)) == expected


def test_a_stream_begins_the_same_in_every_version() -> None:
    """A seed must give the same game tomorrow: change these numbers only together with the changelog."""
    drawing = holder(1)
    assert [int(next_uint64(drawing)) for _ in range(3)] == FIRST_DRAWS


def test_seeds_and_their_order_tell_streams_apart() -> None:
    starts = [tuple(new_stream(*seeds)) for seeds in ((), (0,), (1,), (0, 1), (1, 0), (0, 0), (-1,), (1 << 70,))]
    assert len(set(starts)) >= len(starts) - 1  # 1 << 70 is 0 in 64 bits
    assert all(any(start) for start in starts)


def test_draws_below_a_bound_are_uniform() -> None:
    drawing = holder(3)
    for bound in (1, 2, 7, 81, 361):
        counts, num_draws = np.zeros(bound, dtype=np.int64), 20_000 * max(1, bound // 20)
        count_below(drawing, bound, counts, num_draws)
        expected = num_draws / bound
        chi_square = float(((counts - expected) ** 2 / expected).sum())
        assert counts.sum() == num_draws
        assert abs(chi_square - (bound - 1)) <= 5 * math.sqrt(2 * bound)


def test_units_lie_between_zero_and_one_with_the_right_mean() -> None:
    drawing = holder(4)
    draws = np.array([random_unit(drawing) for _ in range(20_000)])
    assert draws.min() >= 0 and draws.max() < 1
    assert abs(draws.mean() - 0.5) < 5 / math.sqrt(12 * len(draws))
    assert abs(draws.var() - 1 / 12) < 0.005


def test_neighbouring_seeds_give_unrelated_streams() -> None:
    draws = np.array([[random_unit(drawing) for _ in range(200)] for drawing in (holder(5, n) for n in range(50))])
    correlations = np.corrcoef(draws)[np.triu_indices(50, 1)]
    assert abs(correlations).max() < 6 / math.sqrt(200)
