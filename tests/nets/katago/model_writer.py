"""Small random networks in KataGo's file format: every kind of block, activation, norm and version, from a seed."""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from miai.nets.katago.model_file import NUM_GLOBALS, NUM_PLANES

BlockSpec: TypeAlias = "str | tuple[BlockSpec, ...]"
"""A kind of block of `ModelWriter`, or a nested bottleneck of blocks."""

EPSILON = "0.001"


@dataclass(frozen=True)
class Spec:
    """A network."""

    name: str
    version: int
    blocks: tuple[BlockSpec, ...]
    activation: str = "RELU"
    tip: str = "batch"
    """Or `rms`, over channels, or `rms-global`, over points too."""
    is_text: bool = False
    is_zipped: bool = True
    has_suicide: bool = False
    logits: int = 2
    """Of the policy, from version 17 on."""
    seed: int = 1

    @property
    def file_name(self) -> str:
        """A name that tells KataGo how to read the file."""
        return f"{self.name}.{'txt' if self.is_text else 'bin'}{'.gz' if self.is_zipped else ''}"


_TRANSFORMER: tuple[BlockSpec, ...] = (("attention-learned", "feed-forward"), "ordinary")
NETWORKS = (
    Spec("v8", 8, ("ordinary", "gpool")),
    Spec("v8-text", 8, ("ordinary",), is_text=True, seed=2),
    Spec("v9", 9, ("gpool", "ordinary"), seed=3, is_zipped=False),
    Spec("v10-wide", 10, ("ordinary", "wide"), seed=4, is_text=True, is_zipped=False),
    Spec("v11-mish", 11, ("ordinary", "gpool"), "MISH", seed=5),
    Spec("v11-identity", 11, ("ordinary",), "IDENTITY", seed=6),
    Spec("v12-silu", 12, ("gpool", "ordinary"), "SILU", seed=7),
    Spec("v13-nested", 13, (("ordinary", "gpool"), "ordinary"), "MISH", seed=8),
    Spec("v14-nested-twice", 14, (("ordinary", ("gpool", "ordinary")),), "MISH", seed=9),
    Spec("v15-learned", 15, _TRANSFORMER, "SILU", "rms-global", seed=10),
    Spec("v15-plain", 15, ("attention-plain", "feed-forward"), "SILU", "rms", seed=11),
    Spec("v15-unrotated", 15, (("attention-unrotated", "feed-forward"),), "MISH", "batch", seed=12),
    Spec("v15-shared", 15, (("attention-shared", "feed-forward"), "gpool"), "SILU", "rms-global", seed=13),
    Spec("v15-shared-plain", 15, ("attention-shared-plain", "ordinary"), "RELU", "rms", seed=14, is_text=True),
    Spec("v15-suicide", 15, ("ordinary", "gpool"), "MISH", seed=15, has_suicide=True),
    Spec("v16", 16, (("gpool", "attention-learned", "feed-forward"),), "SILU", "rms-global", seed=16),
    Spec("v17", 17, ("ordinary", "attention-plain", "feed-forward"), "MISH", "rms", seed=17),
    Spec("v17-four", 17, (("ordinary",), "gpool"), "SILU", "batch", logits=4, seed=18),
)
"""What the recorded outputs are of."""

_CHANNELS = 12
_INNER = 8
_POOLED = 4
_HEADS = 2
_QUERY = 4
_VALUE = 3


