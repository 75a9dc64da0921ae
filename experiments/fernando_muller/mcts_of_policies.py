"""MCTS(P): the search of the preset `fuego` with a policy P, all else alike."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from miai.players.options import PlayerOptions, resolve_options
from miai.players.player import Player

KNOWLEDGE: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "prior": {"rave": {"rave.prior_weight": 0.0}, "rave-fuego": {"rave-fuego.prior_weight": 0.0}},
    "rave": {
        "rave": {"rave.schedule": 2, "rave.exploration": 0.4},
        "rave-fuego": {"rave-fuego.own_every": 1, "rave-fuego.exploration": 0.4},
    },
}
"""What a search can be told to do without, and by its selection rule the parameters that say so. Without
all-moves-as-first it explores as `uct` does."""


class Numbers(NamedTuple):
    """A search's selection rule and parameters, and what else differs from the preset."""

    select: str
    parameters: Mapping[str, float]
    options: Mapping[str, float | bool] = MappingProxyType({})


NUMBERS: Mapping[str, Numbers] = {
    "fuego1585-amaf": Numbers(
        "rave-fuego", {"search.expand_at": 1, "playouts.mercy": 0.3}, {"count_kept": True, "resign_below": 0.0}
    ),
    "fuego1585": Numbers("rave", {"rave.equivalence": 5000.0, "rave.exploration": 0.0, "search.expand_at": 3}),
    "miai": Numbers("rave", {}),
}
"""Those of Fuego's revision 1585 on 9x9, which explores by AMAF values alone, with AMAF values as that revision has
them. It expands nodes at the third visit, but prior knowledge counts as visits, so at the first; the visits that the
search before leaves count as simulations; it resigns only after more than 5,000; and playouts have its mercy rule. Its
numbers with AMAF values of `rave` and without the rest; or the preset's own."""
SIMULATIONS = 5000
"""The paper's, of a move or a position."""
MEMORY = 96
"""MiB of a search's tree."""


class MctsReading(NamedTuple):
    """What MCTS(P) is, whatever P; the defaults are the paper's search, as its revision of Fuego has it."""

    prior: str = "fuego1585"
    """What is known of moves before a search, one of `miai.players.options.PRIORS`."""
    numbers: str = "fuego1585-amaf"
    """Selection rule and parameters, a name in `NUMBERS`."""
    without: tuple[str, ...] = ()
    """What it does without, names in `KNOWLEDGE`."""

    def describe(self) -> dict[str, Any]:
        """Return all of it in plain values, for a plan's signature."""
        numbers = NUMBERS[self.numbers]
        # Plans of an earlier reading lack these, so that their games are not extended by others.
        whole: dict[str, Any] = {}
        if numbers.options:
            whole = {"search": {**numbers.parameters, **numbers.options}, "as_in_1585": "position by position"}
        return {"without": list(self.without), "prior": self.prior, "numbers": self.numbers, **whole}

    @property
    def words(self) -> list[str]:
        """The parts of a folder's name that say it."""
        return [self.prior, self.numbers, *(f"no-{one}" for one in self.without)]

    @property
    def told(self) -> str:
        """A line of a report on it."""
        missing = f"; it has no {' and no '.join(self.without)}" if self.without else ""
        return f"prior knowledge: {self.prior}; parameters: {self.numbers}{missing}"


PAPERS_READING = MctsReading()


def read_back(settings: Mapping[str, Any]) -> MctsReading:
    """Return what `MctsReading.describe` wrote into a signature."""
    return MctsReading(settings["prior"], settings["numbers"], tuple(settings["without"]))


def options_of_reading(reading: MctsReading) -> dict[str, tuple[object, object]]:
    """Return the options of a command that say a reading, each with its default."""
    names = ("prior", "numbers", "without")
    return {f"--{name}": (getattr(reading, name), getattr(PAPERS_READING, name)) for name in names}


def mcts_options(policy: str, simulations: int, reading: MctsReading = PAPERS_READING) -> PlayerOptions:
    """Return the options of MCTS(P).

    Args:
        policy: P.
        simulations: a move.
        reading: what the search is beside P.
    """
    select, numbers, options = NUMBERS[reading.numbers]
    parameters = dict(numbers)
    for part in reading.without:
        parameters.update(KNOWLEDGE[part][select])
    given: dict[str, Any] = {
        "select": select,
        "policy": policy,
        "prior": reading.prior,
        "simulations": simulations,
        "seed": 0,
        "memory": MEMORY,
        "parameters": parameters,
        **options,
    }
    return resolve_options("fuego", None, given)[0]


@functools.lru_cache(maxsize=4)
def player_of(options: PlayerOptions, place: int = 0) -> Player:
    """Return this process's player with these options; `place` tells two of the same apart."""
    return Player(options)
