"""Named combinations of options. Each is what a config file of the same content would mean."""

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A named combination of options."""

    summary: str
    """What it is, in a few words."""
    values: dict[str, Any]
    """Option name to value; whatever is not named keeps its default."""


DEFAULT_PRESET = "net"
"""Who plays if nobody says otherwise."""
PARTS_PRESET = "fuego"
"""What a selection rule, backup rule, evaluator or policy that is named without a preset goes together with."""

_NET: dict[str, Any] = {
    "select": "puct",
    "evaluator": "mixed",
    "mix": 0.14,
    "fallback": "fuego",
    "parameters": {"puct.c0": 0.82, "puct.fpu_reduction": 0.22, "net.visits_per_leaf": 16.0},
}

PRESETS: dict[str, Preset] = {
    "net": Preset("PUCT search with miai's network and a seventh of playouts", _NET),
    "fast": Preset("net with 400 simulations a move", _NET | {"simulations": 400}),
    "strong": Preset("net with one second a move on two threads", _NET | {"time": 1.0, "threads": 2}),
    "fuego": Preset("RAVE search with Fuego's playouts", {"select": "rave", "policy": "fuego"}),
    "uct": Preset("UCT search with Fuego's playouts", {"select": "uct", "policy": "fuego"}),
    "puct": Preset("PUCT search with learned prior probabilities", {"select": "puct", "policy": "fuego"}),
    "esprit": Preset("ESPRIT search with learned prior probabilities", {"select": "esprit", "policy": "fuego"}),
    "mix": Preset("puct with Crazy Stone's backup", {"select": "puct", "backup": "mix", "policy": "fuego"}),
    "softmax": Preset("puct with softmax backup", {"select": "puct", "backup": "softmax", "policy": "fuego"}),
    "monotone": Preset("puct with monotone weights", {"select": "puct", "backup": "monotone", "policy": "fuego"}),
    "crazystone": Preset(
        "Crazy Stone of 2006: values in points, its selectivity, backup and playouts",
        {
            "select": "crazystone",
            "backup": "mix",
            "final": "lcb",
            "policy": "crazystone",
            "parameters": {"mix.internal_at": 0},
        },
    ),
    "holden": Preset(
        "Holden's dominance search on win, draw and loss probabilities",
        {
            "select": "dominance",
            "backup": "wdl-product",
            "final": "payoff",
            "evaluator": "static",
            "policy": "fuego",
            "resign_below": 0.0,
            "parameters": {"search.expand_at": 1, "wdl-product.kappa": 0.3},
        },
    ),
    "gumbel": Preset("Gumbel search: sequential halving", {"select": "gumbel", "policy": "fuego"}),
    "uct-random": Preset("UCT search with uniformly random playouts", {"select": "uct", "policy": "random"}),
    "rave-random": Preset("RAVE search with uniformly random playouts", {"select": "rave", "policy": "random"}),
    "crazystone-playouts": Preset("RAVE search with Crazy Stone's urgencies", {"policy": "crazystone"}),
}


_LEVEL: dict[str, Any] = _NET | {
    "fallback": None,
    "backup": "mean",
    "final": "visits",
    "policy": "fuego",
    "resign_below": 0.05,
}
"""A whole player, whatever the preset."""


def _at_temperature(temperature: float, **values: Any) -> dict[str, Any]:
    return _LEVEL | {"temperature": temperature} | values


STRENGTHS: dict[int, dict[str, Any]] = {
    1: _at_temperature(2.0, simulations=1),
    2: _at_temperature(1.3, simulations=1),
    3: _at_temperature(0.83, simulations=1),
    4: _at_temperature(0.4, simulations=1),
    5: _at_temperature(2.2, simulations=400),
    6: _at_temperature(1.35, simulations=400),
    7: _at_temperature(0.83, simulations=400),
    8: _at_temperature(0.6, simulations=600),
    9: {"temperature": 1.1},
    10: {},
}
"""Levels for people, the weakest to all that the player can: what each changes; see docs/results/levels.md.

Fewer simulations alone make levels that hardly ever beat each other and yet all play well; moves sampled
among the better ones err as people do.
"""
FULL_STRENGTH = max(STRENGTHS)
