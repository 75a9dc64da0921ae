"""KataGo's networks as OpenVINO's models, made from their weights alone.

Values between layers lie either as a grid [batch, channels, size, size], which convolutions over several points need,
or as points [batch, size·size, channels], which makes a pointwise convolution a matrix product. Each layer takes what
it can use, so a transformer never leaves the latter.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from miai.nets.inference.openvino_library import openvino, operators
from miai.nets.katago.layers import (
    IMPOSSIBLE,
    AttentionBlock,
    Block,
    BottleneckBlock,
    ConvWeights,
    FeedForwardBlock,
    KatagoModel,
    NormActConv,
    NormLayer,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    RmsNorm,
    Trunk,
    ValueHead,
)
from miai.nets.katago.model_file import KO_RULE, NUM_GLOBALS, NUM_PLANES
from miai.nets.planes import num_planes

Node: TypeAlias = Any
"""OpenVINO's, of an operator with one output."""


class _NodeValues(NamedTuple):
    """What lies between two layers."""

    node: Node
    is_grid: bool


def build_katago_model(model: KatagoModel, size: int) -> openvino.Model:
    """Return a model of a network for boards of one size, which takes batches of any number.

    Its input are planes [batch, C, size, size] of the kind `katago`, its outputs those of
    `miai.nets.inference.backend.Outputs`, in that order.
    """
    planes = operators.parameter([-1, num_planes("katago"), size, size], np.float32)
    builder = _Builder(size)
    inputs, numbers = operators.variadic_split(planes, 1, np.array([NUM_PLANES, NUM_GLOBALS])).outputs()
    numbers = operators.reduce_max(numbers, np.array([2, 3]), False)
    stream = builder.trunk(model.trunk, _NodeValues(inputs, True), numbers)
    policy, optimistic = builder.policies(model.policy, stream)
    has_superko = builder.columns(numbers, KO_RULE, 1)
    outputs = policy, *builder.value(model, model.value, stream, has_superko), optimistic
    return openvino.Model([operators.result(output) for output in outputs], [planes])


def _constant(array: Any) -> Node:
    return operators.constant(np.asarray(array, dtype=np.float32))


