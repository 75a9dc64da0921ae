"""The average of a network's weights over the last steps: what is validated, saved and played with."""

from typing import Any

from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def decay_at(decay: float, num_updates: int) -> float:
    """Return what share of the old average an update leaves: less at first, so that the first weights are forgotten."""
    return min(decay, (1 + num_updates) / (10 + num_updates))


def averaged_copy(network: nn.Module, decay: float) -> AveragedModel:
    """Return an exponential moving average of a network, moved by `update_parameters(network)` after every step.

    Means and variances of batch norms are averaged as the weights are, so that they belong to the same steps.
    """

    def average(averages: Any, current: Any, _: Any) -> None:
        share = decay_at(decay, int(averaged.n_averaged))
        get_ema_multi_avg_fn(share)(averages, current, averaged.n_averaged)

    averaged = AveragedModel(network, multi_avg_fn=average, use_buffers=True)
    return averaged
