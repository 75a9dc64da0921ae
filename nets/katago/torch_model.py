"""KataGo's networks in torch, for a GPU above all.

Values between layers are [batch, rows, columns, channels], so a pointwise convolution is a matrix product and the
points of a transformer need no copy. Only blocks may compute in bfloat16: komi and value, before and behind them, are
float32.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from miai.nets.katago.forward_pass import ForwardPass
from miai.nets.katago.layers import (
    AttentionBlock,
    Block,
    ConvWeights,
    FeedForwardBlock,
    KatagoModel,
    NormLayer,
    RmsNorm,
)
from miai.nets.katago.model_file import NUM_GLOBALS, NUM_PLANES

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda x: x,
    "relu": functional.relu,
    "mish": functional.mish,
    "silu": functional.silu,
    "softplus": functional.softplus,
    "sqrt": torch.sqrt,
    "tanh": torch.tanh,
}


class KatagoNetwork:
    """Turn planes [batch, C, size, size] of the kind `katago` into what `miai.nets.inference.backend.Outputs` holds."""

    def __init__(self, model: KatagoModel, dtype: torch.dtype = torch.float32) -> None:
        """Take a network whose blocks compute in `dtype`; its weights follow the planes to their device."""
        self._pass = ForwardPass(_TorchOperations(dtype), model)

    def __call__(self, planes: Tensor) -> tuple[Tensor, ...]:
        inputs, numbers = planes.split([NUM_PLANES, NUM_GLOBALS], dim=1)
        return self._pass.evaluate(inputs.permute(0, 2, 3, 1), numbers.amax((2, 3)))


class _TorchOperations:
    """Layers with their weights as tensors, made at first use; see `miai.nets.katago.forward_pass.KatagoOperations`."""

    def __init__(self, dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._tensors: dict[tuple[int, torch.dtype, torch.device], Tensor] = {}
        self._angles: dict[tuple[int, int, torch.device], tuple[Tensor, Tensor]] = {}

    def _tensor(self, array: np.ndarray, like: Tensor) -> Tensor:
        """Return one of the model's arrays, all of which live as long as this, as a tensor."""
        key = id(array), like.dtype, like.device
        if key not in self._tensors:
            tensor = torch.from_numpy(array).to(like.device, like.dtype)
            if tensor.ndim == 4:
                tensor = tensor.contiguous(memory_format=torch.channels_last)
            self._tensors[key] = tensor
        return self._tensors[key]

    def width(self, x: Tensor) -> int:
        return x.shape[1]

    def before_blocks(self, x: Tensor, blocks: Sequence[Block]) -> Tensor:
        return x.to(self._dtype)

    def after_blocks(self, x: Tensor) -> Tensor:
        return x.float()

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def add_by_channel(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y[:, None, None]

    def conv(self, x: Tensor, conv: ConvWeights) -> Tensor:
        weight = self._tensor(conv.weight, x)
        if conv.is_pointwise:
            return functional.linear(x, weight[:, :, 0, 0])
        margins = [width // 2 for width in conv.weight.shape[2:]]
        return functional.conv2d(x.permute(0, 3, 1, 2), weight, padding=margins).permute(0, 2, 3, 1)

    def norm(self, x: Tensor, norm: NormLayer, activation: str) -> Tensor:
        if isinstance(norm, RmsNorm):
            axes = (1, 2, 3) if norm.is_global else (3,)
            x = x * (x.square().mean(axes, keepdim=True) + norm.epsilon).rsqrt()
        normalized = torch.addcmul(self._tensor(norm.summand, x), x, self._tensor(norm.factor, x))
        return self.activate(normalized, activation)

    def _point_norm(self, x: Tensor, norm: RmsNorm) -> Tensor:
        return functional.rms_norm(x, norm.factor.shape, self._tensor(norm.factor, x), norm.epsilon)

    def attention(self, x: Tensor, block: AttentionBlock) -> Tensor:
        seen = self._point_norm(x, block.norm).flatten(1, 2)
        queries = self.linear(seen, block.query).unflatten(2, (block.heads, -1))
        keys = self.linear(seen, block.key).unflatten(2, (block.kv_heads, -1))
        values = self.linear(seen, block.value).unflatten(2, (block.kv_heads, -1))
        if block.frequencies is not None:
            cosine, sine = self._turns(block.frequencies, x.shape[1], x.device)
            queries, keys = _rotated(queries, cosine, sine), _rotated(keys, cosine, sine)
        shared = block.heads // block.kv_heads
        found = functional.scaled_dot_product_attention(
            queries.transpose(1, 2),
            keys.repeat_interleave(shared, dim=2).transpose(1, 2),
            values.repeat_interleave(shared, dim=2).transpose(1, 2),
        )
        return self.linear(found.transpose(1, 2).flatten(2), block.output).view(x.shape)

    def _turns(self, frequencies: np.ndarray, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return cosine and sine of all angles, float32 [points, key heads, query width / 2] each."""
        key = id(frequencies), size, device
        if key not in self._angles:
            radians = torch.from_numpy(frequencies).to(device)
            points = torch.arange(size**2, dtype=torch.float32, device=device)
            rows, columns = points.div(size, rounding_mode="floor"), points % size
            angles = columns[:, None, None] * radians[..., 0] + rows[:, None, None] * radians[..., 1]
            self._angles[key] = angles.cos(), angles.sin()
        return self._angles[key]

    def feed_forward(self, x: Tensor, block: FeedForwardBlock) -> Tensor:
        seen = self._point_norm(x, block.norm)
        gated = functional.silu(self.linear(seen, block.activated)) * self.linear(seen, block.gate)
        return self.linear(gated, block.output)

    def mean(self, x: Tensor) -> Tensor:
        return x.mean((1, 2))

    def maximum(self, x: Tensor) -> Tensor:
        return x.amax((1, 2))

    def flatten(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    def join_pass(self, x: Tensor, passes: Tensor) -> Sequence[Tensor]:
        return torch.cat([x.flatten(1, 2), passes[:, None]], dim=1).unbind(2)

    def linear(self, x: Tensor, weight: np.ndarray, bias: np.ndarray | None = None) -> Tensor:
        return functional.linear(x, self._tensor(weight, x).T, None if bias is None else self._tensor(bias, x))

    def activate(self, x: Tensor, activation: str) -> Tensor:
        return _ACTIVATIONS[activation](x)

    def softmax(self, x: Tensor) -> Tensor:
        return x.softmax(dim=1)

    def affine(self, x: Tensor, factor: float, summand: float = 0.0) -> Tensor:
        return factor * x + summand

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y

    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        return x - y

    def concat(self, *parts: Tensor) -> Tensor:
        return torch.cat(parts, dim=1)

    def columns(self, x: Tensor) -> Sequence[Tensor]:
        return x.split(1, dim=1)

    def squeeze(self, x: Tensor) -> Tensor:
        return x[:, 0]


def _rotated(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotate pairs of numbers by angles that grow with column and row (Su et al. 2021, in the plane)."""
    heads = x.shape[2] // cosine.shape[1]
    cosine, sine = (part.repeat_interleave(heads, dim=1).to(x.dtype) for part in (cosine, sine))
    first, second = x.unflatten(3, (-1, 2)).unbind(4)
    return torch.stack([first * cosine - second * sine, first * sine + second * cosine], dim=4).flatten(3)
