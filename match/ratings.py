"""Elo ratings of several contestants from all their games together."""

import math

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import shortest_path
from scipy.special import expit
from scipy.stats import t as student

from miai.match.statistics import NEUTRAL_PAIRS, Interval

ELO = 400.0 / math.log(10.0)
"""Elo points of one unit of log-odds."""
_PRIOR = 1.0
"""Drawn games of each contestant against the centre."""


def rate(
    points: np.ndarray, games: np.ndarray, anchor: int | None = None, confidence: float = 0.95
) -> list[Interval | None]:
    """Return each contestant's Elo rating with its interval; None for those without a game.

    Bradley–Terry: i scores p_ij = 1 / (1 + exp(θ_j − θ_i)) against j, in units of 400/ln 10 Elo, and a draw counts as
    half a win. The θ maximise the likelihood of all games and of one draw of each contestant against a rating of
    zero. Those draws keep ratings finite where somebody won or lost everything: 100 wins in 100 games between two are
    943 Elo. They draw all others together a little: a score of 75 in 100 games by 1 Elo.

    The games of one opening are not independent, whoever plays them: it may suit Black, or suit one contestant. So the
    covariance is a sandwich, H⁻¹ B H⁻¹, that takes an opening's games as one observation. H is minus the second
    derivative of the log-likelihood; B = K / (K − 1) · Σ_openings u_k u_kᵀ for K openings and u_k the points that the
    contestants scored in opening k above expectation. Few openings say little of B, so it is averaged with its value
    for independent games without draws, which weighs as much as two openings, for each contestant by the openings that
    it has played. The quantile is Student's, with two degrees of freedom more than K − 1 for the same reason.

    Such an interval has two ends, which the games need not give. Take the largest group whose members took points from
    each other, directly or round a circle; with an anchor, its group. A contestant whom the group took no point from,
    neither directly nor through others, has an interval without upper end; one who took none from it, without lower.
    Where several groups are the largest, each has its say.

    Source: R. A. Bradley, M. E. Terry, Biometrika 39 (1952); K.-Y. Liang, S. L. Zeger, Biometrika 73 (1986); on when
    ratings are bounded, L. R. Ford, American Mathematical Monthly 64 (1957).

    Args:
        points: float64 [openings, contestants, contestants]: points of the row's contestant against the column's.
        games: float64, same shape: games between the two.
        anchor: whose rating is zero, so that intervals are of differences to this one; it must have played. None for
            the mean of all.
        confidence: of the intervals.
    """
    played = np.flatnonzero(games.sum(axis=(0, 2)))
    ratings: list[Interval | None] = [None] * games.shape[1]
    if not len(played):
        return ratings
    points, games = (array[:, played][:, :, played] for array in (points, games))
    num_openings = np.count_nonzero(games.sum(axis=2), axis=0)
    strengths = _fit(points.sum(axis=0), games.sum(axis=0))
    covariance = _covariance(strengths, points, games, num_openings)
    is_anchor = played == anchor
    contrast = np.eye(len(played)) - (is_anchor if anchor is not None else 1.0 / len(played))
    values = ELO * contrast @ strengths
    errors = ELO * np.sqrt(np.maximum(0.0, np.diag(contrast @ covariance @ contrast.T)))
    halves = errors * student.ppf(0.5 + confidence / 2.0, num_openings - 1.0 + NEUTRAL_PAIRS)
    no_upper, no_lower = _find_open_ends(points.sum(axis=0), is_anchor)
    low, high = np.where(no_lower, -math.inf, values - halves), np.where(no_upper, math.inf, values + halves)
    for place, *interval in zip(played, values, low, high, strict=True):
        ratings[place] = Interval(*map(float, interval))
    return ratings


def _fit(points: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return the likeliest θ from the points and games of all openings."""

    def cost(strengths: np.ndarray) -> float:
        against_others = points * np.logaddexp(0.0, strengths[None, :] - strengths[:, None])
        against_centre = _PRIOR / 2.0 * (np.logaddexp(0.0, strengths) + np.logaddexp(0.0, -strengths))
        return float(against_others.sum() + against_centre.sum())

    def gradient(strengths: np.ndarray) -> np.ndarray:
        surplus = (points - games * _expected(strengths)).sum(axis=1)
        return _PRIOR * (expit(strengths) - 0.5) - surplus

    start = np.zeros(len(games))
    found = minimize(
        cost, start, method="trust-exact", jac=gradient, hess=lambda at: _hessian(at, games), options={"gtol": 1e-7}
    )
    return np.asarray(found.x)


def _covariance(strengths: np.ndarray, points: np.ndarray, games: np.ndarray, num_openings: np.ndarray) -> np.ndarray:
    """Return the covariance of θ; `num_openings` int64 [contestants]: openings that each has played."""
    total = games.sum(axis=0)
    surplus = (points - games * _expected(strengths)).sum(axis=2)
    num_clusters = len(points)
    of_openings = surplus.T @ surplus * (num_clusters / max(1, num_clusters - 1))
    of_games = _hessian(strengths, total, prior=0.0)
    weight = NEUTRAL_PAIRS / (num_openings + NEUTRAL_PAIRS)
    seen, assumed = np.sqrt(1.0 - weight), np.sqrt(weight)
    to_centre = expit(strengths)
    of_prior = np.diag((_PRIOR / 2.0) ** 2 * (to_centre**2 + (1.0 - to_centre) ** 2))
    middle = np.outer(seen, seen) * of_openings + np.outer(assumed, assumed) * of_games + of_prior
    outer = np.linalg.inv(_hessian(strengths, total))
    return np.asarray(outer @ middle @ outer)


def _find_open_ends(points: np.ndarray, is_anchor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whose ratings the games do not bound from above, and whose not from below."""
    is_below = np.isfinite(shortest_path(points.T > 0.0, unweighted=True))
    """Whether the column's rating bounds the row's from above: it took points from it, or from one who did, …"""
    is_tied = is_below & is_below.T
    sizes = is_tied.sum(axis=1)
    group = is_tied[is_anchor][0] if is_anchor.any() else sizes == sizes.max()
    return ~is_below[:, group].all(axis=1), ~is_below[group].all(axis=0)


def _expected(strengths: np.ndarray) -> np.ndarray:
    """Return the score rate of row against column."""
    return np.asarray(expit(strengths[:, None] - strengths[None, :]))


def _hessian(strengths: np.ndarray, games: np.ndarray, prior: float = _PRIOR) -> np.ndarray:
    """Return the second derivative of minus the log-likelihood."""
    rates = _expected(strengths)
    variances = games * rates * (1.0 - rates)
    to_centre = expit(strengths)
    return np.asarray(np.diag(variances.sum(axis=1) + prior * to_centre * (1.0 - to_centre)) - variances)
