"""Batch norm folded into convolutions: the same function with fewer steps, for inference.

In evaluation a batch norm is `s·(x + c)` for each channel. Behind a layer it goes into that one's weights and
bias. In front of `relu` and a convolution its `s > 0` goes into the latter's weights, since `relu(s·x) = s·relu(x)`.
What is left there, `x + c`, moves back: with `y = x + c` in place of `x` between the blocks, the convolution that ends
a block adds the next one's `c` less its own.

What stands behind what is found by a forward pass over no values, only what is to be known of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from miai.nets.config import NetConfig
from miai.nets.form import forward

Arrays = Mapping[str, np.ndarray]

_EPSILON = 1e-5
"""What torch's batch norms add to a variance."""


def fold(config: NetConfig, arrays: Arrays) -> dict[str, np.ndarray]:
    """Return the arrays of a network that gives the same up to rounding, without batch norms, float32.

    Their names are the same; the convolutions have a bias more.

    Args:
        arrays: of `miai.nets.form.array_shapes(config)`.
    """
    operations = _FoldOperations(arrays)
    forward(operations, config, _FoldedValues())
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in operations.folded.items()}


@dataclass
class _FoldedValues:
    """What is to be known of values on their way."""

    layers: list[tuple[str, int]] = field(default_factory=list)
    """The layers whose outputs they are the sum of, and which output of each is the first; none if more was done."""
    moved: np.ndarray | float = 0.0
    """What they are more than without folding."""
    scale: np.ndarray | None = None
    """What the convolution behind them must multiply them by."""


class _FoldOperations:
    """Folds batch norms where a forward pass comes to them; see `miai.nets.operations.Operations`."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        norms = {name.removesuffix(".running_mean") for name in arrays if name.endswith(".running_mean")}
        self.folded = {
            name: array.astype(np.float64) for name, array in arrays.items() if name.rpartition(".")[0] not in norms
        }

    def conv(self, x: _FoldedValues, name: str) -> _FoldedValues:
        if x.scale is not None:
            self.folded[f"{name}.weight"] *= x.scale[:, None, None]
        return _FoldedValues([(name, 0)])

    def linear(self, x: _FoldedValues, name: str) -> _FoldedValues:
        self._pass_on(x)
        return _FoldedValues([(name, 0)])

    def norm(self, x: _FoldedValues, name: str) -> _FoldedValues:
        scale, offset = self._affine_of(name)
        for layer, first in x.layers:
            weight = self.folded[f"{layer}.weight"]
            weight[first : first + len(scale)] *= scale.reshape(-1, *[1] * (weight.ndim - 1))
        self._add_bias(*x.layers[0], offset)
        return _FoldedValues()

    def stream_norm(self, x: _FoldedValues, name: str) -> _FoldedValues:
        scale, offset = self._affine_of(name)
        moved = offset / scale
        self._add_bias(*x.layers[-1], moved - x.moved)
        x.moved = moved
        return _FoldedValues(scale=scale)

    def relu(self, x: _FoldedValues) -> _FoldedValues:
        return _FoldedValues(scale=x.scale)

    def add(self, x: _FoldedValues, y: _FoldedValues) -> _FoldedValues:
        return _FoldedValues([*x.layers, *y.layers], x.moved)

    add_by_channel = add

    def split(self, x: _FoldedValues, *lengths: int) -> list[_FoldedValues]:
        firsts = np.cumsum([0, *lengths[:-1]]).tolist()
        return [_FoldedValues([(layer, start + first) for layer, start in x.layers]) for first in firsts]

    def join_pass(self, points: _FoldedValues, passes: _FoldedValues) -> list[_FoldedValues]:
        return [_FoldedValues()]

    def affine(self, x: _FoldedValues, factor: float, summand: float = 0.0) -> _FoldedValues:
        return self._pass_on(x)

    def concat(self, *parts: _FoldedValues) -> _FoldedValues:
        return _FoldedValues()

    def _pass_on(self, x: _FoldedValues) -> _FoldedValues:
        assert x.scale is None, "only relu and a convolution may follow stream_norm"
        return _FoldedValues()

    tanh = softmax = pool = flatten = squeeze = _pass_on

    def _affine_of(self, norm: str) -> tuple[np.ndarray, np.ndarray]:
        """Return factor and summand of a batch norm in evaluation."""
        scale = 1.0 / np.sqrt(self._arrays[f"{norm}.running_var"] + _EPSILON, dtype=np.float64)
        scale *= self._arrays.get(f"{norm}.weight", 1.0)
        return scale, self._arrays[f"{norm}.bias"] - scale * self._arrays[f"{norm}.running_mean"]

    def _add_bias(self, layer: str, first: int, bias: np.ndarray) -> None:
        """Let a layer add more to its outputs from `first` on."""
        nothing = np.zeros(len(self.folded[f"{layer}.weight"]))
        self.folded.setdefault(f"{layer}.bias", nothing)[first : first + len(bias)] += bias
