"""Crazy Stone of 2006 against GNU Go or another, and with one part exchanged at a time (Coulom 2006, table 2).

R. Coulom, "Efficient selectivity and backup operators in Monte-Carlo tree search", Computers and Games 2006; from the
slides that M. Enzenberger presented on it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from miai.experiments.matches.match_lines import MatchLine
from miai.players.presets import PRESETS

GNUGO = "gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead --play-out-aftermath"
"""GNU Go 3.8 at the level of the paper's 3.6; it plays on until what is dead is taken, as stones on the board count."""
KOMI = 7.5
"""Against GNU Go; against Indigo the paper has 6.5."""
PAPER_GAMES = 400
"""The printed errors are two standard errors of so many games; the slides do not name a number."""
ATHLON_RATE = 17_000
"""Random games a second from the empty board on the paper's Athlon 3400+."""
FULL_GAMES = 200


class CrazyStoneScore(NamedTuple):
    """A line of table 2, in per cent."""

    score: float
    error: float
    """Half of the interval of 95 %."""


PAPER = {4: CrazyStoneScore(25.0, 4.3), 8: CrazyStoneScore(32.0, 4.7), 16: CrazyStoneScore(36.0, 4.8)}
"""Crazy Stone's score against GNU Go 3.6, by minutes a game."""
BASE = "2006"
VARIANTS = {
    BASE: "",
    "playouts": "policy=fuego,prior=policy",
    "no-selectivity": "crazystone.internal_at=1000000000",
    "uct": "select=uct,final=visits",
    "mean": "backup=mean",
    "max": "backup=max",
    "robust-max": "backup=robust-max",
}
"""What is exchanged of the preset `crazystone`, one part at a time.

The playouts bring the moves they propose along, by which nodes seen less than 81 times are sampled. Without selectivity
all nodes are sampled so. UCT plays the most visited move, as it samples the best move most.
"""
DEFAULT_LINES = (
    *(f"{name}-{minutes}" for name in (BASE, "playouts") for minutes in PAPER),
    *(f"{name}-4" for name in list(VARIANTS)[2:]),
)


def line_name(variant: str, minutes: int) -> str:
    """Return the name of a line."""
    return f"{variant}-{minutes}"


LINES = tuple(line_name(variant, minutes) for variant in VARIANTS for minutes in PAPER)
"""All there are."""
LINE_COSTS = tuple(minutes / min(PAPER) for _ in VARIANTS for minutes in PAPER)
"""How many times as long as with the paper's fewest minutes a game of each takes."""


def printed_scores(opponent: str) -> Mapping[int, CrazyStoneScore]:
    """Return the paper's scores by minutes a game: none against a player of ours, as the paper's was a program."""
    name = opponent.partition(":")[0]
    return {} if name in PRESETS or name.endswith(".toml") else PAPER


def make_lines(opponent: str, komi: float, simulations: int | None, memory: int) -> tuple[MatchLine, ...]:
    """Return all lines.

    Args:
        opponent: in the words of `miai match`.
        komi: White's.
        simulations: a move where the paper has 4 minutes a game, twice and four times as many where it has 8 and 16;
            None = the paper's minutes on a clock.
        memory: of Crazy Stone's tree, in MiB.
    """
    lines = []
    for variant, exchanged in VARIANTS.items():
        for minutes in PAPER:
            options = [f"memory={memory}", *filter(None, [exchanged])]
            if simulations is not None:
                options.append(f"simulations={simulations * minutes // min(PAPER)}")
            text = f"crazystone:{','.join(options)}"
            seconds = 60 * minutes if simulations is None else None
            lines.append(MatchLine(line_name(variant, minutes), text, opponent, komi, seconds))
    return tuple(lines)
