"""The eight symmetries of the board, as permutations of the points.

Symmetry `s` mirrors top and bottom if `s & 1`, then left and right if `s & 2`, then along the diagonal if `s & 4`; 0
leaves everything as it is.
"""

import functools

import numpy as np

NUM_SYMMETRIES = 8


@functools.cache
def symmetry_table(size: int) -> np.ndarray:
    """Return `int16 [8, size·size + 1]`: where each point's value comes from; a pass (the last) stays.

    `values[table[s]]` are the values of the points after symmetry `s`: of a plane, ownership or a policy with its pass.
    """
    points = np.arange(size * size, dtype=np.int16).reshape(size, size)
    table = np.empty((NUM_SYMMETRIES, size * size + 1), dtype=np.int16)
    table[:, -1] = size * size
    for symmetry in range(NUM_SYMMETRIES):
        turned = points[::-1] if symmetry & 1 else points
        turned = turned[:, ::-1] if symmetry & 2 else turned
        table[symmetry, :-1] = (turned.T if symmetry & 4 else turned).ravel()
    table.flags.writeable = False
    return table


@functools.cache
def inverse_symmetry_table(size: int) -> np.ndarray:
    """Return `int16 [8, size·size + 1]`, which undoes `symmetry_table`; also where each point goes to."""
    table = np.argsort(symmetry_table(size), axis=1).astype(np.int16)
    table.flags.writeable = False
    return table
