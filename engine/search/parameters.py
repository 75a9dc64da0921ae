"""Numbers that the user may set: a NamedTuple whose fields say default, range and meaning (no numba).

    class Parameters(NamedTuple):
        equivalence: Annotated[float, Range(1.0, 1e9), "visits at which both values weigh the same"] = 300.0
        epsilon: float = 0.1  # any number, without a meaning

Compiled code sees the values alone.
"""

import functools
import math
from typing import Any, NamedTuple, get_type_hints


class Range(NamedTuple):
    """The least and the greatest value that a parameter may have."""

    lowest: float
    highest: float


class Parameter(NamedTuple):
    """What a number may be and what it means."""

    name: str
    lowest: float
    highest: float
    meaning: str


class NoParameters(NamedTuple):
    """The parameters of a rule that has none."""

    unused: int = 0


def describe_parameters(values: Any) -> tuple[Parameter, ...]:
    """Return what each field of a NamedTuple of parameters may be and means, by its annotation.

    Raises:
        TypeError: if `values` is no instance of a NamedTuple.
        ValueError: if a value is not a number in its range.
    """
    if not isinstance(values, tuple) or not hasattr(values, "_fields"):
        raise TypeError(f"parameters must be a NamedTuple with values, as in Parameters(), not {values!r}")
    described = _describe(type(values))
    for parameter in described:
        value = getattr(values, parameter.name)
        if not isinstance(value, (int, float)) or not parameter.lowest <= value <= parameter.highest:
            allowed = f"a number from {parameter.lowest:g} to {parameter.highest:g}"
            raise ValueError(f"parameter {parameter.name}: {value!r} is not allowed (allowed: {allowed})")
    return described


@functools.cache
def _describe(kind: Any) -> tuple[Parameter, ...]:
    if kind is NoParameters:
        return ()
    hints = get_type_hints(kind, include_extras=True)
    described = []
    for name in kind._fields:
        notes = getattr(hints[name], "__metadata__", ())
        bounds = next((note for note in notes if isinstance(note, Range)), Range(-math.inf, math.inf))
        meaning = next((note for note in notes if isinstance(note, str)), "")
        described.append(Parameter(name, *bounds, meaning))
    return tuple(described)


def parameters_with(defaults: Any, values: dict[str, float]) -> Any:
    """Return `defaults` with some fields replaced, each converted to the type it had."""
    return defaults._replace(**{name: type(getattr(defaults, name))(value) for name, value in values.items()})
