"""A network that learned from few komi, asked about others: it is shown the nearest that it knows."""

import numpy as np

from miai.nets.inference.backend import Backend, Outputs, check_planes
from miai.nets.loading import Net
from miai.nets.planes import KOMI_PLANE, KOMI_SCALE, num_planes

_LOGIT_A_POINT = np.float32(0.5)
"""How a point of komi shifts the log odds of win and loss: what fits `miai` best within the komi that it knows, see
docs/notebook/2026-11-30-komi.md."""


class KomiBounded:
    """A backend whose network sees no komi beyond those it learned from; such networks may take more for less.

    The points beyond are added to the score, and shift the log odds of win and loss.
    """

    def __init__(self, net: Net, backend: Backend, highest: float) -> None:
        """Take a backend of a network.

        Args:
            highest: the greatest komi that it is shown, for or against the player to move, in points.
        """
        self.name = backend.name
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._backend = backend
        self._highest = np.float32(highest / KOMI_SCALE)

    def prepare(self, size: int, positions: int) -> None:
        """See `Backend.prepare`."""
        self._backend.prepare(size, positions)

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        komi = planes[:, KOMI_PLANE, 0, 0]
        nearest = np.clip(komi, -self._highest, self._highest)
        if (komi == nearest).all():
            return self._backend.evaluate(planes)
        shown = planes.copy()
        shown[:, KOMI_PLANE] = nearest[:, None, None]
        outputs = self._backend.evaluate(shown)
        points = (komi - nearest) * np.float32(KOMI_SCALE)
        return outputs._replace(score=outputs.score + points, wdl=_shifted(outputs.wdl, points * _LOGIT_A_POINT))


def _shifted(wdl: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Return probabilities of win, draw and loss [batch, 3] with the log odds of win and loss greater by `logits`."""
    steps = logits[:, None] * np.array([0.5, 0.0, -0.5], dtype=np.float32)
    weights = wdl * np.exp(steps - np.abs(steps[:, :1]))
    return weights / weights.sum(axis=1, keepdims=True)