@dataclass
class ModelWriter:
    """Writes a network of a spec, token by token."""

    spec: Spec
    pieces: list[bytes] = field(default_factory=list)
    """Tokens, and weights with their mark, each with the blank behind it."""

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.spec.seed)
        self._num_layers = 0
        self._header()
        self._trunk()
        self._policy_head()
        self._value_head()

    def write(self, folder: Path) -> Path:
        """Write the file and return where."""
        path = folder / self.spec.file_name
        path.write_bytes(packed(self.pieces) if self.spec.is_zipped else b"".join(self.pieces))
        return path

    def checksum(self) -> int:
        """Return a number that another network would hardly have."""
        return zlib.crc32(b"".join(self.pieces))

    def _tokens(self, *tokens: object) -> None:
        self.pieces += [f"{token}\n".encode() for token in tokens]

    def _name(self, kind: str) -> None:
        self._num_layers += 1
        self._tokens(f"{kind}{self._num_layers}")

    def _weights(self, values: np.ndarray) -> None:
        flat = values.astype(np.float32).ravel()
        if self.spec.is_text:
            self.pieces += [f"{value:.9g} ".encode() for value in flat[:-1]] + [f"{flat[-1]:.9g}\n".encode()]
        else:
            self.pieces.append(b"@BIN@" + flat.astype("<f4").tobytes() + b"\n")

    def _between(self, low: float, high: float, *shape: int) -> np.ndarray:
        return low + (high - low) * self._rng.random(shape)

    def _spread(self, inputs: int, *shape: int, gain: float = 1.0) -> np.ndarray:
        reach = gain * np.sqrt(3.0 / inputs)
        return self._between(-reach, reach, *shape)

    def _conv(self, width: int, inputs: int, outputs: int, gain: float = 1.0) -> None:
        self._name("conv")
        self._tokens(width, width, inputs, outputs, 1, 1)
        self._weights(self._spread(width * width * inputs, width, width, inputs, outputs, gain=gain))

    def _linear(self, inputs: int, outputs: int, gain: float = 1.0) -> None:
        self._name("linear")
        self._tokens(inputs, outputs)
        self._weights(self._spread(inputs, inputs, outputs, gain=gain))

    def _bias(self, channels: int) -> None:
        self._name("bias")
        self._tokens(channels)
        self._weights(self._between(-0.3, 0.3, channels))

    def _batch_norm(self, channels: int) -> None:
        has_scale, has_bias = self._num_layers % 3 != 0, self._num_layers % 4 != 0
        self._name("norm")
        self._tokens(channels, EPSILON, int(has_scale), int(has_bias))
        self._weights(self._between(-0.3, 0.3, channels))
        self._weights(self._between(0.4, 1.6, channels))
        if has_scale:
            self._weights(self._between(0.5, 1.5, channels))
        if has_bias:
            self._weights(self._between(-0.3, 0.3, channels))

    def _activation(self, name: str | None = None) -> None:
        self._name("activation")
        if self.spec.version >= 11:
            self._tokens(f"ACTIVATION_{name or self.spec.activation}")

    def _norm_act_conv(self, width: int, inputs: int, outputs: int) -> None:
        self._batch_norm(inputs)
        self._activation()
        self._conv(width, inputs, outputs)

    def _header(self) -> None:
        spec = self.spec
        self._tokens(spec.name, spec.version, NUM_PLANES, NUM_GLOBALS)
        if spec.version >= 13:
            self._tokens(20, 18, 22, 15, 35, 0.3, 25)
        if spec.version >= 15:
            self._tokens(0, int(spec.has_suicide), *[0] * 6)

    def _trunk(self) -> None:
        spec = self.spec
        self._name("trunk")
        self._tokens(len(spec.blocks), _CHANNELS, _INNER, _INNER, _POOLED, _POOLED)
        if spec.version >= 15:
            self._tokens(int(spec.tip != "batch"), *[0] * 5)
        self._conv(3, NUM_PLANES, _CHANNELS, gain=2.0)
        self._linear(NUM_GLOBALS, _CHANNELS, gain=2.0)
        self._stack(spec.blocks, _CHANNELS)
        if spec.tip == "batch":
            self._batch_norm(_CHANNELS)
        else:
            self._name("norm")
            self._tokens(_CHANNELS, EPSILON, int(spec.tip == "rms-global"), 0)
            self._weights(self._between(0.5, 1.5, _CHANNELS))
            self._weights(self._between(-0.3, 0.3, _CHANNELS))
        self._activation()

    def _stack(self, blocks: Sequence[BlockSpec], channels: int) -> None:
        for block in blocks:
            if isinstance(block, tuple):
                self._bottleneck(block, channels)
            elif block in ("ordinary", "wide"):
                self._tokens("ordinary_block")
                self._name("block")
                self._norm_act_conv(5 if block == "wide" else 3, channels, _INNER)
                self._norm_act_conv(1, _INNER, channels)
            elif block == "gpool":
                self._pooling(channels)
            elif block == "feed-forward":
                self._feed_forward(channels)
            else:
                self._attention(channels, block)

    def _bottleneck(self, blocks: Sequence[BlockSpec], channels: int) -> None:
        self._tokens("nested_bottleneck_block")
        self._name("block")
        self._tokens(len(blocks))
        self._norm_act_conv(1, channels, _INNER)
        self._stack(blocks, _INNER)
        self._norm_act_conv(1, _INNER, channels)

    def _pooling(self, channels: int) -> None:
        self._tokens("gpool_block")
        self._name("block")
        self._norm_act_conv(3, channels, _INNER)
        self._conv(3, channels, _POOLED)
        self._batch_norm(_POOLED)
        self._activation()
        self._linear(3 * _POOLED, _INNER)
        self._norm_act_conv(3, _INNER, channels)

    def _point_norm(self, channels: int) -> None:
        self._name("norm")
        self._tokens(channels, EPSILON)
        self._weights(self._between(0.5, 1.5, channels))

    def _attention(self, channels: int, kind: str) -> None:
        keys = 1 if "shared" in kind else _HEADS
        is_rotated, is_learned = kind != "attention-unrotated", not kind.endswith(("plain", "unrotated"))
        self._tokens("transformer_attention_block")
        self._name("block")
        self._tokens(_HEADS, keys, _QUERY, _VALUE, int(is_rotated), int(is_learned))
        self._point_norm(channels)
        self._linear(channels, _HEADS * _QUERY, gain=1.5)
        self._linear(channels, keys * _QUERY, gain=1.5)
        self._linear(channels, keys * _VALUE)
        self._linear(_HEADS * _VALUE, channels)
        if is_learned:
            self._name("frequencies")
            self._tokens(keys, _QUERY // 2, 2)
            self._weights(self._between(-1.0, 1.0, keys, _QUERY // 2, 2))
        elif is_rotated:
            self._name("base")
            self._tokens(10)

    def _feed_forward(self, channels: int) -> None:
        self._tokens("transformer_ffn_block")
        self._name("block")
        self._tokens(channels, 2 * _INNER, 1)
        self._point_norm(channels)
        self._linear(channels, 2 * _INNER)
        self._linear(channels, 2 * _INNER)
        self._linear(2 * _INNER, channels)

    def _policy_head(self) -> None:
        version = self.spec.version
        self._name("policy")
        logits = 4 if version == 16 else 2 if version >= 12 else 1
        if version >= 17:
            logits = self.spec.logits
            self._tokens(logits, 0, 0, 0)
        self._conv(1, _CHANNELS, _INNER)
        self._conv(1, _CHANNELS, _POOLED)
        self._batch_norm(_POOLED)
        self._activation()
        self._linear(3 * _POOLED, _INNER)
        self._batch_norm(_INNER)
        self._activation()
        self._conv(1, _INNER, logits, gain=1.5)
        if version >= 15:
            self._linear(3 * _POOLED, _INNER)
            self._bias(_INNER)
            self._activation()
            self._linear(_INNER, logits, gain=2.0)
        else:
            self._linear(3 * _POOLED, logits, gain=2.0)

    def _value_head(self) -> None:
        self._name("value")
        if self.spec.version >= 17:
            self._tokens(0, 0, 0)
        self._conv(1, _CHANNELS, _INNER)
        self._batch_norm(_INNER)
        self._activation()
        self._linear(3 * _INNER, 2 * _INNER)
        self._bias(2 * _INNER)
        self._activation()
        self._linear(2 * _INNER, 3, gain=2.0)
        self._bias(3)
        scores = 6 if self.spec.version >= 9 else 4
        self._linear(2 * _INNER, scores)
        self._bias(scores)
        self._conv(1, _INNER, 1, gain=1.5)


def packed(pieces: Sequence[bytes]) -> bytes:
    """Return pieces in a gzip stream, the same one every time."""
    return gzip.compress(b"".join(pieces), 6, mtime=0)


def spec_named(name: str) -> Spec:
    """Return one of `NETWORKS`."""
    return next(spec for spec in NETWORKS if spec.name == name)
