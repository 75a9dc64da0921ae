"""How a network is trained: every number of the recipe with its default and meaning, in one place.

Plain Python: importing this module loads neither numpy nor torch. A TOML file has the fields' names as keys:

    batch_size = 512
    learning_rate = 2e-3
    ownership_weight = 0.3
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from miai.players.option_fields import check_fields, fields_of, read_option_file
from miai.players.option_kinds import Integer, NameChoice, Real
from miai.players.options import SEED

_MANY = 1_000_000_000


@dataclass(frozen=True)
class TrainingRecipe:
    """How a network is trained.

    Raises:
        OptionError: if a value is not allowed.
    """

    batch_size: Annotated[int, Integer(2, 1 << 20), "Positions per step."] = 256
    reuse: Annotated[
        float, Real(0.001, 1e6), "How often each position is used, each time in a random one of its 8 symmetries."
    ] = 3.0
    outcome_weight: Annotated[
        float, Real(0, 1), "Weight of the game's outcome in the value target; the search's root value has the rest."
    ] = 0.6
    teacher_weight: Annotated[
        float, Real(0, 1), "Weight of a teacher's labels in all targets; the game and its searches have the rest."
    ] = 1.0
    mistake_weight: Annotated[
        float,
        Real(0, 1e6),
        "Weight W of mistakes: a position's policy loss counts 1 + W·l times, l being the expected result that its "
        "move loses by the teacher's labels.",
    ] = 0.0
    policy_weight: Annotated[
        float,
        Real(0, 1e6),
        "Loss weight of the policy: cross-entropy with the policy target; full searches only.",
    ] = 1.0
    value_weight: Annotated[
        float,
        Real(0, 1e6),
        "Loss weight of the value: cross-entropy with win, draw and loss, or a single value's squared error.",
    ] = 1.0
    score_weight: Annotated[float, Real(0, 1e6), "Loss weight of the final score, in points: Huber loss."] = 0.02
    ownership_weight: Annotated[
        float, Real(0, 1e6), "Loss weight of ownership: squared error, mean over the points."
    ] = 0.5
    reply_weight: Annotated[
        float, Real(0, 1e6), "Loss weight of the reply: cross-entropy with the next move's policy target."
    ] = 0.15
    huber_delta: Annotated[float, Real(0.01, 1000), "Huber delta of the score loss, in points."] = 10.0
    optimizer: Annotated[
        str, NameChoice(("adamw", "muon")), "Optimizer of the blocks' matrices; AdamW has all other weights."
    ] = "adamw"
    learning_rate: Annotated[float, Real(0, 10), "Peak learning rate."] = 1e-3
    warmup_steps: Annotated[
        int, Integer(0, _MANY), "Steps of linear learning-rate warm-up; at most a tenth of all steps."
    ] = 200
    first_drop: Annotated[float, Real(0, 1), "Fraction of all steps after which the learning rate drops."] = 0.6
    second_drop: Annotated[float, Real(0, 1), "Fraction of all steps after which it drops again."] = 0.85
    drop_factor: Annotated[float, Real(0, 1), "Factor of each drop of the learning rate."] = 0.3
    weight_decay: Annotated[float, Real(0, 10), "Weight decay, on convolutions and matrices only."] = 0.01
    gradient_norm: Annotated[float, Real(1e-6, 1e9), "Norm to which longer gradients are clipped."] = 2.0
    ema_decay: Annotated[float, Real(0, 0.999999), "EMA decay of the averaged weights, which are published."] = 0.999
    precision: Annotated[
        str, NameChoice(("float32", "bfloat16")), "Precision of the network; weights and losses stay float32."
    ] = "float32"
    stored_precision: Annotated[
        str,
        NameChoice(("float32", "float16", "int8")),
        "Precision of the weights in published files; float16 halves them, int8 quarters them.",
    ] = "float32"
    lowest_komi: Annotated[
        float, Real(), "Games with a lower komi are left out, for networks that do not see the komi."
    ] = -1000.0
    highest_komi: Annotated[float, Real(), "Games with a higher komi are left out."] = 1000.0
    held_out: Annotated[int, Integer(2, _MANY), "One game in this many is held out for validation."] = 20
    validation_positions: Annotated[int, Integer(1, _MANY), "Maximum positions per validation."] = 4096
    validate_every: Annotated[int, Integer(1, _MANY), "Steps between validations."] = 1000
    checkpoint_every: Annotated[int, Integer(1, _MANY), "Steps between checkpoints."] = 500
    kept_checkpoints: Annotated[int, Integer(2, 1000), "Checkpoints kept."] = 2
    loader_threads: Annotated[int, Integer(1, 64), "Threads that prepare batches."] = 1
    seed: Annotated[int, SEED, "Random seed of the first weights, and of the order and symmetries of positions."] = 1

    def __post_init__(self) -> None:
        check_fields(self)

    def steps_for(self, num_positions: int) -> int:
        """Return after how many steps so many positions have been used `reuse` times each.

        A loop that makes positions all the time trains `steps_for(positions made since then)` steps.
        """
        return math.ceil(self.reuse * num_positions / self.batch_size)

    def learning_rate_at(self, step: int, total_steps: int) -> float:
        """Return the learning rate of a step, 0 for the first, in a training of `total_steps`."""
        warmup = min(self.warmup_steps, total_steps // 10)
        rising = min(1.0, (step + 1) / warmup) if warmup else 1.0
        num_drops = sum(step >= drop * total_steps for drop in (self.first_drop, self.second_drop))
        return self.learning_rate * rising * self.drop_factor**num_drops


FIELDS = fields_of(TrainingRecipe)
"""The fields by name."""


def resolve_recipe(file: Path | None = None, given: Mapping[str, Any] | None = None) -> TrainingRecipe:
    """Return the recipe: the defaults, overridden by a TOML file, that by what was `given` by name.

    Raises:
        OptionError: if the file cannot be read, or a name or value is wrong; says which and lists the right ones.
    """
    values = {} if file is None else read_option_file(file, FIELDS, "value of the recipe")
    return TrainingRecipe(**{**values, **(given or {})})
