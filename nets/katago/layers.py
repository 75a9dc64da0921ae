"""What KataGo's networks are made of, as their files describe it (Wu 2019, "Accelerating self-play learning in Go").

Weights are float32. Numbers that a file repeats are checked where it is read, see `miai.nets.katago.model_file`.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

ACTIVATIONS = ("identity", "relu", "mish", "silu")
"""The names of all activations."""


@dataclass(frozen=True)
class ConvWeights:
    """A convolution, padded so that the board keeps its size."""

    weight: np.ndarray
    """[outputs, inputs, rows, columns], both odd."""

    @property
    def is_pointwise(self) -> bool:
        """Whether each point sees only itself."""
        return self.weight.shape[2:] == (1, 1)


@dataclass(frozen=True)
class Affine:
    """A batch norm in evaluation: a factor and a summand for each channel, both [channels]."""

    factor: np.ndarray
    summand: np.ndarray


@dataclass(frozen=True)
class RmsNorm:
    """Root mean square normalisation (Zhang & Sennrich 2019): `x / sqrt(mean(x²) + epsilon)`, then an affine map."""

    factor: np.ndarray
    summand: np.ndarray
    epsilon: float
    is_global: bool
    """Whether the mean is taken over channels and points, not channels alone."""


NormLayer: TypeAlias = Affine | RmsNorm


@dataclass(frozen=True)
class NormActConv:
    """A norm, an activation and a convolution."""

    norm: Affine
    activation: str
    conv: ConvWeights


@dataclass(frozen=True)
class OrdinaryBlock:
    """Two convolutions, added to the stream."""

    first: NormActConv
    second: NormActConv


@dataclass(frozen=True)
class PoolingBlock:
    """An ordinary block in which a second first convolution is pooled and biases the other's channels."""

    first: NormActConv
    pooled_conv: ConvWeights
    pooled_norm: Affine
    pooled_activation: str
    bias: np.ndarray
    """Linear, [3·pooled channels, channels]."""
    second: NormActConv


@dataclass(frozen=True)
class BottleneckBlock:
    """Blocks on a stream of fewer channels, between two convolutions, added to the outer stream."""

    first: NormActConv
    blocks: tuple["Block", ...]
    last: NormActConv


@dataclass(frozen=True)
class AttentionBlock:
    """Multi-head self-attention over the points (Vaswani et al. 2017), added to the stream.

    Queries' heads share the keys and values of `heads / kv_heads` consecutive ones.
    """

    norm: RmsNorm
    heads: int
    kv_heads: int
    query: np.ndarray
    """Linear, [channels, heads·query width]; consecutive pairs of a head's numbers are rotated together."""
    key: np.ndarray
    """Linear, [channels, kv_heads·query width]."""
    value: np.ndarray
    """Linear, [channels, kv_heads·value width]."""
    output: np.ndarray
    """Linear, [heads·value width, channels]."""
    frequencies: np.ndarray | None
    """Radians a column and a row by which a pair is rotated [kv_heads, query width / 2, 2]; None = no rotation."""


@dataclass(frozen=True)
class FeedForwardBlock:
    """A gated feed-forward layer (SwiGLU, Shazeer 2020) at each point, added to the stream: `silu(x·a)·(x·b)·c`."""

    norm: RmsNorm
    activated: np.ndarray
    """`a`, [channels, inner channels]."""
    gate: np.ndarray
    """`b`, [channels, inner channels]."""
    output: np.ndarray
    """`c`, [inner channels, channels]."""


Block: TypeAlias = OrdinaryBlock | PoolingBlock | BottleneckBlock | AttentionBlock | FeedForwardBlock


@dataclass(frozen=True)
class Trunk:
    """What the heads look at."""

    conv: ConvWeights
    """Of the planes."""
    globals: np.ndarray
    """Linear, of the global inputs, [inputs, channels]."""
    blocks: tuple[Block, ...]
    norm: NormLayer
    activation: str


@dataclass(frozen=True)
class PolicyHead:
    """Policy logits; row 0 is the policy, row 1 the optimistic one where there is one."""

    conv: ConvWeights
    pooled_conv: ConvWeights
    pooled_norm: Affine
    pooled_activation: str
    bias: np.ndarray
    """Linear, [3·pooled channels, channels]."""
    norm: Affine
    activation: str
    last_conv: ConvWeights
    """1x1, to the logits of points."""
    pass_linear: np.ndarray
    """[3·pooled channels, logits or inner channels]."""
    pass_inner: tuple[np.ndarray, str, np.ndarray] | None
    """Bias, activation and linear layer that follow, from version 15 on."""


@dataclass(frozen=True)
class ValueHead:
    """Win, loss and no result; score and errors; ownership."""

    conv: ConvWeights
    norm: Affine
    activation: str
    linear: np.ndarray
    """[3·channels, inner channels]."""
    linear_bias: np.ndarray
    linear_activation: str
    outcome: np.ndarray
    """[inner channels, 3]."""
    outcome_bias: np.ndarray
    score: np.ndarray
    """[inner channels, 4 or 6]."""
    score_bias: np.ndarray
    ownership: ConvWeights


@dataclass(frozen=True)
class Multipliers:
    """What the score head's outputs are multiplied by; a file names them from version 13 on."""

    td_score: float = 20.0
    score_mean: float = 20.0
    score_deviation: float = 20.0
    lead: float = 20.0
    variance_time: float = 40.0
    short_term_value_error: float = 0.25
    short_term_score_error: float = 30.0


@dataclass(frozen=True)
class KatagoModel:
    """A network."""

    name: str
    version: int
    """Of the model, 8 to 17: what its inputs and outputs mean."""
    multipliers: Multipliers
    pass_alive_with_suicide: bool
    """Whether it learned pass-alive area as if suicide were allowed."""
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    num_parameters: int
