"""The set of positions a game has been through, as Zobrist keys: the memory of positional superko.

A history is one `uint64 [2, slots]` array, `slots` a power of two. Row 0 is a hash table with open addressing (0 =
free). Row 1 remembers, in `[1, 0]`, how many keys were pushed and after it the slot each one took, so that the last
insertion can be undone: a search pushes keys on its way down and pops them on its way up.
"""

import numpy as np

from miai.engine.jit import compiled

_FREE = np.uint64(0)
_STAND_IN = np.uint64(0x9E3779B97F4A7C15)
"""Stands for key 0, the empty board's, because 0 marks a free slot."""


def new_history(capacity: int) -> np.ndarray:
    """Return an empty history, `uint64 [2, slots]`, that holds at least `capacity` pushed keys."""
    slots = 8
    while slots // 2 < capacity:
        slots *= 2
    return np.zeros((2, slots), dtype=np.uint64)


def num_keys(history: np.ndarray) -> int:
    """Return how many keys were pushed and not popped."""
    return int(history[1, 0])


def capacity_of(history: np.ndarray) -> int:
    """Return how many keys may be pushed in all."""
    return history.shape[1] // 2


def copy_history(history: np.ndarray, capacity: int) -> np.ndarray:
    """Return a history with the same keys, pushed in the same order, that holds at least `capacity` keys."""
    copied = new_history(max(capacity, num_keys(history)))
    if copied.shape == history.shape:
        return history.copy()
    _push_all(history, copied)
    return copied


@compiled
def _find_slot(history, key):
    """Return the slot that holds `key`, or the free one where it belongs."""
    mask = history.shape[1] - 1
    slot = np.int64(key) & mask
    while history[0, slot] != _FREE and history[0, slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def push_key(history, key):
    """Add a position's key, which may be in the history already; tell whether there was room.

    A key pushed on a full history is counted, so that pops stay in step, but it is not remembered.
    """
    slots = history.shape[1]
    count = np.int64(history[1, 0])
    history[1, 0] = count + 1
    if count >= slots >> 1:
        return False
    if key == _FREE:
        key = _STAND_IN
    slot = _find_slot(history, np.uint64(key))
    if history[0, slot] == _FREE:
        history[0, slot] = key
        history[1, count + 1] = slot
    else:
        history[1, count + 1] = slots
    return True


@compiled
def pop_key(history):
    """Undo the last push; the history must not be empty.

    The key pushed last was found no place in another's way, so its slot is simply freed.
    """
    slots = history.shape[1]
    count = np.int64(history[1, 0]) - 1
    history[1, 0] = count
    if count < slots >> 1:
        slot = np.int64(history[1, count + 1])
        if slot < slots:
            history[0, slot] = _FREE


@compiled
def contains_key(history, key):
    """Tell whether a position with this key was pushed."""
    if key == _FREE:
        key = _STAND_IN
    return history[0, _find_slot(history, np.uint64(key))] != _FREE


@compiled
def _push_all(source, target):
    """Push the keys of `source` on the empty `target`; repeated ones stay repeated."""
    count = np.int64(source[1, 0])
    target[1, 0] = count
    for index in range(1, min(count, source.shape[1] >> 1) + 1):
        slot = np.int64(source[1, index])
        if slot < source.shape[1]:
            key = source[0, slot]
            new_slot = _find_slot(target, key)
            target[0, new_slot] = key
            target[1, index] = new_slot
        else:
            target[1, index] = target.shape[1]
