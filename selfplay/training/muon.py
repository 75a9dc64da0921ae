"""Muon: momentum whose matrices are made orthogonal before each step.

K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024; J. Liu et al., "Muon is scalable for
LLM training", 2025, whose scale of the steps is AdamW's, so that its learning rates and weight decay fit.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of a quintic that drives singular values towards 1: into 0.7 to 1.2 within five steps."""
_ITERATIONS = 5
_STEP_SIZE = 0.2
"""Root mean square of a step at a learning rate of 1, about AdamW's."""


def orthogonalized(matrices: Tensor) -> Tensor:
    """Return matrices [..., rows, columns] with their singular values near 1 and the same singular vectors."""
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if is_tall else matrices
    x = x / (torch.linalg.matrix_norm(x, keepdim=True) + 1e-7)
    a, b, c = _COEFFICIENTS
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x


class Muon(torch.optim.Optimizer):
    """Muon for weights of two dimensions or more; of a convolution, each output's weights are a row."""

    def __init__(self, parameters: Iterable[Tensor], lr: float, weight_decay: float, momentum: float = 0.95) -> None:
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Make a step by the gradients; those of one shape are made orthogonal together."""
        assert closure is None
        for group in self.param_groups:
            by_shape: dict[tuple[int, int], list[tuple[Tensor, Tensor]]] = {}
            for weight in group["params"]:
                if weight.grad is not None:
                    momentum = self._momentum_of(weight).lerp_(weight.grad, 1.0 - group["momentum"])
                    update = weight.grad.lerp(momentum, group["momentum"]).flatten(1)
                    by_shape.setdefault(tuple(update.shape), []).append((weight, update))
            for shape, pairs in by_shape.items():
                scale = _STEP_SIZE * max(shape) ** 0.5
                steps = orthogonalized(torch.stack([update for _, update in pairs]))
                for (weight, _), step in zip(pairs, steps, strict=True):
                    weight.mul_(1.0 - group["lr"] * group["weight_decay"])
                    weight.sub_(step.view(weight.shape), alpha=group["lr"] * scale)

    def _momentum_of(self, weight: Tensor) -> Tensor:
        state = self.state[weight]
        if not state:
            state["momentum"] = torch.zeros_like(weight)
        momentum: Tensor = state["momentum"]
        return momentum
