"""KataGo's networks in torch, for a GPU above all.

Values between layers are [batch, rows, columns, channels], so a pointwise convolution is a matrix product and the
points of a transformer need no copy. Only blocks may compute in bfloat16: komi and value, before and behind them, are
float32.
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

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
    ValueHead,
)
from miai.nets.katago.model_file import KO_RULE, NUM_GLOBALS, NUM_PLANES

_ACTIVATIONS: dict[str, type[nn.Module]] = {
    "identity": nn.Identity,
    "relu": nn.ReLU,
    "mish": nn.Mish,
    "silu": nn.SiLU,
}


class KatagoModule(nn.Module):
    """Turn planes [batch, C, size, size] of the kind `katago` into what `miai.nets.inference.backend.Outputs` holds."""

    def __init__(self, model: KatagoModel, dtype: torch.dtype = torch.float32) -> None:
        """Take a network whose blocks compute in `dtype`."""
        super().__init__()
        trunk = model.trunk
        self._dtype = dtype
        self.conv = _Conv(trunk.conv)
        self.globals = _Linear(trunk.globals)
        self.blocks = _Stack(trunk.blocks).to(dtype)
        self.norm = _NormAct(trunk.norm, trunk.activation)
        self.policy = _PolicyHead(model.policy)
        self.value = _ValueHead(model)
        self.eval()

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        inputs, numbers = planes.split([NUM_PLANES, NUM_GLOBALS], dim=1)
        numbers = numbers.amax((2, 3))
        x = self.conv(inputs.permute(0, 2, 3, 1)) + self.globals(numbers)[:, None, None]
        x = self.norm(self.blocks(x.to(self._dtype)).float())
        policy, optimistic = self.policy(x)
        return policy, *self.value(x, numbers[:, KO_RULE]), optimistic


def _parameter(array: np.ndarray) -> nn.Parameter:
    return nn.Parameter(torch.from_numpy(np.ascontiguousarray(array)), requires_grad=False)


class _Linear(nn.Module):
    def __init__(self, weight: np.ndarray, bias: np.ndarray | None = None) -> None:
        super().__init__()
        self.weight = _parameter(weight.T)
        self.bias = None if bias is None else _parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)


class _Conv(nn.Module):
    def __init__(self, conv: ConvWeights) -> None:
        super().__init__()
        self._is_pointwise = conv.is_pointwise
        weight = conv.weight[:, :, 0, 0] if conv.is_pointwise else conv.weight
        self.weight = _parameter(weight)
        if not conv.is_pointwise:
            self.weight.data = self.weight.data.contiguous(memory_format=torch.channels_last)
        self._margins = [width // 2 for width in conv.weight.shape[2:]]

    def forward(self, x: Tensor) -> Tensor:
        if self._is_pointwise:
            return functional.linear(x, self.weight)
        return functional.conv2d(x.permute(0, 3, 1, 2), self.weight, padding=self._margins).permute(0, 2, 3, 1)


class _NormAct(nn.Module):
    def __init__(self, norm: NormLayer, activation: str) -> None:
        super().__init__()
        self._rms = norm if isinstance(norm, RmsNorm) else None
        self.activation = _ACTIVATIONS[activation]()
        self.factor = _parameter(norm.factor)
        self.summand = _parameter(norm.summand)

    def forward(self, x: Tensor) -> Tensor:
        if self._rms is not None:
            axes = (1, 2, 3) if self._rms.is_global else (3,)
            x = x * (x.square().mean(axes, keepdim=True) + self._rms.epsilon).rsqrt()
        found: Tensor = self.activation(torch.addcmul(self.summand, x, self.factor))
        return found


class _PointNorm(nn.Module):
    def __init__(self, norm: RmsNorm) -> None:
        super().__init__()
        self._epsilon = norm.epsilon
        self.factor = _parameter(norm.factor)

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.factor.shape, self.factor, self._epsilon)


class _NormActConv(nn.Module):
    def __init__(self, layer: NormActConv) -> None:
        super().__init__()
        self.norm = _NormAct(layer.norm, layer.activation)
        self.conv = _Conv(layer.conv)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.conv(self.norm(x))
        return found


def _pooled(x: Tensor) -> Tensor:
    """Return means, means by the board's size and maxima [batch, 3·channels] (Wu 2019, section 3.3)."""
    means = x.mean((1, 2))
    return torch.cat([means, means * ((x.shape[1] - 14) / 10), x.amax((1, 2))], dim=1)


