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
NUMBERS: Mapping[str, Mapping[str, float]] = {
    "fuego1585": {"rave.equivalence": 5000.0, "rave.exploration": 0.0, "search.expand_at": 3},
    "miai": {},
}
"""Parameters of the search: those of Fuego's revision 1585 on 9x9, whose weight of AMAF values is `rave`'s with
equivalence 5000, that explores by nothing else, and expands nodes at the third visit; or the preset's own."""
MEMORY = 96
"""MiB of a search's tree."""


def mcts_options(
    policy: str,
    simulations: int,
    without: tuple[str, ...] = (),
    prior: str = "learned",
    numbers: str = "miai",
) -> PlayerOptions:
    """Return the options of MCTS(P).

    Args:
        policy: P.
        simulations: a move.
        without: names in `KNOWLEDGE`.
        prior: what is known of moves before a search, one of `PRIORS`.
        numbers: of the search, a name in `NUMBERS`.
    """
    parameters = dict(NUMBERS[numbers])
    for part in without:
        parameters.update(KNOWLEDGE[part])
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