class _Builder:
    """Layers as operators, for boards of one size."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._blocks: dict[type[Block], Callable[..., _NodeValues]] = {
            OrdinaryBlock: self._ordinary,
            PoolingBlock: self._pooling,
            BottleneckBlock: self._bottleneck,
            AttentionBlock: self._attention,
            FeedForwardBlock: self._feed_forward,
        }

    def _as_grid(self, x: _NodeValues) -> Node:
        if x.is_grid:
            return x.node
        turned = operators.transpose(x.node, np.array([0, 2, 1]))
        return operators.reshape(turned, np.array([0, 0, self._size, self._size]), special_zero=True)

    def _as_points(self, x: _NodeValues) -> Node:
        if not x.is_grid:
            return x.node
        flat = operators.reshape(x.node, np.array([0, 0, -1]), special_zero=True)
        return operators.transpose(flat, np.array([0, 2, 1]))

    def _add(self, x: _NodeValues, y: _NodeValues) -> _NodeValues:
        other = self._as_grid(y) if x.is_grid else self._as_points(y)
        return _NodeValues(operators.add(x.node, other), x.is_grid)

    def _by_channel(self, x: _NodeValues, channels: np.ndarray) -> Node:
        return _constant(channels[None, :, None, None] if x.is_grid else channels[None, None, :])

    def _add_by_channel(self, x: _NodeValues, y: Node) -> _NodeValues:
        """Add `y` [batch, channels] to every point."""
        axes = np.array([2, 3] if x.is_grid else [1])
        return _NodeValues(operators.add(x.node, operators.unsqueeze(y, axes)), x.is_grid)

    def _conv(self, x: _NodeValues, conv: ConvWeights) -> _NodeValues:
        if conv.is_pointwise and not x.is_grid:
            weight = _constant(conv.weight[:, :, 0, 0])
            return _NodeValues(operators.matmul(x.node, weight, False, True), False)
        margins = [width // 2 for width in conv.weight.shape[2:]]
        node = operators.convolution(self._as_grid(x), _constant(conv.weight), [1, 1], margins, margins, [1, 1])
        return _NodeValues(node, True)

    def _norm(self, x: _NodeValues, norm: NormLayer) -> _NodeValues:
        if isinstance(norm, RmsNorm):
            return _NodeValues(self._affine(x, self._over_root_mean_square(x, norm), norm), x.is_grid)
        return _NodeValues(self._affine(x, x.node, norm), x.is_grid)

    def _affine(self, x: _NodeValues, node: Node, norm: NormLayer) -> Node:
        scaled = operators.multiply(node, self._by_channel(x, norm.factor))
        return operators.add(scaled, self._by_channel(x, norm.summand)) if norm.summand.any() else scaled

    def _over_root_mean_square(self, x: _NodeValues, norm: RmsNorm) -> Node:
        axes = ([1, 2, 3] if norm.is_global else [1]) if x.is_grid else ([1, 2] if norm.is_global else [2])
        squares = operators.power(x.node, _constant(2.0))
        mean = operators.reduce_mean(squares, np.array(axes), True)
        root = operators.sqrt(operators.add(mean, _constant(norm.epsilon)))
        return operators.multiply(x.node, operators.divide(_constant(1.0), root))

    def _activate(self, node: Node, activation: str) -> Node:
        if activation == "relu":
            return operators.relu(node)
        if activation == "mish":
            return operators.mish(node)
        return operators.swish(node) if activation == "silu" else node

    def _normalized(self, x: _NodeValues, norm: NormLayer, activation: str) -> _NodeValues:
        return _NodeValues(self._activate(self._norm(x, norm).node, activation), x.is_grid)

    def _norm_act_conv(self, x: _NodeValues, layer: NormActConv) -> _NodeValues:
        return self._conv(self._normalized(x, layer.norm, layer.activation), layer.conv)

    def _linear(self, x: Node, weight: np.ndarray, bias: np.ndarray | None = None) -> Node:
        found = operators.matmul(x, _constant(weight.T), False, True)
        return found if bias is None else operators.add(found, _constant(bias[None]))

    def _means(self, x: _NodeValues) -> Node:
        return operators.reduce_mean(x.node, np.array([2, 3] if x.is_grid else [1]), False)

    def _pool(self, x: _NodeValues) -> Node:
        """Return means, means by the board's size and maxima [batch, 3·channels] (section 3.3)."""
        means = self._means(x)
        maxima = operators.reduce_max(x.node, np.array([2, 3] if x.is_grid else [1]), False)
        return operators.concat([means, operators.multiply(means, _constant((self._size - 14) / 10)), maxima], 1)

    def columns(self, x: Node, first: int, number: int) -> Node:
        """Return some channels of [batch, channels]."""
        return operators.slice(x, np.array([first]), np.array([first + number]), np.array([1]), np.array([1]))

    def trunk(self, trunk: Trunk, planes: _NodeValues, numbers: Node) -> _NodeValues:
        """Return what the heads look at."""
        stream = self._add_by_channel(self._conv(planes, trunk.conv), self._linear(numbers, trunk.globals))
        return self._normalized(self._stack(stream, trunk.blocks), trunk.norm, trunk.activation)

    def _stack(self, x: _NodeValues, blocks: tuple[Block, ...]) -> _NodeValues:
        if not any(isinstance(block, OrdinaryBlock | PoolingBlock) for block in blocks):
            x = _NodeValues(self._as_points(x), False)
        for block in blocks:
            x = self._add(x, self._blocks[type(block)](x, block))
        return x

    def _ordinary(self, x: _NodeValues, block: OrdinaryBlock) -> _NodeValues:
        return self._norm_act_conv(self._norm_act_conv(x, block.first), block.second)

    def _pooling(self, x: _NodeValues, block: PoolingBlock) -> _NodeValues:
        seen = self._normalized(x, block.first.norm, block.first.activation)
        pooled = self._normalized(self._conv(seen, block.pooled_conv), block.pooled_norm, block.pooled_activation)
        bias = self._linear(self._pool(pooled), block.bias)
        return self._norm_act_conv(self._add_by_channel(self._conv(seen, block.first.conv), bias), block.second)

    def _bottleneck(self, x: _NodeValues, block: BottleneckBlock) -> _NodeValues:
        return self._norm_act_conv(self._stack(self._norm_act_conv(x, block.first), block.blocks), block.last)

    def _attention(self, x: _NodeValues, block: AttentionBlock) -> _NodeValues:
        normalized = self._over_root_mean_square(_NodeValues(self._as_points(x), False), block.norm)
        scale = block.norm.factor[:, None]
        width = block.query.shape[1] // block.heads
        query, key = block.query * scale / np.sqrt(width), block.key * scale
        if block.frequencies is None:
            queries, keys = self._project(normalized, query), self._project(normalized, key)
        else:
            queries = self._rotated(normalized, query, block.frequencies, block.heads)
            keys = self._rotated(normalized, key, block.frequencies, block.kv_heads)
        found = self._attend(
            self._by_head(queries, block.heads, block.heads),
            self._by_head(keys, block.kv_heads, block.heads),
            self._by_head(self._project(normalized, block.value * scale), block.kv_heads, block.heads),
        )
        return _NodeValues(self._project(found, block.output), False)

    def _project(self, x: Node, weight: np.ndarray) -> Node:
        return operators.matmul(x, _constant(weight.T), False, True)

    def _rotated(self, x: Node, weight: np.ndarray, frequencies: np.ndarray, heads: int) -> Node:
        """Project, and rotate pairs of numbers by angles that grow with column and row (Su et al. 2021, in the plane).

        Each head's first numbers come before its second ones: attention sums over all, so their order is free.
        """
        rows, columns = np.divmod(np.arange(self._size**2, dtype=np.float32), self._size)
        angles = columns[:, None, None] * frequencies[..., 0] + rows[:, None, None] * frequencies[..., 1]
        by_channel = np.repeat(angles, heads // len(frequencies), axis=1).reshape(1, self._size**2, -1)
        cosine, sine = _constant(np.cos(by_channel)), _constant(np.sin(by_channel))
        halves = np.concatenate([weight[:, 0::2], weight[:, 1::2]], axis=1)
        first, second = operators.variadic_split(
            self._project(x, halves), 2, np.array([-1, by_channel.shape[2]])
        ).outputs()
        turned = (
            operators.subtract(operators.multiply(first, cosine), operators.multiply(second, sine)),
            operators.add(operators.multiply(first, sine), operators.multiply(second, cosine)),
        )
        by_head = [operators.reshape(part, np.array([0, 0, heads, -1]), special_zero=True) for part in turned]
        return operators.reshape(operators.concat(by_head, 3), np.array([0, 0, -1]), special_zero=True)

    def _by_head(self, x: Node, heads: int, needed: int) -> Node:
        """Return [batch, heads, points, width]."""
        split = operators.reshape(x, np.array([0, 0, heads, -1]), special_zero=True)
        if heads < needed:
            indices = np.repeat(np.arange(heads), needed // heads)
            split = operators.gather(split, indices, np.int64(2))
        return operators.transpose(split, np.array([0, 2, 1, 3]))

    def _attend(self, queries: Node, keys: Node, values: Node) -> Node:
        weights = operators.softmax(operators.matmul(queries, keys, False, True), 3)
        found = operators.transpose(operators.matmul(weights, values, False, False), np.array([0, 2, 1, 3]))
        return operators.reshape(found, np.array([0, 0, -1]), special_zero=True)

    def _feed_forward(self, x: _NodeValues, block: FeedForwardBlock) -> _NodeValues:
        normalized = self._over_root_mean_square(_NodeValues(self._as_points(x), False), block.norm)
        scale = block.norm.factor[:, None]
        gate = self._project(normalized, block.gate * scale)
        gated = operators.multiply(operators.swish(self._project(normalized, block.activated * scale)), gate)
        return _NodeValues(self._project(gated, block.output), False)

    def policies(self, head: PolicyHead, stream: _NodeValues) -> tuple[Node, Node]:
        """Return the logits of all moves [batch, size·size + 1]: the policy's, and the optimistic one's."""
        pooled = self._normalized(self._conv(stream, head.pooled_conv), head.pooled_norm, head.pooled_activation)
        summary = self._pool(pooled)
        points = self._add_by_channel(self._conv(stream, head.conv), self._linear(summary, head.bias))
        points = self._conv(self._normalized(points, head.norm, head.activation), head.last_conv)
        passes = self._linear(summary, head.pass_linear)
        if head.pass_inner is not None:
            bias, activation, last = head.pass_inner
            inner = self._activate(operators.add(passes, _constant(bias[None])), activation)
            passes = self._linear(inner, last)
        logits = operators.concat([self._as_points(points), operators.unsqueeze(passes, np.array([1]))], 1)
        return self._row(logits, 0), self._row(logits, min(1, len(head.last_conv.weight) - 1))

    def _row(self, logits: Node, row: int) -> Node:
        return operators.gather(logits, np.int64(row), np.int64(2))

    def value(self, model: KatagoModel, head: ValueHead, stream: _NodeValues, has_superko: Node) -> list[Node]:
        """Return probabilities of win, no result and loss, lead, ownership, and details; see `Outputs`."""
        seen = self._normalized(self._conv(stream, head.conv), head.norm, head.activation)
        means = self._means(seen)
        width = self._size - 14
        factors = (_constant(width / 10), _constant(width**2 / 100 - 0.1))
        summary = operators.concat([means, *(operators.multiply(means, factor) for factor in factors)], 1)
        units = self._activate(self._linear(summary, head.linear, head.linear_bias), head.linear_activation)
        win, loss, nothing = operators.variadic_split(
            self._linear(units, head.outcome, head.outcome_bias), 1, np.array([1, 1, 1])
        ).outputs()
        nothing = operators.subtract(nothing, operators.multiply(has_superko, _constant(IMPOSSIBLE)))
        wdl = operators.softmax(operators.concat([win, nothing, loss], 1), 1)
        has_result = operators.subtract(_constant(1.0), self.columns(wdl, 1, 1))
        scores = self._linear(units, head.score, head.score_bias)
        mean, deviation, lead, time, value_error, score_error = self._scores(model, scores)
        lead, mean = operators.multiply(lead, has_result), operators.multiply(mean, has_result)
        ownership = operators.tanh(
            operators.reshape(self._as_grid(self._conv(seen, head.ownership)), np.array([0, -1]), special_zero=True)
        )
        details = operators.concat([mean, deviation, time, value_error, score_error], 1)
        return [wdl, operators.reshape(lead, np.array([-1]), special_zero=False), ownership, details]

    def _scores(self, model: KatagoModel, scores: Node) -> list[Node]:
        """Return score, its deviation, lead, variance of the time left and short-term errors, each [batch, 1]."""
        by = model.multipliers
        mean, deviation, lead, time = (self.columns(scores, index, 1) for index in range(4))
        mean = operators.multiply(mean, _constant(by.score_mean))
        deviation = operators.multiply(operators.softplus(deviation), _constant(by.score_deviation))
        lead = operators.multiply(lead, _constant(by.lead))
        time = operators.multiply(operators.softplus(time), _constant(by.variance_time))
        if model.version < 9:
            unknown = operators.add(operators.multiply(time, _constant(0.0)), _constant(-1.0))
            return [mean, deviation, lead, unknown, unknown, unknown]
        errors = []
        for index, factor, old_factor in (
            (4, by.short_term_value_error, 1.0),
            (5, by.short_term_score_error, 10.0),
        ):
            raw = self.columns(scores, index, 1)
            if model.version >= 14:
                soft = operators.softplus(operators.multiply(raw, _constant(0.5)))
                errors.append(operators.multiply(soft, _constant(np.sqrt(factor))))
            elif model.version >= 10:
                scaled = operators.multiply(operators.softplus(raw), _constant(factor))
                errors.append(operators.sqrt(scaled))
            else:
                errors.append(operators.multiply(operators.softplus(raw), _constant(old_factor)))
        return [mean, deviation, lead, time, *errors]
