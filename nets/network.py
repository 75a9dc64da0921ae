"""Residual networks in torch. A forward pass gives what training needs: logits, and points and owners as they are.

`li-lim` follows Li & Lim, section 4, after Silver et al. 2017 ("Mastering the game of Go without human knowledge"):
blocks `relu(x + bn(conv(relu(bn(conv(x))))))`, and heads of a 1x1 convolution and fully connected layers.

`miai` has blocks `x + conv(relu(bn(conv(relu(bn(x))))))` (He et al. 2016, "Identity mappings in deep residual
networks"), and global pooling in some blocks and all heads as in KataGo (Wu 2019, "Accelerating self-play learning in
Go", sections 3.3 and 4.1). The heads begin with one common 1x1 convolution. The batch norms have no learned
factors, which the weights of the next convolution make superfluous: so `miai.nets.folding` can remove all of them.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.nets.arrays import HEAD_FILTERS, LI_LIM_VALUE_UNITS, POINTS, VALUE_UNITS
from miai.nets.config import NetConfig
from miai.nets.planes import num_planes


class RawOutputs(NamedTuple):
    """What a network says of a batch of positions, for the player to move, float; None where it has no such head."""

    policy: Tensor
    """Logits of the moves [batch, size·size + 1], pass last."""
    wdl: Tensor | None = None
    """Logits of win, draw and loss [batch, 3]."""
    score: Tensor | None = None
    """Points won by, komi included [batch]."""
    ownership: Tensor | None = None
    """Expected owner of every point at the end [batch, size·size]: 1 own, -1 the opponent's."""
    reply: Tensor | None = None
    """Logits of the opponent's next move [batch, size·size + 1]."""
    value: Tensor | None = None
    """Expected result [batch], 1 = win, -1 = loss: in place of `wdl` in the kind `li-lim`."""


def build_network(config: NetConfig) -> nn.Module:
    """Return a network with random weights; its forward pass turns planes [batch, C, size, size] into RawOutputs."""
    return LiLimNetwork(config) if config.kind == "li-lim" else MiaiNetwork(config)


def _conv(inputs: int, outputs: int, width: int = 3) -> nn.Conv2d:
    conv = nn.Conv2d(inputs, outputs, width, padding=width // 2, bias=False)
    nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
    return conv


class ShiftNorm(nn.BatchNorm2d):
    """A batch norm that learns what it adds, but no factors."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, affine=False)
        self.bias = nn.Parameter(torch.zeros(channels))


class PostActivationBlock(nn.Module):
    """`relu(x + bn(conv(relu(bn(conv(x))))))`."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.conv1 = _conv(filters, filters)
        self.norm1 = nn.BatchNorm2d(filters)
        self.conv2 = _conv(filters, filters)
        self.norm2 = nn.BatchNorm2d(filters)

    def forward(self, x: Tensor) -> Tensor:
        hidden = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(hidden)))


