"""The forward pass of KataGo's networks, stated once, in terms of `KatagoOperations`.

It is built by whatever implements these: OpenVINO (`miai.nets.katago.openvino_model`) and torch
(`miai.nets.katago.torch_model`).
"""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from miai.nets.katago.layers import (
    AttentionBlock,
    Block,
    BottleneckBlock,
    ConvWeights,
    FeedForwardBlock,
    KatagoModel,
    NormActConv,
    NormLayer,
    OrdinaryBlock,
    PoolingBlock,
)
from miai.nets.katago.model_file import KO_RULE

_IMPOSSIBLE = 1e5
"""What is taken from the logit of an outcome that the rules exclude."""

Points = TypeVar("Points")
"""Channels at every point of a batch of boards, in whatever order of axes a library likes."""
Vector = TypeVar("Vector")
"""[batch, channels]."""


class KatagoOperations(Protocol[Points, Vector]):
    """The steps of a forward pass; linear weights are [inputs, outputs]."""

    def width(self, x: Points) -> int:
        """Return how many points a row of the board has."""
        ...

    def conv(self, x: Points, conv: ConvWeights) -> Points:
        """Apply a convolution, padded so that the board keeps its size."""
        ...

    def norm(self, x: Points, norm: NormLayer, activation: str) -> Points:
        """Normalise, then apply an activation."""
        ...

    def attention(self, x: Points, block: AttentionBlock) -> Points:
        """Return what self-attention adds to the stream."""
        ...

    def feed_forward(self, x: Points, block: FeedForwardBlock) -> Points:
        """Return what a gated feed-forward layer adds to the stream."""
        ...

    def before_blocks(self, x: Points, blocks: Sequence[Block]) -> Points:
        """Return `x` in the order of axes and the precision in which these blocks are fastest."""
        ...

    def after_blocks(self, x: Points) -> Points:
        """Return `x` in the precision of the heads."""
        ...

    def add(self, x: Points, y: Points) -> Points:
        """Return the sum."""
        ...

    def add_by_channel(self, x: Points, y: Vector) -> Points:
        """Add `y` to every point."""
        ...

    def mean(self, x: Points) -> Vector:
        """Return each channel's mean over the board."""
        ...

    def maximum(self, x: Points) -> Vector:
        """Return each channel's maximum over the board."""
        ...

    def flatten(self, x: Points) -> Vector:
        """Return the only channel at all points, row by row."""
        ...

    def join_pass(self, x: Points, passes: Vector) -> Sequence[Vector]:
        """Return the logits of all moves, pass last, for each channel."""
        ...

    def linear(self, x: Vector, weight: np.ndarray, bias: np.ndarray | None = None) -> Vector:
        """Apply a fully connected layer."""
        ...

    def activate(self, x: Vector, activation: str) -> Vector:
        """Apply an activation: one of `miai.nets.katago.layers.ACTIVATIONS`, `softplus`, `sqrt` or `tanh`."""
        ...

    def softmax(self, x: Vector) -> Vector:
        """Return probabilities from logits."""
        ...

    def affine(self, x: Vector, factor: float, summand: float = 0.0) -> Vector:
        """Return `factor·x + summand`."""
        ...

    def multiply(self, x: Vector, y: Vector) -> Vector:
        """Return the product, number by number."""
        ...

    def subtract(self, x: Vector, y: Vector) -> Vector:
        """Return the difference, number by number."""
        ...

    def concat(self, *parts: Vector) -> Vector:
        """Return the channels of all parts."""
        ...

    def columns(self, x: Vector) -> Sequence[Vector]:
        """Return each channel as [batch, 1]."""
        ...

    def squeeze(self, x: Vector) -> Vector:
        """Return the only channel as [batch]."""
        ...


