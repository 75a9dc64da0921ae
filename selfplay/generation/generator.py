"""Whoever plays numbered games, and what comes of one."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from miai.selfplay.data.format import GameRecord


class FinishedGame(NamedTuple):
    """A game and what it took."""

    number: int
    record: GameRecord
    simulations: int
    seconds: float
    """By the clock since whoever played it finished the game before."""
    evaluations: int = 0
    """Positions that its network evaluated in that time, for other games too."""
    network_seconds: float = 0.0
    """What that took."""


class Generator(Protocol):
    """Plays games by their numbers."""

    def play(self, numbers: Iterable[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished; numbers are taken as games begin."""
