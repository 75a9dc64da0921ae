"""KataGo's networks as OpenVINO's models, made from their weights alone.

Values between layers lie either as a grid [batch, channels, size, size], which convolutions over several points need,
or as points [batch, size·size, channels], which makes a pointwise convolution a matrix product. Each layer takes what
it can use, so a transformer never leaves the latter.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from miai.nets.inference.openvino_library import openvino, operators
from miai.nets.katago.forward_pass import ForwardPass
from miai.nets.katago.layers import (
    AttentionBlock,
    Block,
    ConvWeights,
    FeedForwardBlock,
    KatagoModel,
    NormLayer,
    OrdinaryBlock,
    PoolingBlock,
    RmsNorm,
)
from miai.nets.katago.model_file import NUM_GLOBALS, NUM_PLANES
from miai.nets.planes import num_planes

Node: TypeAlias = Any
"""OpenVINO's, of an operator with one output."""

_ACTIVATIONS: dict[str, Callable[[Node], Node]] = {
    "identity": lambda node: node,
    "relu": operators.relu,
    "mish": operators.mish,
    "silu": operators.swish,
    "softplus": operators.softplus,
    "sqrt": operators.sqrt,
    "tanh": operators.tanh,
}


class _NodeValues(NamedTuple):
    """What lies between two layers."""

    node: Node
    is_grid: bool

    @property
    def board_axes(self) -> np.ndarray:
        """The axes of points."""
        return np.array([2, 3] if self.is_grid else [1])


def build_katago_model(model: KatagoModel, size: int) -> openvino.Model:
    """Return a model of a network for boards of one size, which takes batches of any number.

    Its input are planes [batch, C, size, size] of the kind `katago`, its outputs those of
    `miai.nets.inference.backend.Outputs`, in that order.
    """
    planes = operators.parameter([-1, num_planes("katago"), size, size], np.float32)
    inputs, numbers = operators.variadic_split(planes, 1, np.array([NUM_PLANES, NUM_GLOBALS])).outputs()
    numbers = operators.reduce_max(numbers, np.array([2, 3]), False)
    outputs = ForwardPass(_OpenvinoOperations(size), model).evaluate(_NodeValues(inputs, True), numbers)
    return openvino.Model([operators.result(output) for output in outputs], [planes])


def _constant(array: Any) -> Node:
    return operators.constant(np.asarray(array, dtype=np.float32))


def _reshaped(node: Node, *shape: int) -> Node:
    """Return a node of another shape, where 0 keeps a length and -1 takes what is left."""
    return operators.reshape(node, np.array(shape), special_zero=True)


def _project(x: Node, weight: np.ndarray) -> Node:
    """Return `x` [..., inputs] times `weight` [inputs, outputs]."""
    return operators.matmul(x, _constant(weight.T), False, True)


