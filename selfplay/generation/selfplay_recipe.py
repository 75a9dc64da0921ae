"""How games to learn from are played. Plain Python: importing it loads no compiled code."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from miai.engine.go.points import MAX_KOMI
from miai.players.option_fields import check_fields
from miai.players.option_kinds import FolderName, Integer, PairOf, Real
from miai.players.options import BoardSize, ResignBelow, RulesName

_MANY = 1_000_000_000
_SIMULATIONS = Integer(1, _MANY)
_KOMI = Real(-MAX_KOMI, MAX_KOMI)


@dataclass(frozen=True)
class SelfPlayRecipe:
    """What all games of a run have in common, whoever plays them.

    Raises:
        OptionError: if a value is not allowed.
    """

    size: BoardSize = 9
    rules: RulesName = "tromp-taylor"
    komi: Annotated[float, _KOMI, "Mean komi; three quarters of the games have one near it."] = 7.0
    komi_range: Annotated[
        tuple[float, float],
        PairOf(_KOMI, "LOW HIGH"),
        "Bounds of the komi; a quarter of the games draw it uniformly.",
    ] = (0.0, 14.0)
    simulations: Annotated[int, _SIMULATIONS, "Simulations of a full search, whose result is a policy target."] = 400
    fast_simulations: Annotated[int, _SIMULATIONS, "Simulations of a fast search."] = 80
    full_search_fraction: Annotated[
        float, Real(0.0, 1.0), "Fraction of moves with a full search: playout-cap randomisation (Wu 2019, section 3.1)."
    ] = 0.25
    temperatures: Annotated[
        tuple[float, float],
        PairOf(Real(0.01, 10.0), "FIRST LAST"),
        "Temperatures of the choice of moves, at the start and in the end; halfway after as many moves as the board "
        "has rows.",
    ] = (1.0, 0.25)
    opening_moves: Annotated[
        float, Real(0.0, 50.0), "Mean number of first moves, sampled from the priors without a search."
    ] = 3.0
    opening_temperature: Annotated[
        float, Real(0.01, 1000.0), "Temperature of that draw; 1000 = about any move is as probable."
    ] = 1.0
    worse_moves: Annotated[
        float,
        Real(0.0, 1.0),
        "Fraction of moves that are not the best: drawn from the square roots of the other priors without a search.",
    ] = 0.0
    branch_off: Annotated[
        str,
        FolderName(),
        "Data or SGF of games; games leave one of them with a worse move anywhere, in place of an opening.",
    ] = ""
    resign_below: ResignBelow = 0.05
    resign_fraction: Annotated[float, Real(0.0, 1.0), "Fraction of games in which a player may resign."] = 0.9
    games_at_once: Annotated[
        int, Integer(1, 4096), "Games per process that share a network's batches, at least one position each."
    ] = 1
    net_version: Annotated[int, Integer(0, _MANY), "Number of the network that plays; 0 = none."] = 0
    seed: Annotated[
        int, Integer(0, (1 << 64) - 1), "Random seed of all games: game n of a seed is always the same."
    ] = 1

    def __post_init__(self) -> None:
        check_fields(self)

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
