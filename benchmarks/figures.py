"""How a bench prints what it measured: one line per figure, or one JSON object."""

import json
from collections.abc import Iterable
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured number."""

    name: str
    """Dotted, as `playouts.random.9x9`."""
    value: float
    unit: str
    """As `playouts/s`, `MiB`."""


def print_figures(figures: Iterable[Figure], as_json: bool = False) -> None:
    """Write `name value unit` for each figure as it is measured, or all at the end as one JSON object."""
    if as_json:
        print(json.dumps({name: {"value": value, "unit": unit} for name, value, unit in figures}, indent=2))
        return
    for figure in figures:
        print(f"{figure.name} {format_value(figure.value)} {figure.unit}", flush=True)


def format_value(value: float) -> str:
    """Keep four digits of small numbers and every digit before the point of large ones."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
