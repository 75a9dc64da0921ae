"""MCTS(P): the search of the preset `fuego` with a policy P, all else alike."""

import functools
from collections.abc import Mapping
from typing import Any

from miai.players.options import PlayerOptions, resolve_options
from miai.players.player import Player

KNOWLEDGE: Mapping[str, Mapping[str, float]] = {
    "prior": {"rave.prior_weight": 0.0},
    "rave": {"rave.schedule": 2, "rave.exploration": 0.4},
}
"""What a search can be told to do without, and the parameters that say so. Without all-moves-as-first it explores as
`uct` does."""
MEMORY = 96
"""MiB of a search's tree."""


def mcts_options(policy: str, simulations: int, without: tuple[str, ...] = (), prior: str = "learned") -> PlayerOptions:
    """Return the options of MCTS(P).

    Args:
        policy: P.
        simulations: a move.
        without: names in `KNOWLEDGE`.
        prior: what is known of moves before a search, one of `PRIORS`.
    """
    parameters = {name: value for part in without for name, value in KNOWLEDGE[part].items()}
    given: dict[str, Any] = {
        "policy": policy,
        "prior": prior,
        "simulations": simulations,
        "seed": 0,
        "memory": MEMORY,
        "parameters": parameters,
    }
    return resolve_options("fuego", None, given)[0]


@functools.lru_cache(maxsize=4)
def player_of(options: PlayerOptions, place: int = 0) -> Player:
    """Return this process's player with these options; `place` tells two of the same apart."""
    return Player(options)
