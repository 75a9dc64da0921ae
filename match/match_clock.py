"""A side's clock in a match: main time, then Canadian byo-yomi, as GTP's `time_settings` says."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class MatchTimeSettings:
    """`main` seconds for the game, then `byoyomi` seconds for every `stones` moves."""

    main: int
    byoyomi: int
    stones: int

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: naming what is allowed.
        """
        if min(self.main, self.byoyomi, self.stones) < 0:
            raise ValueError(f"time settings {self} are not allowed (allowed: whole numbers from 0 on)")
        if (self.byoyomi > 0) != (self.stones > 0):
            raise ValueError("byo-yomi time and stones must both be zero, for absolute time, or both above zero")
        if self.main == self.byoyomi == 0:
            raise ValueError("main time and byo-yomi time must not both be zero")

    def __str__(self) -> str:
        """Return the arguments of `time_settings`."""
        return f"{self.main} {self.byoyomi} {self.stones}"


class MatchClock:
    """One player's time in one game."""

    def __init__(self, settings: MatchTimeSettings, tolerance: float = 0.0) -> None:
        """Start with all the time.

        Args:
            settings: what the player has.
            tolerance: seconds by which a period may be overstepped and still begin anew; who is out of time the caller
                decides.
        """
        self.settings = settings
        self._tolerance = tolerance
        self.in_byoyomi = settings.main == 0
        self.seconds = float(settings.byoyomi if self.in_byoyomi else settings.main)
        """Seconds left, of the main time or of the present byo-yomi period."""
        self.stones = settings.stones if self.in_byoyomi else 0
        """Moves still to be made in the present period; 0 in main time, as in `time_left`."""
        self.least_left = math.inf
        """The fewest seconds that were left after a move, of the main time or of the period it ended in."""
        self._spent = 0.0
        self._num_moves = 0

    @property
    def used_fraction(self) -> float:
        """Return how much of its main time the player took, or of the byo-yomi of its moves where there is no other."""
        settings = self.settings
        allowed = settings.main or settings.byoyomi / settings.stones * self._num_moves
        return min(1.0, self._spent / allowed) if allowed else 0.0

    def spend(self, seconds: float) -> None:
        """Take a move's time. Below zero afterwards, `seconds` tells by how much the time was overstepped."""
        self._spent += seconds
        self._num_moves += 1
        self.seconds -= seconds
        if self.seconds < 0.0 and self.settings.stones and not self.in_byoyomi:
            self.in_byoyomi = True
            self.seconds += self.settings.byoyomi
            self.stones = self.settings.stones
        self.least_left = min(self.least_left, self.seconds)
        if self.in_byoyomi:
            self.stones -= 1
            if self.stones == 0 and self.seconds >= -self._tolerance:
                self.seconds, self.stones = float(self.settings.byoyomi), self.settings.stones

    def describe(self) -> str:
        """Return the last two arguments of `time_left`."""
        return f"{max(0, int(self.seconds))} {self.stones}"
