"""A network's outputs for positions that it is shown in their symmetries."""

from typing import Any

import numpy as np

from miai.nets.inference.backend import Backend, Outputs
from miai.nets.symmetry import inverse_symmetry_table, symmetry_table


def evaluate_in_views(backend: Backend, planes: np.ndarray, views: int) -> Outputs:
    """Return the mean of what a network says of positions in the first so many symmetries, 1 to 8.

    That of the policy is the mean of its logits, so the geometric mean of its probabilities.

    Args:
        backend: runs the network.
        planes: float32 [batch, planes, size, size]
        views: 1 = as the positions lie.
    """
    if views == 1:
        return backend.evaluate(planes)
    seen = [evaluate_turned(backend, planes, symmetry) for symmetry in range(views)]
    return Outputs(*(_mean(said) for said in zip(*seen, strict=True)))


def evaluate_turned(backend: Backend, planes: np.ndarray, symmetry: int) -> Outputs:
    """Return what a network says of positions that it is shown in a symmetry, turned back to how they lie.

    Args:
        backend: runs the network.
        planes: float32 [batch, planes, size, size]
        symmetry: see `miai.nets.symmetry`.
    """
    batch, num_planes, size, _ = planes.shape
    turned = planes.reshape(batch, num_planes, -1)[:, :, symmetry_table(size)[symmetry, :-1]]
    said = backend.evaluate(np.ascontiguousarray(turned).reshape(planes.shape))
    back = inverse_symmetry_table(size)[symmetry]
    return said._replace(
        policy=said.policy[:, back],
        ownership=said.ownership[:, back[:-1]],
        optimistic=None if said.optimistic is None else said.optimistic[:, back],
    )


def _mean(said: tuple[Any, ...]) -> Any:
    return None if said[0] is None else np.mean(said, axis=0, dtype=np.float32)
