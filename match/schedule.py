"""The schedule of a match: every opening twice, once with each colour."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from miai.match.openings import Opening

SIDES = ("A", "B")
"""The two sides of a match, in the order they were named."""


def other_side(side: str) -> str:
    """Return the opponent's side."""
    return "B" if side == "A" else "A"


@dataclass(frozen=True)
class ScheduledGame:
    """A game to be played."""

    number: int
    """1 for the first game of the match."""
    black: str
    """The side that plays Black."""
    opening: Opening
    """Moves made for both sides before they choose their own."""

    @property
    def pair(self) -> int:
        """Number of the opening, from 1; its two games follow each other."""
        return (self.number + 1) // 2

    @property
    def white(self) -> str:
        """The side that plays White."""
        return other_side(self.black)

    def seed_of(self, side: str, match_seed: int) -> int:
        """Return the seed of a side's random numbers in this game: another one for each game and side."""
        return random.Random(f"miai match game {match_seed} {self.number} {side}").randrange(1, 1 << 31)


def count_pairs(num_games: int) -> int:
    """Return the number of openings for so many games.

    Raises:
        ValueError: if the number is odd, or not above 0.
    """
    if num_games < 2 or num_games % 2:
        raise ValueError(
            f"the number of games must be even, since every opening is played twice: {num_games} is not allowed "
            "(allowed: an even number from 2 on)"
        )
    return num_games // 2


def build_schedule(num_games: int, openings: Sequence[Opening]) -> list[ScheduledGame]:
    """Pair every opening's two games; without openings all games begin on the empty board.

    Raises:
        ValueError: if `num_games` is odd or there are too few openings.
    """
    num_pairs = count_pairs(num_games)
    if openings and len(openings) < num_pairs:
        raise ValueError(f"{num_games} games need {num_pairs} openings, and there are {len(openings)}")
    return [
        ScheduledGame(
            number=index + 1,
            black=SIDES[index % 2],
            opening=openings[index // 2] if openings else (),
        )
        for index in range(num_games)
    ]