class _OpenvinoOperations:
    """Layers as operators, for boards of one size; see `miai.nets.katago.forward_pass.KatagoOperations`."""

    def __init__(self, size: int) -> None:
        self._size = size

    def width(self, x: _NodeValues) -> int:
        return self._size

    def _as_grid(self, x: _NodeValues) -> Node:
        if x.is_grid:
            return x.node
        return _reshaped(operators.transpose(x.node, np.array([0, 2, 1])), 0, 0, self._size, self._size)

    def _as_points(self, x: _NodeValues) -> Node:
        if not x.is_grid:
            return x.node
        return operators.transpose(_reshaped(x.node, 0, 0, -1), np.array([0, 2, 1]))

    def before_blocks(self, x: _NodeValues, blocks: Sequence[Block]) -> _NodeValues:
        has_grid = any(isinstance(block, OrdinaryBlock | PoolingBlock) for block in blocks)
        return x if has_grid else _NodeValues(self._as_points(x), False)

    def after_blocks(self, x: _NodeValues) -> _NodeValues:
        return x

    def add(self, x: _NodeValues, y: _NodeValues) -> _NodeValues:
        other = self._as_grid(y) if x.is_grid else self._as_points(y)
        return _NodeValues(operators.add(x.node, other), x.is_grid)

    def add_by_channel(self, x: _NodeValues, y: Node) -> _NodeValues:
        return _NodeValues(operators.add(x.node, operators.unsqueeze(y, x.board_axes)), x.is_grid)

    def conv(self, x: _NodeValues, conv: ConvWeights) -> _NodeValues:
        if conv.is_pointwise and not x.is_grid:
            return _NodeValues(_project(x.node, conv.weight[:, :, 0, 0].T), False)
        margins = [width // 2 for width in conv.weight.shape[2:]]
        node = operators.convolution(self._as_grid(x), _constant(conv.weight), [1, 1], margins, margins, [1, 1])
        return _NodeValues(node, True)

    def norm(self, x: _NodeValues, norm: NormLayer, activation: str) -> _NodeValues:
        node = self._over_root_mean_square(x, norm) if isinstance(norm, RmsNorm) else x.node
        index = (None, slice(None), None, None) if x.is_grid else (None, None, slice(None))
        node = operators.multiply(node, _constant(norm.factor[index]))
        if norm.summand.any():
            node = operators.add(node, _constant(norm.summand[index]))
        return _NodeValues(self.activate(node, activation), x.is_grid)

    def _over_root_mean_square(self, x: _NodeValues, norm: RmsNorm) -> Node:
        channels = 1 if x.is_grid else 2
        axes = [channels, *x.board_axes] if norm.is_global else [channels]
        mean = operators.reduce_mean(operators.power(x.node, _constant(2.0)), np.array(axes), True)
        root = operators.sqrt(operators.add(mean, _constant(norm.epsilon)))
        return operators.multiply(x.node, operators.divide(_constant(1.0), root))

    def attention(self, x: _NodeValues, block: AttentionBlock) -> _NodeValues:
        normalized = self._over_root_mean_square(_NodeValues(self._as_points(x), False), block.norm)
        scale = block.norm.factor[:, None]
        width = block.query.shape[1] // block.heads
        query, key = block.query * scale / np.sqrt(width), block.key * scale
        if block.frequencies is None:
            queries, keys = _project(normalized, query), _project(normalized, key)
        else:
            queries = self._rotated(normalized, query, block.frequencies, block.heads)
            keys = self._rotated(normalized, key, block.frequencies, block.kv_heads)
        found = self._attend(
            self._by_head(queries, block.heads, block.heads),
            self._by_head(keys, block.kv_heads, block.heads),
            self._by_head(_project(normalized, block.value * scale), block.kv_heads, block.heads),
        )
        return _NodeValues(_project(found, block.output), False)

    def _rotated(self, x: Node, weight: np.ndarray, frequencies: np.ndarray, heads: int) -> Node:
        """Project, and rotate pairs of numbers by angles that grow with column and row (Su et al. 2021, in the plane).

        Each head's first numbers come before its second ones: attention sums over all, so their order is free.
        """
        rows, columns = np.divmod(np.arange(self._size**2, dtype=np.float32), self._size)
        angles = columns[:, None, None] * frequencies[..., 0] + rows[:, None, None] * frequencies[..., 1]
        by_channel = np.repeat(angles, heads // len(frequencies), axis=1).reshape(1, self._size**2, -1)
        cosine, sine = _constant(np.cos(by_channel)), _constant(np.sin(by_channel))
        halves = np.concatenate([weight[:, 0::2], weight[:, 1::2]], axis=1)
        parts = np.array([-1, by_channel.shape[2]])
        first, second = operators.variadic_split(_project(x, halves), 2, parts).outputs()
        turned = (
            operators.subtract(operators.multiply(first, cosine), operators.multiply(second, sine)),
            operators.add(operators.multiply(first, sine), operators.multiply(second, cosine)),
        )
        return _reshaped(operators.concat([_reshaped(part, 0, 0, heads, -1) for part in turned], 3), 0, 0, -1)

    def _by_head(self, x: Node, heads: int, needed: int) -> Node:
        """Return [batch, heads, points, width]."""
        split = _reshaped(x, 0, 0, heads, -1)
        if heads < needed:
            indices = np.repeat(np.arange(heads), needed // heads)
            split = operators.gather(split, indices, np.int64(2))
        return operators.transpose(split, np.array([0, 2, 1, 3]))

    def _attend(self, queries: Node, keys: Node, values: Node) -> Node:
        weights = operators.softmax(operators.matmul(queries, keys, False, True), 3)
        found = operators.transpose(operators.matmul(weights, values, False, False), np.array([0, 2, 1, 3]))
        return _reshaped(found, 0, 0, -1)

    def feed_forward(self, x: _NodeValues, block: FeedForwardBlock) -> _NodeValues:
        normalized = self._over_root_mean_square(_NodeValues(self._as_points(x), False), block.norm)
        scale = block.norm.factor[:, None]
        gate = _project(normalized, block.gate * scale)
        gated = operators.multiply(operators.swish(_project(normalized, block.activated * scale)), gate)
        return _NodeValues(_project(gated, block.output), False)

    def mean(self, x: _NodeValues) -> Node:
        return operators.reduce_mean(x.node, x.board_axes, False)

    def maximum(self, x: _NodeValues) -> Node:
        return operators.reduce_max(x.node, x.board_axes, False)

    def flatten(self, x: _NodeValues) -> Node:
        return _reshaped(x.node, 0, -1)

    def join_pass(self, x: _NodeValues, passes: Node) -> list[Node]:
        logits = operators.concat([self._as_points(x), operators.unsqueeze(passes, np.array([1]))], 1)
        num_channels = logits.get_output_partial_shape(0)[2].get_length()
        return [operators.gather(logits, np.int64(channel), np.int64(2)) for channel in range(num_channels)]

    def linear(self, x: Node, weight: np.ndarray, bias: np.ndarray | None = None) -> Node:
        found = _project(x, weight)
        return found if bias is None else operators.add(found, _constant(bias[None]))

    def activate(self, x: Node, activation: str) -> Node:
        return _ACTIVATIONS[activation](x)

    def softmax(self, x: Node) -> Node:
        return operators.softmax(x, 1)

    def affine(self, x: Node, factor: float, summand: float = 0.0) -> Node:
        found = operators.multiply(x, _constant(factor))
        return operators.add(found, _constant(summand)) if summand else found

    def multiply(self, x: Node, y: Node) -> Node:
        return operators.multiply(x, y)

    def subtract(self, x: Node, y: Node) -> Node:
        return operators.subtract(x, y)

    def concat(self, *parts: Node) -> Node:
        return operators.concat(list(parts), 1)

    def columns(self, x: Node) -> list[Node]:
        num_channels = x.get_output_partial_shape(0)[1].get_length()
        return list(operators.variadic_split(x, 1, np.ones(num_channels, np.int64)).outputs())

    def squeeze(self, x: Node) -> Node:
        return operators.reshape(x, np.array([-1]), special_zero=False)
