"""Input planes turned and mirrored."""

import numpy as np

from miai.nets.symmetry import transform


def transform_planes(planes: np.ndarray, symmetry: int) -> np.ndarray:
    """Return planes [..., size, size] under a symmetry, contiguous."""
    size = planes.shape[-1]
    return transform(planes.reshape(*planes.shape[:-2], size * size), symmetry, size).reshape(planes.shape)
