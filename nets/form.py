"""The form of each kind of network, stated once: its layers, and its forward pass in terms of `Operations`.

`li-lim` follows Li & Lim, section 4, after Silver et al. 2017 ("Mastering the game of Go without human knowledge"):
blocks `relu(x + bn(conv(relu(bn(conv(x))))))`, and heads of a 1x1 convolution and fully connected layers. It fits one
board size.

`miai` has blocks `x + conv(relu(bn(conv(relu(bn(x))))))` (He et al. 2016, "Identity mappings in deep residual
networks"), and global pooling in some blocks and all heads as in KataGo (Wu 2019, "Accelerating self-play learning in
Go", sections 3.3 and 4.1): it makes a quarter of a block's inner channels biases of the rest. The heads begin with one
common 1x1 convolution. The batch norms have no learned factors, which the weights of the next convolution make
superfluous: so `miai.nets.folding` can remove all of them.
"""

from collections.abc import Iterator
from typing import Any, Generic, NamedTuple

from miai.nets.config import NetConfig
from miai.nets.operations import Conv, Linear, NetLayer, Norm, Operations, Shapes, Value

HEAD_FILTERS = 32
"""Channels of each of the three parts of `miai`'s heads."""
VALUE_UNITS = 64
"""Of the layer before its values."""
LI_LIM_VALUE_UNITS = 256
"""The same of `li-lim`."""
POINTS = 20.0
"""Points for which the score head's last layer gives 1."""


class RawOutputs(NamedTuple, Generic[Value]):
    """Outputs of a network for a batch of positions, for the player to move, float; None where it has no such head."""

    policy: Value
    """Logits of the moves [batch, size·size + 1], pass last."""
    wdl: Value | None = None
    """Logits of win, draw and loss [batch, 3]."""
    score: Value | None = None
    """Points won by, komi included [batch]."""
    ownership: Value | None = None
    """Expected owner of every point at the end [batch, size·size]: 1 own, -1 the opponent's."""
    reply: Value | None = None
    """Logits of the opponent's next move [batch, size·size + 1]; None from a network whose arrays lack it."""
    value: Value | None = None
    """Expected result [batch], 1 = win, -1 = loss: in place of `wdl` in the kind `li-lim`."""


def layers_of(config: NetConfig) -> list[NetLayer]:
    """Return the layers of a network, in the order in which torch keeps and initializes their weights."""
    return list(_li_lim_layers(config) if config.kind == "li-lim" else _miai_layers(config))


def array_shapes(config: NetConfig) -> Shapes:
    """Return the shape of each array of a network by name; `num_batches_tracked` are int64, all others float32."""
    return {name: shape for layer in layers_of(config) for name, shape in layer.shapes().items()}


def forward(operations: Operations[Value], config: NetConfig, planes: Value) -> RawOutputs[Value]:
    """Return a network's outputs for planes [batch, C, size, size]."""
    if config.kind == "miai":
        return _miai(operations, config, planes)
    policy, value, _ = _li_lim(operations, config, planes)
    return RawOutputs(policy, value=operations.squeeze(value))


def evaluate(operations: Operations[Value], config: NetConfig, planes: Value) -> tuple[Value, Value, Value, Value]:
    """Return the policy's logits, probabilities of win, draw and loss, score and ownership, for inference.

    See `miai.nets.inference.backend.Outputs`, also for what stands in for a head that the network has not.
    """
    if config.kind == "miai":
        raw: Any = _miai(operations, config, planes)
        return raw.policy, operations.softmax(raw.wdl), raw.score, raw.ownership
    policy, value, points = _li_lim(operations, config, planes)
    win = operations.affine(value, 0.5, 0.5)
    nothing = operations.affine(win, 0.0)
    wdl = operations.concat(win, nothing, operations.affine(win, -1.0, 1.0))
    return policy, wdl, operations.squeeze(nothing), operations.affine(points, 0.0)


def _first_layer(config: NetConfig) -> Conv:
    from miai.nets.planes import num_planes  # loads compiled code

    return Conv("conv", num_planes(config.planes), config.filters)


def _li_lim_layers(config: NetConfig) -> Iterator[NetLayer]:
    assert config.size is not None
    filters, points = config.filters, config.size**2
    yield _first_layer(config)
    yield Norm("norm", filters, has_scale=True)
    for number in range(config.blocks):
        for place in (1, 2):
            yield Conv(f"blocks.{number}.conv{place}", filters, filters)
            yield Norm(f"blocks.{number}.norm{place}", filters, has_scale=True)
    yield Conv("policy_conv", filters, 2, width=1)
    yield Norm("policy_norm", 2, has_scale=True)
    yield Linear("policy_linear", 2 * points, points + 1)
    yield Conv("value_conv", filters, 1, width=1)
    yield Norm("value_norm", 1, has_scale=True)
    yield Linear("value_linear1", points, LI_LIM_VALUE_UNITS)
    yield Linear("value_linear2", LI_LIM_VALUE_UNITS, 1)


