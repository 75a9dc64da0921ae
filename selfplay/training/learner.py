"""A network, its optimizer and its averaged weights: one step of learning, and a validation."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from miai.nets.config import NetConfig
from miai.nets.form import RawOutputs
from miai.nets.torch_network import build_network
from miai.selfplay.training.losses import loss_terms, mark_unknown, mean_of_known, metrics, total_loss
from miai.selfplay.training.muon import Muon
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
        self._optimizers = _new_optimizers(self.network, recipe)
        torch.backends.cudnn.benchmark = True  # the batches to learn from have one shape

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
        self.network.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.gradient_norm)
        for optimizer in self._optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()
        self._average.update_parameters(self.network)
        with torch.no_grad():
            accuracy = metrics(outputs, targets)["policy_accuracy"]
        found = mark_unknown(terms, targets) | {"loss": loss, "gradient": norm, "policy_accuracy": accuracy}
        return {name: value.detach() for name, value in found.items()}

    @torch.no_grad()
    def validate(self, batches: Iterable[TrainingBatch]) -> dict[str, float]:
        """Return the known terms of the loss, `loss` and measures of the averaged weights, over all positions."""
        self.averaged.eval()
        said: list[RawOutputs] = []
        wanted: list[TrainingBatch] = []
        for batch in batches:
            targets = self._on_device(batch)
            said.append(self._outputs(self.averaged, targets.planes))
            wanted.append(targets._replace(planes=targets.planes[:0]))
        if not said:
            return {}
        outputs = RawOutputs(*(None if one[0] is None else torch.cat(one) for one in zip(*said, strict=True)))
        targets = TrainingBatch(*map(torch.cat, zip(*wanted, strict=True)))
        terms = loss_terms(outputs, targets, self.recipe)
        found = mark_unknown(terms, targets) | {"loss": total_loss(terms, self.recipe)} | metrics(outputs, targets)
        return mean_of_known([found])

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that further steps depend on, by name."""
        parts = {"network": self.network.state_dict(), "average": self._average.state_dict()}
        for kind, optimizer in self._optimizers.items():
            state = optimizer.state_dict()["state"]
            parts |= {f"{kind}.{index}": entries for index, entries in state.items()}
        return {f"{part}.{name}": tensor for part, entries in parts.items() for name, tensor in entries.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take what `tensors` returned.

        Raises:
            IndexError, KeyError, RuntimeError: if it was that of another network.
        """
        parts: dict[str, dict[str, Tensor]] = {"network": {}, "average": {}}
        states: dict[str, dict[int, dict[str, Tensor]]] = {kind: {} for kind in self._optimizers}
        for name, tensor in tensors.items():
            part, _, rest = name.partition(".")
            if part in parts:
                parts[part][rest] = tensor
                continue
            index, _, entry = rest.partition(".")
            parameter = _parameters_of(self._optimizers[part])[int(index)]
            if tensor.shape == parameter.shape:  # the optimizer wants both in the same order in memory
                tensor = torch.empty_like(parameter).copy_(tensor)
            states[part].setdefault(int(index), {})[entry] = tensor
        self.network.load_state_dict(parts["network"])
        self._average.load_state_dict(parts["average"])
        for kind, optimizer in self._optimizers.items():
            optimizer.load_state_dict(optimizer.state_dict() | {"state": states[kind]})

    def _on_device(self, batch: TrainingBatch) -> TrainingBatch:
        return TrainingBatch(*(torch.as_tensor(array).to(self.device, non_blocking=True) for array in batch))

    def _outputs(self, network: nn.Module, planes: Tensor) -> RawOutputs:
        is_short = self.recipe.precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=is_short):
            return network(planes.contiguous(memory_format=torch.channels_last))


def _new_optimizers(network: nn.Module, recipe: TrainingRecipe) -> dict[str, torch.optim.Optimizer]:
    """Return the optimizers by their names in checkpoints; only weights of convolutions and matrices decay.

    Muon is for the matrices between a network's first layer and its heads; AdamW has the others.
    """
    named = dict(network.named_parameters())
    matrices = [name for name, one in named.items() if one.dim() > 1]
    inner = [name for name in matrices if name.startswith("blocks.")] if recipe.optimizer == "muon" else []
    outer = [named[name] for name in matrices if name not in inner]
    rest = [one for one in named.values() if one.dim() <= 1]
    groups: list[dict[str, Any]] = [
        {"params": outer, "weight_decay": recipe.weight_decay},
        {"params": rest, "weight_decay": 0.0},
    ]
    optimizers: dict[str, torch.optim.Optimizer] = {
        "optimizer": torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=True)
    }
    if inner:
        optimizers["muon"] = Muon([named[name] for name in inner], recipe.learning_rate, recipe.weight_decay)
    return optimizers


def _parameters_of(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"]]