class _Stack(nn.Module):
    """Blocks, each of which adds to the stream."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(_module_of(block) for block in blocks)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return x


class _Pooling(nn.Module):
    def __init__(self, block: PoolingBlock) -> None:
        super().__init__()
        self.norm = _NormAct(block.first.norm, block.first.activation)
        self.conv = _Conv(block.first.conv)
        self.pooled_conv = _Conv(block.pooled_conv)
        self.pooled_norm = _NormAct(block.pooled_norm, block.pooled_activation)
        self.bias = _Linear(block.bias)
        self.second = _NormActConv(block.second)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.norm(x)
        bias = self.bias(_pooled(self.pooled_norm(self.pooled_conv(seen))))
        found: Tensor = self.second(self.conv(seen) + bias[:, None, None])
        return found


class _Attention(nn.Module):
    def __init__(self, block: AttentionBlock) -> None:
        super().__init__()
        self._heads, self._kv_heads = block.heads, block.kv_heads
        self._frequencies = block.frequencies
        self._angles: dict[tuple[int, torch.device], tuple[Tensor, Tensor]] = {}
        self.norm = _PointNorm(block.norm)
        self.query, self.key, self.value = _Linear(block.query), _Linear(block.key), _Linear(block.value)
        self.output = _Linear(block.output)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.norm(x).flatten(1, 2)
        queries = self.query(seen).unflatten(2, (self._heads, -1))
        keys = self.key(seen).unflatten(2, (self._kv_heads, -1))
        values = self.value(seen).unflatten(2, (self._kv_heads, -1))
        if self._frequencies is not None:
            queries, keys = self._rotated(queries, x.shape[1]), self._rotated(keys, x.shape[1])
        shared = self._heads // self._kv_heads
        found = functional.scaled_dot_product_attention(
            queries.transpose(1, 2),
            keys.repeat_interleave(shared, dim=2).transpose(1, 2),
            values.repeat_interleave(shared, dim=2).transpose(1, 2),
        )
        output: Tensor = self.output(found.transpose(1, 2).flatten(2))
        return output.view(x.shape)

    def _rotated(self, x: Tensor, size: int) -> Tensor:
        """Rotate pairs of numbers by angles that grow with column and row (Su et al. 2021, in the plane)."""
        cosine, sine = self._turns(size, x.device)
        heads = x.shape[2] // cosine.shape[1]
        cosine, sine = (part.repeat_interleave(heads, dim=1).to(x.dtype) for part in (cosine, sine))
        first, second = x.unflatten(3, (-1, 2)).unbind(4)
        return torch.stack([first * cosine - second * sine, first * sine + second * cosine], dim=4).flatten(3)

    def _turns(self, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return cosine and sine of all angles, float32 [points, key heads, query width / 2] each."""
        if (size, device) not in self._angles:
            assert self._frequencies is not None
            frequencies = torch.from_numpy(self._frequencies).to(device)
            points = torch.arange(size**2, dtype=torch.float32, device=device)
            rows, columns = points.div(size, rounding_mode="floor"), points % size
            angles = columns[:, None, None] * frequencies[..., 0] + rows[:, None, None] * frequencies[..., 1]
            self._angles[size, device] = angles.cos(), angles.sin()
        return self._angles[size, device]


class _FeedForward(nn.Module):
    def __init__(self, block: FeedForwardBlock) -> None:
        super().__init__()
        self.norm = _PointNorm(block.norm)
        self.activated, self.gate = _Linear(block.activated), _Linear(block.gate)
        self.output = _Linear(block.output)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.norm(x)
        found: Tensor = self.output(functional.silu(self.activated(seen)) * self.gate(seen))
        return found


