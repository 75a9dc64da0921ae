"""KataGo's network files, `.bin.gz`, `.bin`, `.txt.gz` or `.txt`: text tokens, weights in binary or as text too.

The order of tokens is that of KataGo's public source, `desc.cpp`, for model versions 8 to 17. Nothing in a file is
believed: counts are checked before memory is taken, weights must be finite, and nothing may follow the last of them.
"""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.nets.katago.file_reader import MAX_CHANNELS, FileReader, open_reader
from miai.nets.katago.layers import (
    Affine,
    AttentionBlock,
    Block,
    BottleneckBlock,
    ConvWeights,
    FeedForwardBlock,
    KatagoModel,
    Multipliers,
    NormActConv,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    RmsNorm,
    Trunk,
    ValueHead,
)

VERSIONS = range(8, 18)
"""The model versions that can be read: those with inputs of version 7."""
NUM_PLANES = 22
"""Input planes of version 7."""
NUM_GLOBALS = 19
"""Its global inputs."""
KO_RULE = 6
"""The global input that is 0 by simple ko and 1 by superko."""

_MAX_WIDTH = 19
_MAX_BLOCKS = 1000
_MAX_DEPTH = 4
_ACTIVATIONS = {
    "ACTIVATION_IDENTITY": "identity",
    "ACTIVATION_RELU": "relu",
    "ACTIVATION_MISH": "mish",
    "ACTIVATION_SILU": "silu",
}


class ModelHeader(NamedTuple):
    """What a file says of its network before the layers."""

    name: str
    version: int
    multipliers: Multipliers
    pass_alive_with_suicide: bool
    """See `KatagoModel`."""


def is_model_file(path: Path) -> bool:
    """Tell whether a file's name is one of KataGo's networks."""
    return path.name.lower().endswith((".bin.gz", ".txt.gz", ".bin", ".txt", ".gz"))


def read_model(path: Path) -> KatagoModel:
    """Return the network that a file holds.

    Raises:
        ModelFileError: if it holds none, or one that is not known here.
        OSError: if it cannot be read.
    """
    with open_reader(path) as reader:
        model = _read_model(reader)
        reader.end()
        return model


def read_header(path: Path) -> ModelHeader:
    """Return what a file says of its network before the layers; only its beginning is read.

    Raises:
        ModelFileError, OSError: as `read_model`.
    """
    with open_reader(path) as reader:
        return _read_header(reader)


def _read_header(reader: FileReader) -> ModelHeader:
    name = reader.name()
    token = reader.token("model version")
    if not token.isdecimal() or int(token) not in VERSIONS:
        raise reader.fail(f"model version {token} is not known (known: {VERSIONS[0]} to {VERSIONS[-1]})")
    version = int(token)
    reader.check("input planes", reader.count("number of planes"), NUM_PLANES)
    reader.check("global inputs", reader.count("number of global inputs"), NUM_GLOBALS)
    multipliers = Multipliers()
    if version >= 13:
        names = [field.name.replace("_", " ") for field in fields(Multipliers)]
        multipliers = Multipliers(*(reader.positive(f"multiplier of the {name}") for name in names))
    has_suicide = False
    if version >= 15:
        if reader.integer("metadata encoder", range(256)):
            raise reader.fail("it wants a human player's profile (metadata encoder), which is not known here")
        has_suicide = reader.flag("pass-alive convention")
        reader.unused(6)
    return ModelHeader(name, version, multipliers, has_suicide)


def _read_model(reader: FileReader) -> KatagoModel:
    header = _read_header(reader)
    trunk = _read_trunk(reader, header.version)
    channels = len(trunk.conv.weight)
    policy = _read_policy_head(reader, header.version, channels)
    value = _read_value_head(reader, header.version, channels)
    return KatagoModel(*header, trunk, policy, value, reader.num_parameters)


