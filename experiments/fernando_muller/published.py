"""The policies of Fernando & Müller 2013 and the figures that they print.

S. Fernando, M. Müller, "Analyzing simulations in Monte Carlo tree search for the game of Go", Computers and Games 2013.
F is Fuego's policy, R the random one.
"""

from typing import NamedTuple

SUBTRACTIVE = ("F", "no_ac", "no_ad", "no_bp", "no_patt", "no_ll", "no_cap", "no_fe")
ADDITIVE = ("R", "only_ac", "only_ad", "only_bp", "only_patt", "only_ll", "only_cap")
LINES = (*SUBTRACTIVE, *ADDITIVE)
"""All policies of table 1, in the paper's order."""
BASES = ("fuego1585_listed", "fuego1585", "fuego")
"""What F may be: as in the revision of Fuego that the paper used, the same layers in miai's forms, or all of miai's."""


class Strength(NamedTuple):
    """A line of table 2, in per cent."""

    score: float
    error: float
    games: int


STRENGTHS = {
    "F": Strength(49.5, 1.1, 2000),
    "no_ac": Strength(51.6, 1.1, 2000),
    "no_ad": Strength(18.2, 0.9, 2000),
    "no_bp": Strength(46.4, 1.1, 2000),
    "no_patt": Strength(25.9, 1.0, 2000),
    "no_ll": Strength(47.5, 1.1, 2000),
    "no_cap": Strength(50.4, 1.1, 2000),
    "no_fe": Strength(49.9, 1.1, 2000),
    "R": Strength(48.3, 2.2, 500),
    "only_ac": Strength(57.6, 2.2, 500),
    "only_ad": Strength(70.3, 2.0, 500),
    "only_bp": Strength(76.0, 1.9, 500),
    "only_patt": Strength(66.8, 2.1, 500),
    "only_ll": Strength(59.1, 2.2, 500),
    "only_cap": Strength(67.1, 2.1, 500),
}
"""Table 2: wins of MCTS(P) against MCTS(F), or MCTS(R) for additive P, and the standard error."""


class Blunders(NamedTuple):
    """A line of table 3, of 100 games."""

    free: int
    """Games without a blunder."""
    even: int
    """Games with an even number of blunders, none included."""
    percent: float
    """Of all moves."""


BLUNDERS = {
    "F": Blunders(53, 72, 3.00),
    "no_ac": Blunders(62, 82, 2.78),
    "no_ad": Blunders(69, 85, 2.14),
    "no_bp": Blunders(55, 77, 2.95),
    "no_patt": Blunders(38, 65, 4.15),
    "no_ll": Blunders(52, 79, 4.25),
    "no_cap": Blunders(56, 71, 2.67),
    "no_fe": Blunders(69, 84, 1.70),
}
"""Table 3."""


class PrintedErrors(NamedTuple):
    """A line of table 4."""

    blunders: float
    """Chance of a blunder, in per cent."""
    loss: float
    """Expected points lost by a move."""


ERRORS = {
    "F": PrintedErrors(4.14, 4.52),
    "no_ac": PrintedErrors(4.19, 4.55),
    "no_ad": PrintedErrors(4.67, 4.81),
    "no_bp": PrintedErrors(4.51, 4.73),
    "no_patt": PrintedErrors(6.55, 5.57),
    "no_ll": PrintedErrors(4.10, 4.47),
    "no_cap": PrintedErrors(4.20, 4.62),
    "no_fe": PrintedErrors(4.14, 4.53),
    "R": PrintedErrors(9.95, 7.48),
    "only_ac": PrintedErrors(9.42, 7.12),
    "only_ad": PrintedErrors(8.22, 6.46),
    "only_bp": PrintedErrors(4.77, 4.97),
    "only_patt": PrintedErrors(5.82, 5.55),
    "only_ll": PrintedErrors(8.40, 6.75),
    "only_cap": PrintedErrors(8.63, 6.61),
}
"""Table 4."""
SEARCH_BLUNDERS = 242 / 56968
"""Share of the sampled positions in which MCTS(F) itself blunders (section 5.3)."""


def policy_of(line: str, base: str) -> str:
    """Return the name of a line's policy in `miai.playouts.layer_order`, for what F is in `BASES`."""
    if line == "F":
        return base
    name = "random" if line == "R" else line
    return name if base == "fuego" else f"{base}_{name}"


def opponent_of(line: str) -> str:
    """Return the line whose search a line's is measured against: F for what is subtracted from it, else R."""
    return "F" if line in SUBTRACTIVE else "R"
