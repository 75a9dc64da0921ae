"""Small networks with random weights whose batch norms have seen positions."""

from dataclasses import replace

import torch

from miai.nets.config import CONFIGS, NetConfig
from miai.nets.net_files import LoadedNet, arrays_of
from miai.nets.torch_network import build_network
from tests.nets.positions import batch_of

SMALL: dict[str, NetConfig] = {
    "li-lim": replace(CONFIGS["li-lim"], blocks=2, filters=16),
    "miai": replace(CONFIGS["miai"], blocks=3, filters=16),
}
"""Smaller than the named configurations, with everything that these have."""


def small_net(kind: str, seed: int = 1) -> LoadedNet:
    """Return a network with random weights, statistics and shifts, in evaluation mode."""
    torch.manual_seed(seed)
    config = SMALL[kind]
    module = build_network(config).train()
    planes = torch.from_numpy(batch_of(kind, 9, 64))
    for _ in range(20):
        module(planes)
    for part in module.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            torch.nn.init.normal_(part.bias, std=0.3)
            if part.weight is not None:
                torch.nn.init.uniform_(part.weight, 0.5, 1.5)
    return LoadedNet(config, arrays_of(module), {})