def _read_conv(reader: FileReader, inputs: int | None = None, outputs: int | None = None) -> ConvWeights:
    reader.name()
    rows, columns = (reader.integer("width of a convolution", range(1, _MAX_WIDTH + 1, 2)) for _ in range(2))
    found_inputs, found_outputs = reader.count("number of inputs"), reader.count("number of outputs")
    if (reader.token("dilation"), reader.token("dilation")) != ("1", "1"):
        raise reader.fail("a dilated convolution is not known")
    reader.check("inputs", found_inputs, found_inputs if inputs is None else inputs)
    reader.check("outputs", found_outputs, found_outputs if outputs is None else outputs)
    weight = reader.weights(rows, columns, found_inputs, found_outputs)
    return ConvWeights(np.ascontiguousarray(weight.transpose(3, 2, 0, 1)))


def _read_linear(reader: FileReader, inputs: int | None = None, outputs: int | None = None) -> np.ndarray:
    reader.name()
    found_inputs, found_outputs = reader.count("number of inputs"), reader.count("number of outputs")
    reader.check("inputs", found_inputs, found_inputs if inputs is None else inputs)
    reader.check("outputs", found_outputs, found_outputs if outputs is None else outputs)
    return reader.weights(found_inputs, found_outputs)


def _read_bias(reader: FileReader, channels: int) -> np.ndarray:
    reader.name()
    reader.check("channels", reader.count("number of channels"), channels)
    return reader.weights(channels)


def _read_batch_norm(reader: FileReader, channels: int) -> Affine:
    reader.name()
    reader.check("channels", reader.count("number of channels"), channels)
    epsilon = reader.positive("epsilon")
    has_scale, has_bias = reader.flag("flag of a scale"), reader.flag("flag of a bias")
    mean, variance = reader.weights(channels), reader.weights(channels)
    if variance.min() < 0:
        raise reader.fail("a variance is negative")
    factor = (reader.weights(channels) if has_scale else 1.0) / np.sqrt(variance.astype(np.float64) + epsilon)
    summand = (reader.weights(channels) if has_bias else 0.0) - factor * mean
    if max(np.abs(factor).max(), np.abs(summand).max()) > np.finfo(np.float32).max:
        raise reader.fail("a variance is too small")
    return Affine(factor.astype(np.float32), summand.astype(np.float32))


def _read_activation(reader: FileReader, version: int) -> str:
    reader.name()
    if version < 11:
        return "relu"
    name = reader.token("activation")
    if name not in _ACTIVATIONS:
        raise reader.fail(f"activation {name} is not known (known: {', '.join(_ACTIVATIONS)})")
    return _ACTIVATIONS[name]


def _read_norm_act_conv(reader: FileReader, version: int, inputs: int, outputs: int | None = None) -> NormActConv:
    return NormActConv(
        _read_batch_norm(reader, inputs), _read_activation(reader, version), _read_conv(reader, inputs, outputs)
    )


def _read_ordinary(reader: FileReader, version: int, channels: int, depth: int) -> OrdinaryBlock:
    first = _read_norm_act_conv(reader, version, channels)
    return OrdinaryBlock(first, _read_norm_act_conv(reader, version, len(first.conv.weight), channels))


def _read_pooling(reader: FileReader, version: int, channels: int, depth: int) -> PoolingBlock:
    first = _read_norm_act_conv(reader, version, channels)
    kept = len(first.conv.weight)
    pooled_conv = _read_conv(reader, channels)
    pooled = len(pooled_conv.weight)
    return PoolingBlock(
        first,
        pooled_conv,
        _read_batch_norm(reader, pooled),
        _read_activation(reader, version),
        _read_linear(reader, 3 * pooled, kept),
        _read_norm_act_conv(reader, version, kept, channels),
    )


