"""What a network's outputs are measured by: the terms of the loss, and how often and how far it is wrong."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from miai.nets.form import RawOutputs
from miai.selfplay.training.samples import TrainingBatch
from miai.selfplay.training.training_recipe import TrainingRecipe

TERMS = ("policy", "value", "score", "ownership", "reply")
"""The terms of the loss."""
MEASURES = ("policy_accuracy", "policy_entropy", "value_error", "score_error", "ownership_accuracy")
"""What people read besides."""


def loss_terms(outputs: RawOutputs, targets: TrainingBatch, recipe: TrainingRecipe) -> dict[str, Tensor]:
    """Return the terms that a network has heads for, each the mean over the positions whose target is known.

    policy, reply: cross-entropy in nats. value: cross-entropy of win, draw and loss in nats, or, of a network that
    gives one value from -1 to 1, its squared error. score: Huber loss in points. ownership: squared error of owners
    from -1 to 1, mean over the points.

    Args:
        outputs: of any float type; the terms are float32.
        targets: tensors on the same device.
    """
    terms = {"policy": _mean(_cross_entropy(outputs.policy, targets.policy), targets.policy_weight)}
    if outputs.wdl is not None:
        terms["value"] = _mean(_cross_entropy(outputs.wdl, targets.wdl), targets.value_weight)
    elif outputs.value is not None:
        error = outputs.value.float() - (targets.wdl[:, 0] - targets.wdl[:, 2])
        terms["value"] = _mean(error.square(), targets.value_weight)
    if outputs.score is not None:
        huber = functional.huber_loss(outputs.score.float(), targets.score, reduction="none", delta=recipe.huber_delta)
        terms["score"] = _mean(huber, targets.score_weight)
    if outputs.ownership is not None:
        errors = (outputs.ownership.float() - targets.ownership).square().mean(dim=1)
        terms["ownership"] = _mean(errors, targets.ownership_weight)
    if outputs.reply is not None:
        terms["reply"] = _mean(_cross_entropy(outputs.reply, targets.reply), targets.reply_weight)
    return terms


def total_loss(terms: dict[str, Tensor], recipe: TrainingRecipe) -> Tensor:
    """Return the sum of the terms by the recipe's weights."""
    return torch.stack([getattr(recipe, f"{name}_weight") * term for name, term in terms.items()]).sum()


def mark_unknown(terms: dict[str, Tensor], targets: TrainingBatch) -> dict[str, Tensor]:
    """Return the terms with NaN for those whose target is known of no position."""
    return {name: term.where(getattr(targets, f"{name}_weight").any(), torch.nan) for name, term in terms.items()}


def mean_of_known(found: Sequence[dict[str, Tensor]]) -> dict[str, float]:
    """Return the mean of each number over the batches that it is known of; those known of none are left out."""
    means = {name: float(torch.stack([one[name] for one in found]).nanmean()) for name in (found or [{}])[0]}
    return {name: mean for name, mean in means.items() if not math.isnan(mean)}


def metrics(outputs: RawOutputs, targets: TrainingBatch) -> dict[str, Tensor]:
    """Return `MEASURES`, means over the positions for which they are known, NaN if there is none.

    policy_accuracy: share of positions where the most likely move is the target's. policy_entropy: of the target, nats:
    what the policy's cross-entropy can fall to. value_error: root of the mean squared difference of the expected
    result, 0 to 1, and the game's or the teacher's. score_error: points. ownership_accuracy: share of the points with
    an owner whose owner is the one expected; a teacher's count by how sure it is.
    """
    right = outputs.policy.argmax(dim=1) == targets.policy.argmax(dim=1)
    found = {
        "policy_accuracy": _mean_or_nan(right.float(), targets.policy_weight),
        "policy_entropy": _mean_or_nan(torch.special.entr(targets.policy).sum(dim=1), targets.policy_weight),
    }
    known = (~targets.result.isnan()).float()
    error = expected_result(outputs) - targets.result.nan_to_num(0.5)
    found["value_error"] = _mean_or_nan(error.square(), known).sqrt()
    if outputs.score is not None:
        found["score_error"] = _mean_or_nan((outputs.score.float() - targets.score).abs(), targets.score_weight)
    if outputs.ownership is not None:
        owned = targets.ownership.abs().sum(dim=1)
        agree = (targets.ownership.abs() * ((outputs.ownership.float() * targets.ownership) > 0)).sum(dim=1)
        found["ownership_accuracy"] = agree.sum() / owned.sum()
    return found


def expected_result(outputs: RawOutputs) -> Tensor:
    """Return win plus half of draw for the player to move, float32 [batch], 0 to 1."""
    if outputs.wdl is not None:
        chances = outputs.wdl.float().softmax(dim=1)
        return chances[:, 0] + 0.5 * chances[:, 1]
    assert outputs.value is not None
    return 0.5 + 0.5 * outputs.value.float()


def _cross_entropy(logits: Tensor, probabilities: Tensor) -> Tensor:
    return -(probabilities * logits.float().log_softmax(dim=1)).sum(dim=1)


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1.0)


def _mean_or_nan(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum()
