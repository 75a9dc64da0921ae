"""How games to learn from are played. Plain Python: importing it loads no compiled code."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class SelfPlayRecipe:
    """What all games of a run have in common, whoever plays them."""

    size: int = 9
    rules: str = "tromp-taylor"
    """One of `miai.engine.go.rules.RULES`."""
    komi: float = 7.0
    """Most games have a komi near this one."""
    komi_range: tuple[float, float] = (0.0, 14.0)
    """The others have any komi between these, in steps of half a point."""
    simulations: int = 400
    """Of a full search, whose result is a policy target."""
    fast_simulations: int = 80
    """Of the other searches."""
    full_search_fraction: float = 0.25
    """Fraction of the moves that are searched in full (playout-cap randomisation: Wu 2019, section 3.1)."""
    temperatures: tuple[float, float] = (1.0, 0.25)
    """For the choice of the move, at the beginning of a game and in the end; halfway after as many moves as the board
    has rows."""
    opening_moves: float = 3.0
    """Mean number of moves at the beginning that are sampled from the prior probabilities, without a search."""
    resign_below: float = 0.05
    """Expected result below which a player resigns, found twice in a row by it; 0 = never."""
    resign_fraction: float = 0.9
    """Fraction of the games in which anybody may resign."""
    games_at_once: int = 1
    """Of each process, where a network evaluates their positions together."""
    net_version: int = 0
    """Of the network that plays; 0 = none."""
    seed: int = 1
    """Decides all games: game `n` of a seed is always the same."""

    def temperature(self, num_moves: int) -> float:
        """Return the temperature for the next move after so many moves."""
        first, last = self.temperatures
        return last + (first - last) * 0.5 ** (num_moves / self.size)


class SearchRequest(NamedTuple):
    """What a game wants of a search."""

    simulations: int
    """0: only the prior probabilities."""
    is_full: bool
    """Whether to add root noise, and to spend all simulations even if the move is clear: the result will be learned."""
