"""Random numbers for compiled code: a stream (xoroshiro128+) is a field `stream`, uint64[2], of a record.

It lives in a record because numba counts references to arrays with atomic instructions at every call
that is not inlined; a record is a plain pointer. Measured: 12 ns for each uniform playout move.

No record may consist of a stream alone: numba takes every record that begins with the same fields for a kind of it,
and warns.
"""

import numpy as np

from miai.engine.jit import compiled

_MASK = (1 << 64) - 1


def _mix(value: int) -> int:
    """Scramble a 64-bit integer (the finaliser of SplitMix64, Steele et al. 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def new_stream(*seeds: int) -> np.ndarray:
    """Return the start of a stream, `uint64[2]`, determined by the integers `seeds` in their order.

    Assign it to the field `stream` of a record: `workspace["stream"] = new_stream(seed, thread)`.
    """
    state = 0
    for seed in seeds:
        state = _mix(state ^ _mix(seed & _MASK))
    return np.array([_mix(state), _mix(state + 1) | 1], dtype=np.uint64)


@compiled
def next_uint64(holder):
    """Draw 64 random bits and advance `holder.stream` (Blackman & Vigna 2018, constants 24, 16, 37)."""
    first = holder.stream[0]
    second = holder.stream[1]
    drawn = first + second
    second ^= first
    holder.stream[0] = ((first << np.uint64(24)) | (first >> np.uint64(40))) ^ second ^ (second << np.uint64(16))
    holder.stream[1] = (second << np.uint64(37)) | (second >> np.uint64(27))
    return drawn


@compiled
def random_below(holder, bound):
    """Draw an integer from 0 to `bound - 1`; `bound` below 2^31, bias below bound/2^32."""
    return np.int64(((next_uint64(holder) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled
def random_unit(holder):
    """Draw a float64 from [0, 1)."""
    return np.float64(next_uint64(holder) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
