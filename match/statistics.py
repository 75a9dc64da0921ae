"""Statistics of a match: score, Elo difference and sequential test, from pairs of games.

The two games of one opening are not independent: an opening that favours Black gives one win each. So results are
grouped in *pairs*, and every figure here is computed from pairs; a game whose partner did not count is a pair of one.
A score is 1 for a win, ½ for a draw, 0 for a loss, always from the view of side A.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy.optimize import brentq

from miai.engine.wilson import wilson_interval

PairScores = Sequence[float]
"""The scores of one opening's games: two of them, or one."""

NEUTRAL_PAIRS = 2.0
"""Weight, in pairs, of the assumption that games are independent: keeps the interval open after very few pairs."""

_UNSEEN = 1e-3
"""Count given to a pair result that was never seen, as fishtest does: a likelihood must exist everywhere."""


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval."""

    value: float
    low: float
    high: float


def elo_of(rate: float) -> float:
    """Return the Elo difference that a score rate stands for: 400·log10(rate / (1 − rate)); ±inf at 1 and 0."""
    if rate <= 0.0:
        return -math.inf
    if rate >= 1.0:
        return math.inf
    return 400.0 * math.log10(rate / (1.0 - rate))


def rate_of(elo: float) -> float:
    """Return the score rate expected at an Elo difference: 1 / (1 + 10^(−elo/400))."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def mean_over_groups(values: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Return the mean of values and its standard error, where values of one group depend on each other.

    With G groups the variance of the mean of n values is G / (G − 1) · Σ_groups (Σ_values (x − mean))² / n². With one
    group the error is not known: NaN.

    Args:
        values: any numbers [values].
        groups: int64 [values], a number of each value's group.
    """
    numbers = np.unique(groups, return_inverse=True)[1]
    mean = float(values.mean())
    residues = np.bincount(numbers, weights=values - mean)
    if len(residues) == 1:
        return mean, math.nan
    scale = len(residues) / (len(residues) - 1)
    return mean, float(np.sqrt(scale * (residues**2).sum()) / len(values))


def design_effect(pairs: Sequence[PairScores]) -> float:
    """Estimate how much wider pairs and draws make the variance of the mean than independent wins and losses would.

    The variance of the mean of n games in C pairs is that of a ratio of pair totals,

        C / (C − 1) · Σ_pairs (Σ_games (x − mean))² / n²

    and is divided by mean·(1 − mean) / n, what n independent games without draws would have. Below 1 when openings
    decide games, as those split their pairs. The ratio is then averaged with 1, which weighs as much as two pairs.
    """
    scores = [score for pair in pairs for score in pair]
    mean = sum(scores) / len(scores) if scores else 0.5
    binomial = mean * (1.0 - mean) * len(scores)
    if len(pairs) < 2 or binomial <= 0.0:
        return 1.0
    spread = sum(sum(score - mean for score in pair) ** 2 for pair in pairs) * len(pairs) / (len(pairs) - 1)
    return (len(pairs) * spread / binomial + NEUTRAL_PAIRS) / (len(pairs) + NEUTRAL_PAIRS)


def estimate_score(pairs: Sequence[PairScores], confidence: float = 0.95) -> Interval:
    """Estimate A's score rate with Wilson's interval for as many games as the pairs are worth.

    They are worth n / `design_effect(pairs)` games.

    Source: `wilson_interval`; with an effective sample size: N. Dean, M. Pagano, J. Survey Statistics and Methodology 3
    (2015).

    Raises:
        ValueError: if there is no game.
    """
    scores = [score for pair in pairs for score in pair]
    if not scores:
        raise ValueError("no game to estimate a score from")
    mean = sum(scores) / len(scores)
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    return Interval(mean, *wilson_interval(mean, len(scores) / design_effect(pairs), z))


def estimate_elo(score: Interval) -> Interval:
    """Turn a score rate and its interval into an Elo difference, A minus B; ends may be infinite."""
    return Interval(elo_of(score.value), elo_of(score.low), elo_of(score.high))


def log_likelihood_ratio(counts: Mapping[float, int], elo0: float, elo1: float) -> float:
    """Return the log-likelihood ratio of Elo difference `elo1` against `elo0`.

    `counts` says how often each score rate of a pair was seen.
    A pair's score rate is one of 0, ¼, ½, ¾, 1 with unknown probabilities (the pentanomial model). Each hypothesis
    fixes their mean and takes the likeliest probabilities with that mean: p_i = f_i / (1 + θ(a_i − mean)) for the
    observed frequencies f_i, θ the root of Σ f_i (a_i − mean) / (1 + θ(a_i − mean)) = 0.

    Source: X. Li, J. Liu, Z. Ying, Sequential Analysis 33 (2014), generalised sequential probability ratio test;
    the multinomial form: M. Van den Bergh, "The generalized SPRT for multinomial distributions" (fishtest).
    """
    values = (0.0, 0.25, 0.5, 0.75, 1.0)
    weights = [counts.get(value, 0) or _UNSEEN for value in values]
    shares = [weight / sum(weights) for weight in weights]
    null, alternative = (_fit_with_mean(values, shares, rate_of(elo)) for elo in (elo0, elo1))
    return sum(weight * math.log(p1 / p0) for weight, p0, p1 in zip(weights, null, alternative, strict=True))


def _fit_with_mean(values: Sequence[float], shares: Sequence[float], mean: float) -> list[float]:
    """Return the likeliest probabilities of `values` with this mean, given observed frequencies (all positive)."""
    low, high = -1.0 / (values[-1] - mean), 1.0 / (mean - values[0])
    margin = 1e-12 * (high - low)

    def excess(theta: float) -> float:
        return sum(f * (a - mean) / (1.0 + theta * (a - mean)) for a, f in zip(values, shares, strict=True))

    theta = brentq(excess, low + margin, high - margin)
    return [f / (1.0 + theta * (a - mean)) for a, f in zip(values, shares, strict=True)]


@dataclass(frozen=True)
class Verdict:
    """Where a sequential test stands."""

    llr: float
    """Log-likelihood ratio after `num_pairs` pairs."""
    lower: float
    """At or below it, `elo0` is accepted."""
    upper: float
    """At or above it, `elo1` is accepted."""
    num_pairs: int
    """Pairs that the test looked at; it looks at none after its decision."""
    accepted: str | None
    """`elo0`, `elo1`, or None while undecided."""


_GREATEST_ELO = 1000.0
"""Difference of a sequential test, at most."""


@dataclass(frozen=True)
class SequentialTest:
    """Decide between two Elo differences, A minus B, with as few pairs as it takes."""

    elo0: float
    """The difference that the test means to reject."""
    elo1: float
    """The difference that the test means to accept; above `elo0`."""
    alpha: float = 0.05
    """Probability of accepting `elo1` at a true difference of `elo0`."""
    beta: float = 0.05
    """Probability of accepting `elo0` at a true difference of `elo1`."""

    def __post_init__(self) -> None:
        """Check the hypotheses.

        Raises:
            ValueError: naming what is allowed.
        """
        if not self.elo0 < self.elo1:
            raise ValueError(f"the first Elo difference must be below the second, not {self.elo0:g} and {self.elo1:g}")
        if not max(-self.elo0, self.elo1) <= _GREATEST_ELO:
            shown = f"{self.elo0:g} and {self.elo1:g}"
            raise ValueError(f"Elo differences lie between -{_GREATEST_ELO:g} and {_GREATEST_ELO:g}, not {shown}")
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta must lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    def evaluate(self, pairs: Sequence[PairScores]) -> Verdict:
        """Look at the pairs in their order and stop at the first that decides.

        The bounds are Wald's, log(β / (1 − α)) and log((1 − β) / α). The order must be one that results cannot
        influence, such as the schedule's: in order of finishing, short games would come first.
        """
        lower = math.log(self.beta / (1.0 - self.alpha))
        upper = math.log((1.0 - self.beta) / self.alpha)
        llr, seen = 0.0, 0
        counts: Counter[float] = Counter()
        for seen, pair in enumerate((pair for pair in pairs if len(pair) == 2), start=1):
            counts[sum(pair) / 2.0] += 1
            llr = log_likelihood_ratio(counts, self.elo0, self.elo1)
            if llr <= lower:
                return Verdict(llr, lower, upper, seen, "elo0")
            if llr >= upper:
                return Verdict(llr, lower, upper, seen, "elo1")
        return Verdict(llr, lower, upper, seen, None)
