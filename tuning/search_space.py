"""What is tuned: numbers of a player, each in a range, as points of the unit cube."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miai.engine.search.own_rules import find_backup_rule, find_selection_rule
from miai.match.contestants import Contestant
from miai.players.option_fields import fields_of
from miai.players.option_kinds import Integer, OptionError, Real, unknown_name
from miai.players.options import PlayerOptions
from miai.players.parameters import PlayerParameters

Values = tuple[float, ...]
"""A value of each parameter, in their order; those of whole numbers are int."""
_STEPS = 3
"""A value has so many digits more than its range: it is exact as text, and 1,000 values at least are told apart."""


class TunableNumber(NamedTuple):
    """A number that decides how a player plays."""

    value: float | None
    """The player's own; None if it has none."""
    lowest: float
    highest: float
    is_integer: bool

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{'whole numbers' if self.is_integer else 'numbers'} from {self.lowest:g} to {self.highest:g}"


@dataclass(frozen=True)
class TunedParameter:
    """A number of the player and the range in which it is tuned."""

    name: str
    """An option as in a config file, or a search parameter with its dot."""
    low: float
    high: float
    is_log: bool = False
    """Whether equal factors, not equal differences, count as equally far."""
    is_integer: bool = False

    def value_at(self, place: float) -> float:
        """Return the value at a place between 0 and 1, rounded so that its text says it exactly."""
        value = self.unrounded_at(place)
        if self.is_integer:
            return int(min(max(round(value), self.low), self.high))
        if self.is_log:
            value = float(f"{value:.{_STEPS + 1}g}")
        else:
            value = round(value, _STEPS + math.ceil(-math.log10(self.high - self.low)))
        return min(max(value, self.low), self.high)

    def unrounded_at(self, place: float) -> float:
        """Return the number at a place between 0 and 1."""
        if self.is_log:
            return self.low * (self.high / self.low) ** place
        return self.low + place * (self.high - self.low)

    def place_of(self, value: float) -> float:
        """Return where a value lies between 0 and 1."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class SearchSpace:
    """The box of all parameters."""

    parameters: tuple[TunedParameter, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def values_at(self, place: Sequence[float] | np.ndarray) -> Values:
        """Return the values at a point of the unit cube."""
        return tuple(parameter.value_at(float(x)) for parameter, x in zip(self.parameters, place, strict=True))

    def place_of(self, values: Values) -> tuple[float, ...]:
        """Return the point of the unit cube where values lie."""
        return tuple(parameter.place_of(value) for parameter, value in zip(self.parameters, values, strict=True))

    def contains(self, values: Values) -> bool:
        """Tell whether all values lie in their ranges."""
        return all(one.low <= value <= one.high for one, value in zip(self.parameters, values, strict=True))

    def settings(self, values: Values) -> str:
        """Return values as they follow a player's colon: `puct.c0=0.7,batch=16`."""
        return ",".join(f"{name}={value!r}" for name, value in zip(self.names, values, strict=True))


def name_with(player: str, settings: str) -> str:
    """Return the text of a player with more options: `net` or `net:batch=8` and `puct.c0=1`."""
    return f"{player}{',' if ':' in player else ':'}{settings}"


def tunable_numbers(options: PlayerOptions) -> Mapping[str, TunableNumber]:
    """Return all numbers of a player by name: options, but for the seed, and the search parameters of its rules.

    Raises:
        ValueError: if its rules cannot be used.
    """
    found = {}
    for name, field in fields_of(PlayerOptions).items():
        if isinstance(field.kind, (Integer, Real)) and name != "seed":
            value = options.simulation_limit if name == "simulations" else getattr(options, name)
            found[name] = TunableNumber(value, field.kind.lowest, field.kind.highest, isinstance(field.kind, Integer))
    rules = PlayerParameters(find_selection_rule(options.select), find_backup_rule(options.backup), options)
    for name, value in options.parameters.items():
        rules.set(name, str(value))
    for name, parameter in rules.current().items():
        found[name] = TunableNumber(
            parameter.value, parameter.lowest, parameter.highest, isinstance(parameter.value, int)
        )
    return found


def read_parameter(text: str, numbers: Mapping[str, TunableNumber]) -> TunedParameter:
    """Return what `NAME=LOW:HIGH` or `NAME=LOW:HIGH:log` means.

    Raises:
        OptionError: naming what is wrong and what is allowed.
    """
    name, equals, span = text.partition("=")
    ends = span.split(":")
    is_log = len(ends) == 3 and ends[2] == "log"
    if not equals or len(ends) not in (2, 3) or (len(ends) == 3 and not is_log):
        raise OptionError(
            f"parameter: {text[:60]!r} is not allowed (allowed: NAME=LOW:HIGH, NAME=LOW:HIGH:log, as in puct.c0=0.3:2)"
        )
    name = name.strip() if "." in name else name.strip().replace("-", "_")
    if name not in numbers:
        raise unknown_name(name, numbers, "tunable number")
    number = numbers[name]
    low, high = (_read_end(end, name, number) for end in ends[:2])
    if not low < high:
        raise OptionError(f"parameter {name}: {low:g}:{high:g} is not allowed (allowed: the lower end first)")
    if is_log and low <= 0:
        raise OptionError(f"parameter {name}: log is not allowed from {low:g} on (allowed: both ends above 0)")
    return TunedParameter(name, low, high, is_log, number.is_integer)


def _read_end(text: str, name: str, number: TunableNumber) -> float:
    try:
        end = float(text)
    except ValueError:
        end = math.nan
    if not (number.lowest <= end <= number.highest and math.isfinite(end)) or (
        number.is_integer and not end.is_integer()
    ):
        raise OptionError(f"parameter {name}: {text[:40]!r} is not allowed (allowed: {number.allowed})")
    return int(end) if number.is_integer else end


def read_space(texts: Sequence[str], player: Contestant) -> tuple[SearchSpace, Values | None]:
    """Return the box that texts describe, and the player's own values if they lie in it.

    Raises:
        ValueError: naming what is wrong and what is allowed.
    """
    if player.options is None:
        raise OptionError(f"{player.label!r} is no player of miai's: only those have parameters that can be tuned")
    numbers = tunable_numbers(player.options)
    parameters = tuple(read_parameter(text, numbers) for text in texts)
    names = [parameter.name for parameter in parameters]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise OptionError(f"parameter {twice} is named twice")
    space = SearchSpace(parameters)
    own = [numbers[name].value for name in names]
    values = tuple(value for value in own if value is not None)
    return space, values if len(values) == len(own) and space.contains(values) else None
