"""Networks in torch: the forms of `miai.nets.form` as modules. A forward pass gives `RawOutputs`, as training needs."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.nets.config import NetConfig
from miai.nets.form import RawOutputs, forward, layers_of
from miai.nets.operations import Conv, Linear, NetLayer


def build_network(config: NetConfig) -> "Network":
    """Return a network with random weights; its forward pass turns planes [batch, C, size, size] into RawOutputs."""
    return Network(config)


class Network(nn.Module):
    """A network of any form; its arrays have the names of the form's layers."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.config = config
        for layer in layers_of(config):
            *groups, name = layer.name.split(".")
            parent: nn.Module = self
            for group in groups:
                if not hasattr(parent, group):
                    parent.add_module(group, nn.Module())
                parent = parent.get_submodule(group)
            parent.add_module(name, _module_of(layer))

    def forward(self, planes: Tensor) -> RawOutputs[Tensor]:
        return forward(TorchOperations(self), self.config, planes)


class ShiftNorm(nn.BatchNorm2d):
    """A batch norm that learns a shift, but no scale."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, affine=False)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        assert self.num_batches_tracked is not None and self.momentum is not None
        if self.training:
            self.num_batches_tracked.add_(1)
        scale = torch.ones_like(self.bias)  # without one CUDA finds no gradient: torch 2.11
        return functional.batch_norm(
            x, self.running_mean, self.running_var, scale, self.bias, self.training, self.momentum, self.eps
        )


def _module_of(layer: NetLayer) -> nn.Module:
    if isinstance(layer, Linear):
        return nn.Linear(layer.inputs, layer.outputs, bias=layer.has_bias)
    if isinstance(layer, Conv):
        conv = nn.Conv2d(layer.inputs, layer.outputs, layer.width, padding=layer.width // 2, bias=layer.has_bias)
        if layer.precedes_relu:
            nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
        return conv
    return nn.BatchNorm2d(layer.channels) if layer.has_scale else ShiftNorm(layer.channels)


class TorchOperations:
    """The operations on tensors, with the layers of a module; see `miai.nets.operations.Operations`."""

    def __init__(self, module: nn.Module) -> None:
        self._layers = dict(module.named_modules())

    def conv(self, x: Tensor, name: str) -> Tensor:
        return self._layers[name](x)

    linear = norm = stream_norm = conv

    def relu(self, x: Tensor) -> Tensor:
        return functional.relu(x)

    def tanh(self, x: Tensor) -> Tensor:
        return torch.tanh(x)

    def softmax(self, x: Tensor) -> Tensor:
        return torch.softmax(x, dim=1)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def add_by_channel(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y[:, :, None, None]

    def affine(self, x: Tensor, factor: float, summand: float = 0.0) -> Tensor:
        return factor * x + summand

    def pool(self, x: Tensor) -> Tensor:
        mean = x.mean((2, 3))
        width = (x.shape[3] - 9) / 4
        return self.concat(mean, mean * width, x.amax((2, 3)))

    def split(self, x: Tensor, *lengths: int) -> list[Tensor]:
        return list(x.split(lengths, dim=1))

    def flatten(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    def squeeze(self, x: Tensor) -> Tensor:
        return x.squeeze(1)

    def concat(self, *parts: Tensor) -> Tensor:
        return torch.cat(parts, dim=1)

    def join_pass(self, points: Tensor, passes: Tensor) -> list[Tensor]:
        return list(torch.cat([points.flatten(2), passes[:, :, None]], dim=2).unbind(1))