def _li_lim(operations: Operations[Value], config: NetConfig, planes: Value) -> tuple[Value, Value, Value]:
    """Return policy, value [batch, 1] and what the value is computed from, not negative [batch, size·size]."""
    conv, linear, norm, relu = operations.conv, operations.linear, operations.norm, operations.relu
    x = relu(norm(conv(planes, "conv"), "norm"))
    for number in range(config.blocks):
        block = f"blocks.{number}"
        hidden = relu(norm(conv(x, f"{block}.conv1"), f"{block}.norm1"))
        x = relu(operations.add(x, norm(conv(hidden, f"{block}.conv2"), f"{block}.norm2")))
    policy = operations.flatten(relu(norm(conv(x, "policy_conv"), "policy_norm")))
    points = operations.flatten(relu(norm(conv(x, "value_conv"), "value_norm")))
    value = linear(relu(linear(points, "value_linear1")), "value_linear2")
    return linear(policy, "policy_linear"), operations.tanh(value), points


def _miai_layers(config: NetConfig) -> Iterator[NetLayer]:
    filters = config.filters
    yield _first_layer(config)
    for number in range(config.blocks):
        block = f"blocks.{number}"
        pooled = config.pooled_filters(number)
        kept = filters - pooled
        yield Norm(f"{block}.norm1", filters, has_scale=False)
        yield Conv(f"{block}.conv1", filters, filters)
        yield Norm(f"{block}.norm2", kept, has_scale=False)
        yield Conv(f"{block}.conv2", kept, filters)
        if pooled:
            yield Norm(f"{block}.pool_norm", pooled, has_scale=False)
            yield Linear(f"{block}.pool_linear", 3 * pooled, kept, has_bias=False)
    yield Norm("norm", filters, has_scale=False)
    yield Conv("head_conv", filters, 3 * HEAD_FILTERS, width=1)
    for name in ("policy_norm", "pool_norm", "value_norm"):
        yield Norm(name, HEAD_FILTERS, has_scale=False)
    yield Linear("policy_pool_linear", 3 * HEAD_FILTERS, HEAD_FILTERS, has_bias=False)
    yield Conv("policy_conv", HEAD_FILTERS, 2, width=1, precedes_relu=False)
    yield Linear("pass_linear", 3 * HEAD_FILTERS, 2)
    yield Linear("value_linear1", 3 * HEAD_FILTERS, VALUE_UNITS)
    yield Linear("value_linear2", VALUE_UNITS, 4)
    yield Conv("ownership_conv", HEAD_FILTERS, 1, width=1, has_bias=True, precedes_relu=False)


def _miai(operations: Operations[Value], config: NetConfig, planes: Value) -> RawOutputs[Value]:
    conv, linear, norm, relu = operations.conv, operations.linear, operations.norm, operations.relu
    x = conv(planes, "conv")
    for number in range(config.blocks):
        block = f"blocks.{number}"
        hidden = conv(relu(operations.stream_norm(x, f"{block}.norm1")), f"{block}.conv1")
        if num_pooled := config.pooled_filters(number):
            hidden, pooled = operations.split(hidden, config.filters - num_pooled, num_pooled)
            pooled = operations.pool(relu(norm(pooled, f"{block}.pool_norm")))
            hidden = operations.add_by_channel(hidden, linear(pooled, f"{block}.pool_linear"))
        x = operations.add(x, conv(relu(norm(hidden, f"{block}.norm2")), f"{block}.conv2"))
    heads = conv(relu(operations.stream_norm(x, "norm")), "head_conv")
    points, pooled, value = operations.split(heads, *[HEAD_FILTERS] * 3)
    pooled = operations.pool(relu(norm(pooled, "pool_norm")))
    points = relu(norm(operations.add_by_channel(points, linear(pooled, "policy_pool_linear")), "policy_norm"))
    policy, *reply = operations.join_pass(conv(points, "policy_conv"), linear(pooled, "pass_linear"))
    value = relu(norm(value, "value_norm"))
    ownership = operations.tanh(operations.flatten(conv(value, "ownership_conv")))
    outcome = linear(relu(linear(operations.pool(value), "value_linear1")), "value_linear2")
    wdl, score = operations.split(outcome, 3, 1)
    score = operations.affine(operations.squeeze(score), POINTS)
    return RawOutputs(policy, wdl, score, ownership, *reply)
