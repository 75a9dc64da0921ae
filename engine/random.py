"""Random numbers for compiled code: one stream is a uint64 array of length 2 (xoroshiro128+)."""

import numpy as np

from engine.jit import compiled

_MASK = (1 << 64) - 1


def _mix(value: int) -> int:
    """Scramble a 64-bit integer (the finaliser of SplitMix64, Steele et al. 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def new_stream(*seeds: int) -> np.ndarray:
    """Return a stream, `uint64[2]`, determined by the integers `seeds` in their order."""
    state = 0
    for seed in seeds:
        state = _mix(state ^ _mix(seed & _MASK))
    return np.array([_mix(state), _mix(state + 1) | 1], dtype=np.uint64)


@compiled
def next_uint64(stream):
    """Draw 64 random bits and advance the stream (Blackman & Vigna 2018, constants 24, 16, 37)."""
    first = stream[0]
    second = stream[1]
    drawn = first + second
    second ^= first
    stream[0] = ((first << np.uint64(24)) | (first >> np.uint64(40))) ^ second ^ (second << np.uint64(16))
    stream[1] = (second << np.uint64(37)) | (second >> np.uint64(27))
    return drawn


@compiled
def random_below(stream, bound):
    """Draw an integer from 0 to `bound - 1`; `bound` below 2^31, bias below bound/2^32."""
    return np.int64(((next_uint64(stream) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled
def random_unit(stream):
    """Draw a float64 from [0, 1)."""
    return np.float64(next_uint64(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