class ForwardPass(Generic[Points, Vector]):
    """A network's forward pass with one library's operations."""

    def __init__(self, operations: KatagoOperations[Points, Vector], model: KatagoModel) -> None:
        self._operations = operations
        self._model = model

    def evaluate(self, planes: Points, numbers: Vector) -> tuple[Vector, ...]:
        """Return what `miai.nets.inference.backend.Outputs` holds, in that order.

        Args:
            planes: the network's input at every point.
            numbers: its global input.
        """
        operations, trunk = self._operations, self._model.trunk
        x = operations.add_by_channel(operations.conv(planes, trunk.conv), operations.linear(numbers, trunk.globals))
        x = operations.after_blocks(self._stack(x, trunk.blocks))
        x = operations.norm(x, trunk.norm, trunk.activation)
        policy, optimistic = self._policies(x)
        return policy, *self._value(x, operations.columns(numbers)[KO_RULE]), optimistic

    def _stack(self, x: Points, blocks: Sequence[Block]) -> Points:
        x = self._operations.before_blocks(x, blocks)
        for block in blocks:
            x = self._operations.add(x, self._block(x, block))
        return x

    def _block(self, x: Points, block: Block) -> Points:
        match block:
            case OrdinaryBlock():
                return self._norm_act_conv(self._norm_act_conv(x, block.first), block.second)
            case PoolingBlock():
                return self._pooling(x, block)
            case BottleneckBlock():
                inner = self._stack(self._norm_act_conv(x, block.first), block.blocks)
                return self._norm_act_conv(inner, block.last)
            case AttentionBlock():
                return self._operations.attention(x, block)
            case FeedForwardBlock():
                return self._operations.feed_forward(x, block)

    def _norm_act_conv(self, x: Points, layer: NormActConv) -> Points:
        return self._operations.conv(self._operations.norm(x, layer.norm, layer.activation), layer.conv)

    def _pooling(self, x: Points, block: PoolingBlock) -> Points:
        operations = self._operations
        seen = operations.norm(x, block.first.norm, block.first.activation)
        pooled = operations.norm(operations.conv(seen, block.pooled_conv), block.pooled_norm, block.pooled_activation)
        bias = operations.linear(self._pool(pooled), block.bias)
        hidden = operations.add_by_channel(operations.conv(seen, block.first.conv), bias)
        return self._norm_act_conv(hidden, block.second)

    def _pool(self, x: Points) -> Vector:
        """Return means, means by the board's width and maxima (Wu 2019, section 3.3)."""
        operations = self._operations
        means = operations.mean(x)
        by_width = operations.affine(means, (operations.width(x) - 14) / 10)
        return operations.concat(means, by_width, operations.maximum(x))

    def _policies(self, x: Points) -> tuple[Vector, Vector]:
        """Return the logits of all moves: the policy's, and the optimistic one's."""
        operations, head = self._operations, self._model.policy
        pooled = operations.norm(operations.conv(x, head.pooled_conv), head.pooled_norm, head.pooled_activation)
        summary = self._pool(pooled)
        points = operations.add_by_channel(operations.conv(x, head.conv), operations.linear(summary, head.bias))
        points = operations.conv(operations.norm(points, head.norm, head.activation), head.last_conv)
        if head.pass_inner is None:
            passes = operations.linear(summary, head.pass_linear)
        else:
            bias, activation, last = head.pass_inner
            passes = operations.linear(summary, head.pass_linear, bias)
            passes = operations.linear(operations.activate(passes, activation), last)
        logits = operations.join_pass(points, passes)
        return logits[0], logits[min(1, len(logits) - 1)]

    def _value(self, x: Points, has_superko: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """Return probabilities of win, no result and loss, lead, ownership, and details."""
        operations, head = self._operations, self._model.value
        seen = operations.norm(operations.conv(x, head.conv), head.norm, head.activation)
        means = operations.mean(seen)
        width = operations.width(x) - 14
        by_width = (operations.affine(means, factor) for factor in (width / 10, width**2 / 100 - 0.1))
        units = operations.linear(operations.concat(means, *by_width), head.linear, head.linear_bias)
        units = operations.activate(units, head.linear_activation)
        win, loss, nothing = operations.columns(operations.linear(units, head.outcome, head.outcome_bias))
        nothing = operations.subtract(nothing, operations.affine(has_superko, _IMPOSSIBLE))
        wdl = operations.softmax(operations.concat(win, nothing, loss))
        has_result = operations.affine(operations.columns(wdl)[1], -1.0, 1.0)
        scores = operations.columns(operations.linear(units, head.score, head.score_bias))
        mean, deviation, lead, time, *errors = self._scores(scores)
        lead, mean = operations.multiply(lead, has_result), operations.multiply(mean, has_result)
        ownership = operations.activate(operations.flatten(operations.conv(seen, head.ownership)), "tanh")
        return wdl, operations.squeeze(lead), ownership, operations.concat(mean, deviation, time, *errors)

    def _scores(self, raw: Sequence[Vector]) -> list[Vector]:
        """Return score, its deviation, lead, variance of the time left and short-term errors, each [batch, 1]."""
        operations, by = self._operations, self._model.multipliers
        mean, deviation, lead, time = raw[:4]
        mean, lead = operations.affine(mean, by.score_mean), operations.affine(lead, by.lead)
        deviation = operations.affine(operations.activate(deviation, "softplus"), by.score_deviation)
        time = operations.affine(operations.activate(time, "softplus"), by.variance_time)
        if self._model.version < 9:
            unknown = operations.affine(mean, 0.0, -1.0)
            return [mean, deviation, lead, unknown, unknown, unknown]
        value_error = self._error(raw[4], by.short_term_value_error, 1.0)
        score_error = self._error(raw[5], by.short_term_score_error, 10.0)
        return [mean, deviation, lead, time, value_error, score_error]

    def _error(self, raw: Vector, factor: float, old_factor: float) -> Vector:
        """Return a short-term error; version 9 had other factors, and the root was taken of the whole before 14."""
        operations = self._operations
        if self._model.version < 10:
            return operations.affine(operations.activate(raw, "softplus"), old_factor)
        if self._model.version < 14:
            return operations.activate(operations.affine(operations.activate(raw, "softplus"), factor), "sqrt")
        half = operations.activate(operations.affine(raw, 0.5), "softplus")
        return operations.affine(half, factor**0.5)
