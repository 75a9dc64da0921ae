"""A network, its optimizer and its averaged weights: one step of learning, and a validation."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from miai.nets.config import NetConfig
from miai.nets.form import RawOutputs
from miai.nets.torch_network import build_network
from miai.selfplay.training.losses import loss_terms, mark_unknown, mean_of_known, metrics, total_loss
from miai.selfplay.training.samples import TrainingBatch
from miai.selfplay.training.training_recipe import TrainingRecipe
from miai.selfplay.training.weight_average import ema_copy


class Learner:
    """What learns. All randomness of it is in its first weights, which follow from the recipe's seed."""

    def __init__(self, config: NetConfig, recipe: TrainingRecipe, device: torch.device) -> None:
        self.recipe = recipe
        self.device = device
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(recipe.seed)
            network: Any = build_network(config)
        self.network: nn.Module = network.to(device, memory_format=torch.channels_last)
        self._average = ema_copy(self.network, recipe.ema_decay)
        self._optimizer = _new_optimizer(self.network, recipe)

    @property
    def averaged(self) -> nn.Module:
        """The network with averaged weights."""
        return self._average.module

    def begin_with(self, weights: dict[str, Tensor]) -> None:
        """Take the weights of a network of the same form in place of random ones, before the first step."""
        self.network.load_state_dict(weights)
        self._average = ema_copy(self.network, self.recipe.ema_decay)

    def learn(self, batch: TrainingBatch, learning_rate: float) -> dict[str, Tensor]:
        """Make one step.

        Returns:
            The terms of the loss, `loss`, `gradient` (its norm before it is shortened) and `policy_accuracy`, each a
            number still on the device; NaN where no position has a target.
        """
        self.network.train()
        targets = self._on_device(batch)
        outputs = self._outputs(self.network, targets.planes)
        terms = loss_terms(outputs, targets, self.recipe)
        loss = total_loss(terms, self.recipe)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.gradient_norm)
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self._optimizer.step()
        self._average.update_parameters(self.network)
        with torch.no_grad():
            accuracy = metrics(outputs, targets)["policy_accuracy"]
        found = mark_unknown(terms, targets) | {"loss": loss, "gradient": norm, "policy_accuracy": accuracy}
        return {name: value.detach() for name, value in found.items()}

    @torch.no_grad()
    def validate(self, batches: Iterable[TrainingBatch]) -> dict[str, float]:
        """Return the `mean_of_known` terms of the loss, `loss` and measures of the averaged weights."""
        self.averaged.eval()
        found: list[dict[str, Tensor]] = []
        for batch in batches:
            targets = self._on_device(batch)
            outputs = self._outputs(self.averaged, targets.planes)
            terms = loss_terms(outputs, targets, self.recipe)
            known = mark_unknown(terms, targets)
            found.append(known | {"loss": total_loss(terms, self.recipe)} | metrics(outputs, targets))
        return mean_of_known(found)

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that further steps depend on, by name."""
        parts = {"network": self.network.state_dict(), "average": self._average.state_dict()}
        state = self._optimizer.state_dict()["state"]
        parts |= {f"optimizer.{index}": entries for index, entries in state.items()}
        return {f"{part}.{name}": tensor for part, entries in parts.items() for name, tensor in entries.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take what `tensors` returned.

        Raises:
            IndexError, KeyError, RuntimeError: if it was that of another network.
        """
        parts: dict[str, dict[str, Tensor]] = {"network": {}, "average": {}}
        states: dict[int, dict[str, Tensor]] = {}
        parameters = [one for group in self._optimizer.param_groups for one in group["params"]]
        for name, tensor in tensors.items():
            part, _, rest = name.partition(".")
            if part == "optimizer":
                index, _, entry = rest.partition(".")
                parameter = parameters[int(index)]
                if tensor.shape == parameter.shape:  # the optimizer wants both in the same order in memory
                    tensor = torch.empty_like(parameter).copy_(tensor)
                states.setdefault(int(index), {})[entry] = tensor
            else:
                parts[part][rest] = tensor
        self.network.load_state_dict(parts["network"])
        self._average.load_state_dict(parts["average"])
        self._optimizer.load_state_dict(self._optimizer.state_dict() | {"state": states})

    def _on_device(self, batch: TrainingBatch) -> TrainingBatch:
        return TrainingBatch(*(torch.from_numpy(array).to(self.device, non_blocking=True) for array in batch))

    def _outputs(self, network: nn.Module, planes: Tensor) -> RawOutputs:
        is_short = self.recipe.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=is_short):
            return network(planes.contiguous(memory_format=torch.channels_last))


def _new_optimizer(network: nn.Module, recipe: TrainingRecipe) -> torch.optim.AdamW:
    """Return the optimizer; only weights of convolutions and matrices decay."""
    parameters = list(network.parameters())
    groups: list[dict[str, Any]] = [
        {"params": [one for one in parameters if one.dim() > 1], "weight_decay": recipe.weight_decay},
        {"params": [one for one in parameters if one.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=True)
