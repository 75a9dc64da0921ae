"""Batch norm folded into convolutions: the same function with fewer steps, for inference.

In evaluation a batch norm is `s·(x + c)` for each channel. Behind a convolution it goes into that one's weights and
bias. In front of `relu` and a convolution its `s > 0` goes into the latter's weights, since `relu(s·x) = s·relu(x)`.
What is left in front of a block of the kind `miai`, `x + c`, moves back: with `y = x + c` in place of `x` between the
blocks, the convolution that ends a block adds the next one's `c` less its own.
"""

import copy
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from nets.network import LiLimNetwork, MiaiNetwork, PostActivationBlock, PreActivationBlock


def fold(network: nn.Module) -> nn.Module:
    """Return a copy of a network, in evaluation mode, without batch norms; its outputs are the same up to rounding."""
    folded = copy.deepcopy(network).eval().requires_grad_(False)
    if isinstance(folded, MiaiNetwork):
        _fold_miai(folded)
    elif isinstance(folded, LiLimNetwork):
        _fold_li_lim(folded)
    return folded


class _Affine(NamedTuple):
    """A batch norm in evaluation, `scale·x + offset`."""

    scale: Tensor
    offset: Tensor


def _affine(norm: nn.BatchNorm2d) -> _Affine:
    assert norm.running_mean is not None and norm.running_var is not None
    scale = torch.rsqrt(norm.running_var + norm.eps)
    scale = scale if norm.weight is None else scale * norm.weight
    return _Affine(scale, norm.bias - scale * norm.running_mean)


def _add_bias(layer: nn.Conv2d, bias: Tensor, first: int = 0) -> None:
    if layer.bias is None:
        layer.bias = nn.Parameter(torch.zeros(len(layer.weight)), requires_grad=False)
    layer.bias[first : first + len(bias)] += bias


def _scale_rows(layer: nn.Module, scale: Tensor, first: int = 0) -> None:
    weight = layer.get_parameter("weight")
    weight[first : first + len(scale)] *= scale.reshape(-1, *[1] * (weight.dim() - 1))


def _fold_after(module: nn.Module, conv: nn.Conv2d, norm: str, first: int = 0) -> Tensor:
    """Make a norm part of the convolution whose outputs, from `first` on, it takes; return its factors."""
    scale, offset = _affine(getattr(module, norm))
    _scale_rows(conv, scale, first)
    _add_bias(conv, offset, first)
    setattr(module, norm, nn.Identity())
    return scale


def _fold_before(module: nn.Module, norm: str, conv: nn.Conv2d) -> Tensor:
    """Make the factors of a norm part of the convolution behind the `relu` behind it; return what it adds to `x`."""
    scale, offset = _affine(getattr(module, norm))
    conv.weight *= scale[:, None, None]
    setattr(module, norm, nn.Identity())
    return offset / scale


def _fold_li_lim(network: LiLimNetwork) -> None:
    _fold_after(network, network.conv, "norm")
    _fold_after(network, network.policy_conv, "policy_norm")
    _fold_after(network, network.value_conv, "value_norm")
    for block in cast(list[PostActivationBlock], list(network.blocks)):
        _fold_after(block, block.conv1, "norm1")
        _fold_after(block, block.conv2, "norm2")


def _fold_miai(network: MiaiNetwork) -> None:
    last, last_shift = network.conv, torch.zeros(())
    for block in cast(list[PreActivationBlock], list(network.blocks)):
        shift = _fold_before(block, "norm1", block.conv1)
        _add_bias(last, shift - last_shift)
        last, last_shift = block.conv2, shift
        kept_scale = _fold_after(block, block.conv1, "norm2")
        if block.num_pooled:
            _scale_rows(block.pool_linear, kept_scale)
            _fold_after(block, block.conv1, "pool_norm", first=len(kept_scale))
    _add_bias(last, _fold_before(network, "norm", network.head_conv) - last_shift)
    points_scale = _fold_after(network, network.head_conv, "policy_norm")
    _scale_rows(network.policy_pool_linear, points_scale)
    _fold_after(network, network.head_conv, "pool_norm", first=len(points_scale))
    _fold_after(network, network.head_conv, "value_norm", first=2 * len(points_scale))