def _module_of(block: Block) -> nn.Module:
    match block:
        case OrdinaryBlock():
            return nn.Sequential(_NormActConv(block.first), _NormActConv(block.second))
        case PoolingBlock():
            return _Pooling(block)
        case BottleneckBlock():
            return nn.Sequential(_NormActConv(block.first), _Stack(block.blocks), _NormActConv(block.last))
        case AttentionBlock():
            return _Attention(block)
        case FeedForwardBlock():
            return _FeedForward(block)


class _PolicyHead(nn.Module):
    """Logits of all moves [batch, size·size + 1]: the policy's, and the optimistic one's."""

    def __init__(self, head: PolicyHead) -> None:
        super().__init__()
        self.conv = _Conv(head.conv)
        self.pooled_conv = _Conv(head.pooled_conv)
        self.pooled_norm = _NormAct(head.pooled_norm, head.pooled_activation)
        self.bias = _Linear(head.bias)
        self.norm = _NormAct(head.norm, head.activation)
        self.last_conv = _Conv(head.last_conv)
        if head.pass_inner is None:
            self.pass_linear: nn.Module = _Linear(head.pass_linear)
        else:
            bias, activation, last = head.pass_inner
            self.pass_linear = nn.Sequential(_Linear(head.pass_linear, bias), _ACTIVATIONS[activation](), _Linear(last))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        summary = _pooled(self.pooled_norm(self.pooled_conv(x)))
        points = self.last_conv(self.norm(self.conv(x) + self.bias(summary)[:, None, None]))
        logits = torch.cat([points.flatten(1, 2), self.pass_linear(summary)[:, None]], dim=1)
        return logits[..., 0], logits[..., min(1, logits.shape[2] - 1)]


class _ValueHead(nn.Module):
    """Probabilities of win, no result and loss, lead, ownership, and details; see `Outputs`."""

    def __init__(self, model: KatagoModel) -> None:
        super().__init__()
        head: ValueHead = model.value
        self._version, self._multipliers = model.version, model.multipliers
        self.conv = _Conv(head.conv)
        self.norm = _NormAct(head.norm, head.activation)
        self.linear = nn.Sequential(_Linear(head.linear, head.linear_bias), _ACTIVATIONS[head.linear_activation]())
        self.outcome = _Linear(head.outcome, head.outcome_bias)
        self.score = _Linear(head.score, head.score_bias)
        self.ownership = _Conv(head.ownership)

    def forward(self, x: Tensor, has_superko: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        seen = self.norm(self.conv(x))
        means = seen.mean((1, 2))
        width = x.shape[1] - 14
        units = self.linear(torch.cat([means, means * (width / 10), means * (width**2 / 100 - 0.1)], dim=1))
        win, loss, nothing = self.outcome(units).unbind(1)
        wdl = torch.stack([win, nothing - has_superko * IMPOSSIBLE, loss], dim=1).softmax(dim=1)
        mean, deviation, lead, *others = self._scores(self.score(units))
        has_result = 1 - wdl[:, 1]
        details = torch.stack([mean * has_result, deviation, *others], dim=1)
        return wdl, lead * has_result, self.ownership(seen).flatten(1).tanh(), details

    def _scores(self, raw: Tensor) -> list[Tensor]:
        """Return score, its deviation, lead, variance of the time left and short-term errors, each [batch]."""
        by = self._multipliers
        mean, deviation, lead, time, *errors = raw.unbind(1)
        mean, lead = mean * by.score_mean, lead * by.lead
        deviation = functional.softplus(deviation) * by.score_deviation
        time = functional.softplus(time) * by.variance_time
        if self._version < 9:
            unknown = torch.full_like(mean, -1)
            return [mean, deviation, lead, unknown, unknown, unknown]
        value_error, score_error = errors
        value_factor, score_factor = by.short_term_value_error, by.short_term_score_error
        if self._version < 10:
            errors = [functional.softplus(value_error), functional.softplus(score_error) * 10]
        elif self._version < 14:
            errors = [
                (functional.softplus(value_error) * value_factor).sqrt(),
                (functional.softplus(score_error) * score_factor).sqrt(),
            ]
        else:
            errors = [
                functional.softplus(0.5 * value_error) * value_factor**0.5,
                functional.softplus(0.5 * score_error) * score_factor**0.5,
            ]
        return [mean, deviation, lead, time, *errors]
