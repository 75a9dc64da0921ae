"""Batch norm folded into convolutions: the same function with fewer steps, for inference.

In evaluation a batch norm is `s·(x + c)` for each channel. Behind a convolution it goes into that one's weights and
bias. In front of `relu` and a convolution its `s > 0` goes into the latter's weights, since `relu(s·x) = s·relu(x)`.
What is left in front of a block of the kind `miai`, `x + c`, moves back: with `y = x + c` in place of `x` between the
blocks, the convolution that ends a block adds the next one's `c` less its own.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from miai.nets.config import NetConfig

Arrays = Mapping[str, np.ndarray]

_EPSILON = 1e-5
"""What torch's batch norms add to a variance."""


def fold(config: NetConfig, arrays: Arrays) -> dict[str, np.ndarray]:
    """Return the arrays of a network that gives the same up to rounding, without batch norms, float32.

    Their names are the same; the convolutions have a bias more.

    Args:
        arrays: of `miai.nets.arrays.array_shapes(config)`.
    """
    folding = _Folding(arrays)
    if config.kind == "li-lim":
        _fold_li_lim(folding, config.blocks)
    else:
        _fold_miai(folding, config)
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in folding.folded.items()}


class _Affine(NamedTuple):
    """A batch norm in evaluation, `scale·x + offset`."""

    scale: np.ndarray
    offset: np.ndarray


class _Folding:
    """The arrays on the way."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        norms = {name.removesuffix(".running_mean") for name in arrays if name.endswith(".running_mean")}
        self.folded = {
            name: array.astype(np.float64) for name, array in arrays.items() if name.rpartition(".")[0] not in norms
        }

    def _affine(self, norm: str) -> _Affine:
        scale = 1.0 / np.sqrt(self._arrays[f"{norm}.running_var"] + _EPSILON, dtype=np.float64)
        scale *= self._arrays.get(f"{norm}.weight", 1.0)
        return _Affine(scale, self._arrays[f"{norm}.bias"] - scale * self._arrays[f"{norm}.running_mean"])

    def add_bias(self, layer: str, bias: np.ndarray, first: int = 0) -> None:
        """Let a convolution add more to its outputs from `first` on."""
        nothing = np.zeros(len(self.folded[f"{layer}.weight"]))
        self.folded.setdefault(f"{layer}.bias", nothing)[first : first + len(bias)] += bias

    def scale_rows(self, layer: str, scale: np.ndarray, first: int = 0) -> None:
        """Multiply the outputs of a layer from `first` on, but for its bias."""
        weight = self.folded[f"{layer}.weight"]
        weight[first : first + len(scale)] *= scale.reshape(-1, *[1] * (weight.ndim - 1))

    def fold_after(self, conv: str, norm: str, first: int = 0) -> np.ndarray:
        """Make a norm part of the convolution whose outputs, from `first` on, it takes; return its factors."""
        scale, offset = self._affine(norm)
        self.scale_rows(conv, scale, first)
        self.add_bias(conv, offset, first)
        return scale

    def fold_before(self, norm: str, conv: str) -> np.ndarray:
        """Make a norm's factors part of the convolution behind the `relu` behind it; return what it adds to `x`."""
        scale, offset = self._affine(norm)
        self.folded[f"{conv}.weight"] *= scale[:, None, None]
        return offset / scale


def _fold_li_lim(folding: _Folding, num_blocks: int) -> None:
    folding.fold_after("conv", "norm")
    folding.fold_after("policy_conv", "policy_norm")
    folding.fold_after("value_conv", "value_norm")
    for block in range(num_blocks):
        for number in (1, 2):
            folding.fold_after(f"blocks.{block}.conv{number}", f"blocks.{block}.norm{number}")


def _fold_miai(folding: _Folding, config: NetConfig) -> None:
    last, last_shift = "conv", np.zeros(())
    for number in range(config.blocks):
        block = f"blocks.{number}"
        shift = folding.fold_before(f"{block}.norm1", f"{block}.conv1")
        folding.add_bias(last, shift - last_shift)
        last, last_shift = f"{block}.conv2", shift
        kept_scale = folding.fold_after(f"{block}.conv1", f"{block}.norm2")
        if config.pools(number):
            folding.scale_rows(f"{block}.pool_linear", kept_scale)
            folding.fold_after(f"{block}.conv1", f"{block}.pool_norm", first=len(kept_scale))
    folding.add_bias(last, folding.fold_before("norm", "head_conv") - last_shift)
    points_scale = folding.fold_after("head_conv", "policy_norm")
    folding.scale_rows("policy_pool_linear", points_scale)
    folding.fold_after("head_conv", "pool_norm", first=len(points_scale))
    folding.fold_after("head_conv", "value_norm", first=2 * len(points_scale))