class LiLimNetwork(nn.Module):
    """Blocks of AlphaGo Zero's form, fully connected heads: fits one board size."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        assert config.size is not None
        points = config.size**2
        self.conv = _conv(num_planes(config.planes), config.filters)
        self.norm = nn.BatchNorm2d(config.filters)
        self.blocks = nn.ModuleList(PostActivationBlock(config.filters) for _ in range(config.blocks))
        self.policy_conv = _conv(config.filters, 2, width=1)
        self.policy_norm = nn.BatchNorm2d(2)
        self.policy_linear = nn.Linear(2 * points, points + 1)
        self.value_conv = _conv(config.filters, 1, width=1)
        self.value_norm = nn.BatchNorm2d(1)
        self.value_linear1 = nn.Linear(points, LI_LIM_VALUE_UNITS)
        self.value_linear2 = nn.Linear(LI_LIM_VALUE_UNITS, 1)

    def forward(self, planes: Tensor) -> RawOutputs:
        x = functional.relu(self.norm(self.conv(planes)))
        for block in self.blocks:
            x = block(x)
        policy = functional.relu(self.policy_norm(self.policy_conv(x))).flatten(1)
        value = functional.relu(self.value_norm(self.value_conv(x))).flatten(1)
        value = self.value_linear2(functional.relu(self.value_linear1(value)))
        return RawOutputs(self.policy_linear(policy), value=torch.tanh(value).squeeze(1))


def _pool(x: Tensor) -> Tensor:
    """Return the mean over the board, the mean by how wide the board is, and the maximum [batch, 3·channels]."""
    mean = x.mean((2, 3))
    width = (x.shape[3] - 9) / 4
    return torch.cat([mean, mean * width, x.amax((2, 3))], dim=1)


class PreActivationBlock(nn.Module):
    """`x + conv(relu(bn(conv(relu(bn(x))))))`; pooling makes a quarter of the inner channels biases of the rest."""

    def __init__(self, filters: int, num_pooled: int) -> None:
        super().__init__()
        self.num_pooled = num_pooled
        kept = filters - num_pooled
        self.norm1 = ShiftNorm(filters)
        self.conv1 = _conv(filters, filters)
        self.norm2 = ShiftNorm(kept)
        self.conv2 = _conv(kept, filters)
        if num_pooled:
            self.pool_norm = ShiftNorm(num_pooled)
            self.pool_linear = nn.Linear(3 * num_pooled, kept, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.conv1(functional.relu(self.norm1(x)))
        if self.num_pooled:
            pooled = functional.relu(self.pool_norm(hidden[:, -self.num_pooled :]))
            hidden = hidden[:, : -self.num_pooled] + self.pool_linear(_pool(pooled))[:, :, None, None]
        return x + self.conv2(functional.relu(self.norm2(hidden)))


class MiaiNetwork(nn.Module):
    """Pre-activation blocks, and heads that fit every board size."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        filters = config.filters
        self.conv = _conv(num_planes(config.planes), filters)
        self.blocks = nn.ModuleList(
            PreActivationBlock(filters, config.pooled_filters(number)) for number in range(config.blocks)
        )
        self.norm = ShiftNorm(filters)
        self.head_conv = _conv(filters, 3 * HEAD_FILTERS, width=1)
        self.policy_norm = ShiftNorm(HEAD_FILTERS)
        self.pool_norm = ShiftNorm(HEAD_FILTERS)
        self.value_norm = ShiftNorm(HEAD_FILTERS)
        self.policy_pool_linear = nn.Linear(3 * HEAD_FILTERS, HEAD_FILTERS, bias=False)
        self.policy_conv = nn.Conv2d(HEAD_FILTERS, 2, 1, bias=False)
        self.pass_linear = nn.Linear(3 * HEAD_FILTERS, 2)
        self.value_linear1 = nn.Linear(3 * HEAD_FILTERS, VALUE_UNITS)
        self.value_linear2 = nn.Linear(VALUE_UNITS, 4)
        self.ownership_conv = nn.Conv2d(HEAD_FILTERS, 1, 1)

    def forward(self, planes: Tensor) -> RawOutputs:
        x = self.conv(planes)
        for block in self.blocks:
            x = block(x)
        points, pooled, value = self.head_conv(functional.relu(self.norm(x))).split(HEAD_FILTERS, dim=1)
        pooled = _pool(functional.relu(self.pool_norm(pooled)))
        points = functional.relu(self.policy_norm(points + self.policy_pool_linear(pooled)[:, :, None, None]))
        moves = torch.cat([self.policy_conv(points).flatten(2), self.pass_linear(pooled)[:, :, None]], dim=2)
        value = functional.relu(self.value_norm(value))
        ownership = torch.tanh(self.ownership_conv(value).flatten(1))
        outcome = self.value_linear2(functional.relu(self.value_linear1(_pool(value))))
        return RawOutputs(moves[:, 0], outcome[:, :3], POINTS * outcome[:, 3], ownership, moves[:, 1])
