"""The fair komi of a position: where Black's chances pass one half (Fernando & Müller 2013, section 3.4).

Chances are noisy just there, so a binary search looks for the komi where they pass 60 % and 40 %, and the line through
these two says where they are 50 %.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from miai.engine.go.game import Game

HIGH, LOW = 0.6, 0.4
_FIRST_STEP = 4.0


class FairKomi(NamedTuple):
    """What a position is worth to Black, in points; NaN where nobody asked."""

    fair: float
    """Komi at which Black's chances are even."""
    sixty: float
    """Komi at which they are 60 %."""
    forty: float
    """Komi at which they are 40 %."""


Chances = Callable[[float], float]
"""Komi, in halves of a point that are no whole number, to Black's chances."""


def on_grid(komi: float) -> float:
    """Return the nearest komi at which there is no draw: a whole number and a half."""
    return math.floor(komi) + 0.5


def find_fair_komi(chances: Chances, num_points: int, guess: float = 0.0) -> FairKomi:
    """Return the fair komi of a position.

    Both levels are bracketed by steps of 4, 8, 16 … points from a guess, then by halving, down to one point; within
    that the chances at both ends are interpolated. No komi is asked about twice.

    Args:
        chances: of Black.
        num_points: of the board: no komi beyond can be fair.
        guess: where to begin.
    """
    known: dict[float, float] = {-num_points - 0.5: 1.0, num_points + 0.5: 0.0}

    def ask(komi: float) -> float:
        if komi not in known:
            known[komi] = chances(komi)
        return known[komi]

    sixty = _crossing(ask, HIGH, num_points, guess)
    forty = _crossing(ask, LOW, num_points, sixty)
    return FairKomi((sixty + forty) / 2.0, sixty, forty)


def _crossing(ask: Chances, level: float, num_points: int, guess: float) -> float:
    """Return the komi at which Black's chances pass a level."""
    end = num_points + 0.5
    here = min(max(on_grid(guess), -end), end)
    low = high = here
    step = _FIRST_STEP
    if ask(here) > level:
        while ask(high) > level:
            low, high = high, min(end, high + step)
            step *= 2.0
    else:
        while ask(low) <= level:
            low, high = max(-end, low - step), low
            step *= 2.0
    while high - low > 1.0:
        middle = on_grid((low + high) / 2.0)
        if ask(middle) > level:
            low = middle
        else:
            high = middle
    above, below = ask(low), ask(high)
    return low + (above - level) / (above - below) * (high - low)


def score_if_over(game: Game) -> FairKomi | None:
    """Return the score of a game that two passes have ended; None for any other."""
    if not game.is_over:
        return None
    score = game.score() + game.komi
    return FairKomi(score, score, score)
