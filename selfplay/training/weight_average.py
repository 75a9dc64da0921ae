"""The average of a network's weights over the last steps: what is validated, saved and played with."""

from typing import Any

from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def ema_decay_at(decay: float, num_updates: int) -> float:
    """Return the EMA decay of an update: less at first, so that the first weights are forgotten."""
    return min(decay, (1 + num_updates) / (10 + num_updates))


def ema_copy(network: nn.Module, decay: float) -> AveragedModel:
    """Return an exponential moving average of a network, moved by `update_parameters(network)` after every step.

    Means and variances of batch norms are averaged as the weights are, so that they belong to the same steps.
    """

    def average(averages: Any, current: Any, _: Any) -> None:
        step_decay = ema_decay_at(decay, int(averaged.n_averaged))
        get_ema_multi_avg_fn(step_decay)(averages, current, averaged.n_averaged)

    averaged = AveragedModel(network, multi_avg_fn=average, use_buffers=True)
    return averaged
