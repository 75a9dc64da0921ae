"""The parts of networks: layers, which have arrays, and the operations that a forward pass is written in.

A form states its layers and its forward pass once, in terms of these. It is built by whatever implements
`Operations`: torch (`miai.nets.torch_network`), OpenVINO (`miai.nets.inference.openvino_model`), and the folding of
batch norms (`miai.nets.folding`). Loads neither NumPy nor torch.
"""

from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

Shapes = dict[str, tuple[int, ...]]
"""The shapes of arrays by name."""


@dataclass(frozen=True)
class Conv:
    """A convolution, padded so that the board keeps its size."""

    name: str
    inputs: int
    outputs: int
    width: int = 3
    has_bias: bool = False
    precedes_relu: bool = True
    """Whether its random weights are scaled for a `relu` behind it (He et al. 2015), or as torch does by default."""

    def shapes(self) -> Shapes:
        """Return the shapes of its arrays."""
        return _shapes(self, self.width, self.width)


@dataclass(frozen=True)
class Linear:
    """A fully connected layer."""

    name: str
    inputs: int
    outputs: int
    has_bias: bool = True

    def shapes(self) -> Shapes:
        """Return the shapes of its arrays."""
        return _shapes(self)


def _shapes(layer: Conv | Linear, *window: int) -> Shapes:
    weight: Shapes = {f"{layer.name}.weight": (layer.outputs, layer.inputs, *window)}
    return weight | {f"{layer.name}.bias": (layer.outputs,)} if layer.has_bias else weight


@dataclass(frozen=True)
class Norm:
    """A batch norm; it learns a shift for each channel, and a scale too if it `has_scale`."""

    name: str
    channels: int
    has_scale: bool

    def shapes(self) -> Shapes:
        """Return the shapes of its arrays; `num_batches_tracked` is int64."""
        parts = ("weight",) * self.has_scale + ("bias", "running_mean", "running_var")
        learned: Shapes = {f"{self.name}.{part}": (self.channels,) for part in parts}
        return learned | {f"{self.name}.num_batches_tracked": ()}


NetLayer: TypeAlias = Conv | Linear | Norm

Value = TypeVar("Value")
"""A batch on its way through a network: a tensor, a node of a graph, or what is to be known of one."""


class Operations(Protocol[Value]):
    """The steps of a forward pass; values are [batch, channels, size, size], or [batch, channels] if so said."""

    def conv(self, x: Value, name: str) -> Value:
        """Apply the convolution of this name."""
        ...

    def linear(self, x: Value, name: str) -> Value:
        """Apply the fully connected layer of this name, [batch, channels] both."""
        ...

    def norm(self, x: Value, name: str) -> Value:
        """Normalise the output of a layer, or the sum of several; nothing else reads it."""
        ...

    def stream_norm(self, x: Value, name: str) -> Value:
        """Normalise values that later blocks read too; `relu` and a convolution follow, and it has no factors."""
        ...

    def relu(self, x: Value) -> Value:
        """Return the positive part."""
        ...

    def tanh(self, x: Value) -> Value:
        """Return the hyperbolic tangent."""
        ...

    def softmax(self, x: Value) -> Value:
        """Return probabilities from logits, [batch, channels] both."""
        ...

    def add(self, x: Value, y: Value) -> Value:
        """Return the sum."""
        ...

    def add_by_channel(self, x: Value, y: Value) -> Value:
        """Add `y` [batch, channels] to every point of the board."""
        ...

    def affine(self, x: Value, factor: float, summand: float = 0.0) -> Value:
        """Return `factor·x + summand`."""
        ...

    def pool(self, x: Value) -> Value:
        """Return [batch, 3·channels]: means over the board, means by how wide the board is, maxima (KataGo's)."""
        ...

    def split(self, x: Value, *lengths: int) -> list[Value]:
        """Return the parts of so many channels each."""
        ...

    def flatten(self, x: Value) -> Value:
        """Return [batch, channels·size·size]."""
        ...

    def squeeze(self, x: Value) -> Value:
        """Return the only channel of [batch, 1] as [batch]."""
        ...

    def concat(self, *parts: Value) -> Value:
        """Return the channels of all parts, [batch, channels] all."""
        ...

    def join_pass(self, points: Value, passes: Value) -> list[Value]:
        """Return the logits of all moves, [batch, size·size + 1] for each channel; `passes` are [batch, channels]."""
        ...