def _read_bottleneck(reader: FileReader, version: int, channels: int, depth: int) -> BottleneckBlock:
    number = reader.integer("number of blocks", range(1, _MAX_BLOCKS))
    first = _read_norm_act_conv(reader, version, channels)
    inner = len(first.conv.weight)
    blocks = _read_blocks(reader, version, number, inner, depth + 1)
    return BottleneckBlock(first, blocks, _read_norm_act_conv(reader, version, inner, channels))


def _read_point_norm(reader: FileReader, channels: int) -> RmsNorm:
    reader.name()
    reader.check("channels", reader.count("number of channels"), channels)
    epsilon = reader.positive("epsilon", 1.0)
    return RmsNorm(reader.weights(channels), np.zeros(channels, np.float32), epsilon, is_global=False)


def _read_attention(reader: FileReader, version: int, channels: int, depth: int) -> AttentionBlock:
    heads, kv_heads = reader.count("number of heads"), reader.count("number of key and value heads")
    width, value_width = reader.count("width of queries"), reader.count("width of values")
    if heads % kv_heads:
        raise reader.fail(f"{heads} heads cannot share {kv_heads} keys and values")
    has_rotation, is_learned = reader.flag("flag of rotary embedding"), reader.flag("flag of a learned one")
    if has_rotation and width % (2 if is_learned else 4):
        raise reader.fail(f"queries of width {width} cannot be rotated")
    norm = _read_point_norm(reader, channels)
    query = _read_linear(reader, channels, heads * width)
    key = _read_linear(reader, channels, kv_heads * width)
    value = _read_linear(reader, channels, kv_heads * value_width)
    output = _read_linear(reader, heads * value_width, channels)
    frequencies = None
    if has_rotation:
        reader.name()
        read = _read_frequencies if is_learned else _fixed_frequencies
        frequencies = read(reader, kv_heads, width // 2)
    return AttentionBlock(norm, heads, kv_heads, query, key, value, output, frequencies)


def _read_frequencies(reader: FileReader, kv_heads: int, pairs: int) -> np.ndarray:
    for what, needed in (("heads", kv_heads), ("pairs", pairs), ("axes", 2)):
        reader.check(what, reader.count(f"number of {what}"), needed)
    return reader.weights(kv_heads, pairs, 2)


def _fixed_frequencies(reader: FileReader, kv_heads: int, pairs: int) -> np.ndarray:
    """Return those of plain rotary embedding: the first half of a head's pairs turns by rows, the other by columns."""
    base = reader.positive("base of rotary embedding")
    half = pairs // 2
    powers = base ** (-2.0 * np.arange(half) / pairs)
    frequencies = np.zeros((kv_heads, pairs, 2), dtype=np.float32)
    frequencies[:, :half, 1] = powers
    frequencies[:, half:, 0] = powers
    return frequencies


def _read_feed_forward(reader: FileReader, version: int, channels: int, depth: int) -> FeedForwardBlock:
    reader.check("channels", reader.count("number of channels"), channels)
    inner = reader.count("number of inner channels")
    if not reader.flag("flag of a gate"):
        raise reader.fail("a feed-forward block without a gate is not known")
    norm = _read_point_norm(reader, channels)
    activated, gate = _read_linear(reader, channels, inner), _read_linear(reader, channels, inner)
    return FeedForwardBlock(norm, activated, gate, _read_linear(reader, inner, channels))


_BLOCKS: dict[str, Callable[[FileReader, int, int, int], Block]] = {
    "ordinary_block": _read_ordinary,
    "gpool_block": _read_pooling,
    "nested_bottleneck_block": _read_bottleneck,
    "transformer_attention_block": _read_attention,
    "transformer_ffn_block": _read_feed_forward,
}


def _read_blocks(reader: FileReader, version: int, number: int, channels: int, depth: int) -> tuple[Block, ...]:
    if depth > _MAX_DEPTH:
        raise reader.fail(f"blocks nested more than {_MAX_DEPTH} deep")
    blocks = []
    for _ in range(number):
        kind = reader.token("kind of block")
        if kind not in _BLOCKS:
            raise reader.fail(f"kind of block {kind} is not known (known: {', '.join(_BLOCKS)})")
        reader.name()
        blocks.append(_BLOCKS[kind](reader, version, channels, depth))
    return tuple(blocks)


def _read_trunk(reader: FileReader, version: int) -> Trunk:
    reader.name()
    number = reader.integer("number of blocks", range(1, _MAX_BLOCKS + 1))
    channels = reader.count("number of channels")
    for what in ("inner channels", "regular channels", "dilated channels", "pooled channels"):
        reader.integer(f"number of {what}", range(MAX_CHANNELS + 1))
    has_rms_norm = False
    if version >= 15:
        has_rms_norm = reader.flag("kind of norm")
        reader.unused(5)
    conv = _read_conv(reader, NUM_PLANES, channels)
    linear = _read_linear(reader, NUM_GLOBALS, channels)
    blocks = _read_blocks(reader, version, number, channels, 0)
    norm = _read_tip_norm(reader, channels) if has_rms_norm else _read_batch_norm(reader, channels)
    return Trunk(conv, linear, blocks, norm, _read_activation(reader, version))


def _read_tip_norm(reader: FileReader, channels: int) -> RmsNorm:
    reader.name()
    reader.check("channels", reader.count("number of channels"), channels)
    epsilon = reader.positive("epsilon", 1.0)
    is_global = reader.flag("flag of a norm over points")
    if reader.token("size of groups") != "0":
        raise reader.fail("a norm over groups of channels is not known")
    return RmsNorm(reader.weights(channels), reader.weights(channels), epsilon, is_global)


def _read_policy_head(reader: FileReader, version: int, channels: int) -> PolicyHead:
    reader.name()
    if version >= 17:
        logits = reader.integer("number of policies", range(2, 5, 2))
        reader.unused(3)
    else:
        logits = 4 if version == 16 else 2 if version >= 12 else 1
    conv, pooled_conv = _read_conv(reader, channels), _read_conv(reader, channels)
    inner, pooled = len(conv.weight), len(pooled_conv.weight)
    pooled_norm, pooled_activation = _read_batch_norm(reader, pooled), _read_activation(reader, version)
    bias = _read_linear(reader, 3 * pooled, inner)
    norm, activation = _read_batch_norm(reader, inner), _read_activation(reader, version)
    last_conv = _read_conv(reader, inner, logits)
    pass_inner = None
    if version >= 15:
        pass_linear = _read_linear(reader, 3 * pooled, inner)
        pass_inner = (
            _read_bias(reader, inner),
            _read_activation(reader, version),
            _read_linear(reader, inner, logits),
        )
    else:
        pass_linear = _read_linear(reader, 3 * pooled, logits)
    return PolicyHead(
        conv, pooled_conv, pooled_norm, pooled_activation, bias, norm, activation, last_conv, pass_linear, pass_inner
    )


def _read_value_head(reader: FileReader, version: int, channels: int) -> ValueHead:
    reader.name()
    if version >= 17:
        reader.unused(3)
    conv = _read_conv(reader, channels)
    inner = len(conv.weight)
    norm, activation = _read_batch_norm(reader, inner), _read_activation(reader, version)
    linear = _read_linear(reader, 3 * inner)
    units = linear.shape[1]
    linear_bias, linear_activation = _read_bias(reader, units), _read_activation(reader, version)
    outcome, outcome_bias = _read_linear(reader, units, 3), _read_bias(reader, 3)
    scores = 6 if version >= 9 else 4
    score, score_bias = _read_linear(reader, units, scores), _read_bias(reader, scores)
    ownership = _read_conv(reader, inner, 1)
    return ValueHead(
        conv,
        norm,
        activation,
        linear,
        linear_bias,
        linear_activation,
        outcome,
        outcome_bias,
        score,
        score_bias,
        ownership,
    )
