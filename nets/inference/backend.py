"""The interface of a backend."""

from typing import NamedTuple, Protocol

import numpy as np

from miai.nets.loading import Net


class BackendError(ValueError):
    """A backend that does not exist or is not installed; the text says what is missing or allowed."""


class Outputs(NamedTuple):
    """The outputs of a network for a batch of positions, for the player to move; float32, contiguous."""

    policy: np.ndarray
    """Logits of the moves [batch, size·size + 1], pass last."""
    wdl: np.ndarray
    """Probabilities of win, draw and loss [batch, 3]; from a network with one value p they are (p, 0, 1 - p)."""
    score: np.ndarray
    """Points won by, komi included [batch]; 0 from a network without a score."""
    ownership: np.ndarray
    """Expected owner at the end [batch, size·size], 1 own, -1 the opponent's; 0 from a network without."""
    details: np.ndarray | None = None
    """What else one of KataGo's networks says [batch, 5]: the score that its own play would reach, that one's standard
    deviation, the variance of the time left, and the errors of value and score that a short search would find; -1 for
    the last three from networks that do not know."""
    optimistic: np.ndarray | None = None
    """Logits of the moves, as `policy`, of who hopes that things turn out better than expected; only from KataGo's, and
    the policy again from those that have no second one."""


class Backend(Protocol):
    """Runs one network; several threads may use it at once."""

    name: str
    """One of `BACKENDS`."""

    def prepare(self, size: int, positions: int) -> None:
        """Do all that can be done before batches of up to so many positions come, so that none waits for it.

        Raises:
            ConfigError: if the network does not fit the size.
        """
        ...

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch.

        Args:
            planes: float32 [batch, planes, size, size], contiguous; see `miai.nets.planes`.

        Raises:
            ValueError: if planes are not of that form.
            ConfigError: if the network does not fit the size.
        """
        ...


def check_planes(net: Net, num_planes: int, planes: np.ndarray) -> None:
    """Raise the errors of `Backend.evaluate` if planes do not fit a network."""
    shape = planes.shape
    fits = len(shape) == 4 and shape[0] > 0 and shape[1] == num_planes and shape[2] == shape[3]
    if not fits or planes.dtype != np.float32 or not planes.flags.c_contiguous:
        needed = f"float32 [batch, {num_planes}, size, size], contiguous"
        raise ValueError(f"planes are {planes.dtype} {list(shape)}, not {needed}")
    net.config.check_size(shape[2])
