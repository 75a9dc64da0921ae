"""The set of positions, against a list."""

import random

import numpy as np

from miai.engine.go.history import capacity_of, contains_key, copy_history, new_history, num_keys, pop_key, push_key


def test_pushes_and_pops_agree_with_a_list_when_keys_collide_and_repeat() -> None:
    rng = random.Random(1)
    history, pushed = new_history(60), list[int]()
    # Keys that share their low bits meet in the table; 0 is the empty board's.
    keys = [0, *(rng.randrange(4) + (rng.randrange(30) << 40) for _ in range(60))]
    for _ in range(20_000):
        if pushed and (rng.random() < 0.5 or len(pushed) == capacity_of(history)):
            pop_key(history)
            pushed.pop()
        else:
            key = rng.choice(keys)
            assert push_key(history, np.uint64(key))
            pushed.append(key)
        key = rng.choice(keys)
        assert contains_key(history, np.uint64(key)) == (key in pushed)
        assert num_keys(history) == len(pushed)
    while pushed:
        pop_key(history)
        pushed.pop()
    assert not history[0].any()
    assert not any(contains_key(history, np.uint64(key)) for key in keys)


def test_a_full_history_refuses_and_still_pops_in_step() -> None:
    history = new_history(1)
    capacity = capacity_of(history)
    for key in range(1, capacity + 1):
        assert push_key(history, np.uint64(key))
    for key in range(50, 60):
        assert not push_key(history, np.uint64(key))
        assert not contains_key(history, np.uint64(key))
    for _ in range(10):
        pop_key(history)
    assert all(contains_key(history, np.uint64(key)) for key in range(1, capacity + 1))
    pop_key(history)
    assert not contains_key(history, np.uint64(capacity))


def test_a_larger_copy_keeps_the_order_of_pops() -> None:
    rng = random.Random(2)
    history, keys = new_history(40), [rng.randrange(6) + (rng.randrange(9) << 30) for _ in range(40)]
    for key in keys:
        push_key(history, np.uint64(key))
    for capacity in (10, 40, 100, 5000):
        copied = copy_history(history, capacity)
        assert capacity_of(copied) >= max(capacity, 40)
        for left in range(len(keys), 0, -1):
            assert {key for key in keys if contains_key(copied, np.uint64(key))} == set(keys[:left])
            pop_key(copied)
    assert num_keys(history) == 40
