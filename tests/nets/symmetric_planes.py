"""Values of points, and input planes, turned and mirrored."""

import numpy as np

from miai.nets.symmetry import inverse_symmetry_table, symmetry_table


def transform(values: np.ndarray, symmetry: int, size: int, inverse: bool = False) -> np.ndarray:
    """Return values of points under a symmetry, or back from it.

    Args:
        values: an array [..., size·size] or [..., size·size + 1], the pass last.
    """
    table = inverse_symmetry_table(size) if inverse else symmetry_table(size)
    return np.take(values, table[symmetry, : values.shape[-1]], axis=-1)


def transform_planes(planes: np.ndarray, symmetry: int) -> np.ndarray:
    """Return planes [..., size, size] under a symmetry, contiguous."""
    size = planes.shape[-1]
    return transform(planes.reshape(*planes.shape[:-2], size * size), symmetry, size).reshape(planes.shape)
