"""How a network is trained: every number of the recipe with its default and meaning, in one place.

Plain Python: importing this module loads neither numpy nor torch. A TOML file has the fields' names as keys:

    batch_size = 512
    learning_rate = 2e-3
    ownership_weight = 0.3
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miai.players.option_kinds import Integer, NameChoice, OptionError, OptionKind, Real, read_toml, unknown_name

_MANY = 1_000_000_000


def _entry(default: Any, kind: OptionKind, meaning: str) -> Any:
    return dataclasses.field(default=default, metadata={"kind": kind, "meaning": meaning})


@dataclass(frozen=True)
class TrainingRecipe:
    """How a network is trained; `kind_of` and `meaning_of` say what each field may be and what it is.

    Raises:
        OptionError: if a value is not allowed.
    """

    batch_size: int = _entry(256, Integer(2, 1 << 20), "Positions a step.")
    reuse: float = _entry(
        3.0, Real(0.001, 1e6), "How often each position is used, each time in one of its 8 symmetries."
    )
    outcome_weight: float = _entry(
        0.6, Real(0, 1), "Weight of the game's outcome in the value target; the rest is the root value of the search."
    )
    policy_weight: float = _entry(
        1.0, Real(0, 1e6), "Weight in the loss of the cross-entropy of the search's policy; only after full searches."
    )
    value_weight: float = _entry(
        1.0, Real(0, 1e6), "Weight of the cross-entropy of win, draw and loss, or of a single value's squared error."
    )
    score_weight: float = _entry(0.02, Real(0, 1e6), "Weight of the Huber loss of the final score in points.")
    ownership_weight: float = _entry(
        0.5, Real(0, 1e6), "Weight of the squared error of the points' owners at the end, mean over the points."
    )
    reply_weight: float = _entry(0.15, Real(0, 1e6), "Weight of the cross-entropy of the opponent's policy after it.")
    huber_delta: float = _entry(10.0, Real(0.01, 1000), "Huber delta of the score's loss, in points.")
    learning_rate: float = _entry(1e-3, Real(0, 10), "Highest learning rate of AdamW.")
    warmup_steps: int = _entry(
        200, Integer(0, _MANY), "Steps in which the learning rate rises from 0; at most a tenth of all."
    )
    first_drop: float = _entry(0.6, Real(0, 1), "Fraction of all steps after which the learning rate drops.")
    second_drop: float = _entry(0.85, Real(0, 1), "Fraction of all steps after which it drops again.")
    drop_factor: float = _entry(0.3, Real(0, 1), "What each drop multiplies the learning rate by.")
    weight_decay: float = _entry(0.01, Real(0, 10), "Weight decay of AdamW, of convolutions and matrices only.")
    gradient_norm: float = _entry(2.0, Real(1e-6, 1e9), "Largest gradient norm; longer gradients are clipped to it.")
    ema_decay: float = _entry(0.999, Real(0, 0.999999), "EMA decay of the averaged weights, which are the result.")
    precision: str = _entry(
        "float32", NameChoice(("float32", "bfloat16")), "What the network computes in; weights and losses stay float32."
    )
    lowest_komi: float = _entry(-1000.0, Real(), "Games of less komi are left out; for networks that do not see komi.")
    highest_komi: float = _entry(1000.0, Real(), "Games of more are left out.")
    held_out: int = _entry(20, Integer(2, _MANY), "One game in so many is kept to validate on.")
    validation_positions: int = _entry(4096, Integer(1, _MANY), "Most positions of a validation.")
    validate_every: int = _entry(1000, Integer(1, _MANY), "Steps between validations.")
    checkpoint_every: int = _entry(500, Integer(1, _MANY), "Steps between checkpoints.")
    kept_checkpoints: int = _entry(2, Integer(2, 1000), "Checkpoints that are kept.")
    loader_threads: int = _entry(1, Integer(1, 64), "Threads that write batches ahead.")
    seed: int = _entry(1, Integer(0, (1 << 63) - 1), "Seed of first weights, and of which positions come when and how.")

    def __post_init__(self) -> None:
        for name in FIELDS:
            object.__setattr__(self, name, read_value(name, getattr(self, name)))

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


FIELDS = tuple(field.name for field in dataclasses.fields(TrainingRecipe))
"""Names of the recipe's fields."""
_METADATA = {field.name: field.metadata for field in dataclasses.fields(TrainingRecipe)}


def kind_of(name: str) -> OptionKind:
    """Return what a field may be."""
    return _METADATA[name]["kind"]


def meaning_of(name: str) -> str:
    """Return what a field means, in a sentence."""
    return _METADATA[name]["meaning"]


def read_value(name: str, value: Any) -> Any:
    """Return the value of a field from text or a TOML value.

    Raises:
        OptionError: naming the field, the wrong value and the allowed ones.
    """
    try:
        return kind_of(name).read(value)
    except OptionError as error:
        raise OptionError(f"{name.replace('_', '-')}: {error}") from None


def resolve_recipe(file: Path | None = None, given: Mapping[str, Any] | None = None) -> TrainingRecipe:
    """Return the recipe: the defaults, overridden by a TOML file, that by what was `given` by name.

    Raises:
        OptionError: if the file cannot be read, or a name or value is wrong; says which and lists the right ones.
    """
    values = {} if file is None else _read_file(file)
    return TrainingRecipe(**{**values, **(given or {})})


def _read_file(path: Path) -> dict[str, Any]:
    values = read_toml(path)
    for name, value in values.items():
        try:
            if name not in FIELDS:
                raise unknown_name(name, FIELDS, "value of the recipe")
            read_value(name, value)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None
    return values
