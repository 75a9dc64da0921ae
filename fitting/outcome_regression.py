"""The regression behind `miai.playouts.outcome`: maximum likelihood from won, drawn and lost positions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from miai.playouts.outcome import BOUNDS, DRAW, LOSS, NUM_MARGINS, PHASES, TERMS, WIN
from miai.playouts.outcome_features import AREA, NUM_AREAS, OTHER

_WIN = slice(0, TERMS.index("komi") + 1 + NUM_MARGINS)
_DRAW = slice(_WIN.stop, len(TERMS))
_MIN_PROBABILITY = 1e-12
"""Probability that what was held to be impossible counts as."""
NUM_BINS = 10


class Cases(NamedTuple):
    """Positions with a komi each, from the view of the player to move, and how they ended."""

    features: np.ndarray
    """float32 [cases, len(FEATURES)]."""
    weights_by_phase: np.ndarray
    """float32 [cases, len(PHASES)], see `miai.playouts.outcome.phase_weights`."""
    komi: np.ndarray
    """float32 [cases]: points that the player to move pays."""
    points: np.ndarray
    """int64 [cases]: of the board."""
    outcomes: np.ndarray
    """int64 [cases]: WIN, DRAW or LOSS."""

    @property
    def number(self) -> int:
        """The number of cases."""
        return len(self.outcomes)


def join_cases(parts: Sequence[Cases]) -> Cases:
    """Return all cases of several parts, of which there is at least one."""
    return Cases(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _Design(NamedTuple):
    """What is multiplied by weights."""

    win: np.ndarray
    """float32 [cases, len(FEATURES) + 1 + NUM_MARGINS]: features, komi, margins; for a loss the same, negative."""
    draw: np.ndarray
    """float32 [cases, NUM_MARGINS + 3]: margins without signs, 1, whether komi is odd to the points, settled."""
    can_draw: np.ndarray
    """bool [cases]."""


def _design(cases: Cases) -> _Design:
    own, other = (cases.features[:, start : start + NUM_AREAS] for start in (AREA, OTHER + AREA))
    is_settled = (own[:, 0] + other[:, 0] == cases.points) & (own[:, 0] == own[:, -1]) & (other[:, 0] == other[:, -1])
    margins = own - other - cases.komi[:, None]
    margins = np.column_stack([margins, margins[:, -1] * is_settled])
    sides = np.column_stack([np.clip(column / bound, -1, 1) for column in margins.T for bound in BOUNDS])
    can_draw = cases.komi == np.floor(cases.komi)
    is_odd = (np.floor(cases.komi).astype(np.int64) + cases.points) % 2 != 0
    return _Design(
        np.column_stack([cases.features, cases.komi, sides]).astype(np.float32),
        np.column_stack([np.abs(sides), np.ones(cases.number), is_odd, is_settled]).astype(np.float32),
        can_draw,
    )


def _probabilities(design: _Design, weights_by_phase: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return float64 [cases, 3]; `weights` as float32."""
    win = ((design.win @ weights[_WIN]) * weights_by_phase).sum(1)
    draw = np.where(design.can_draw, ((design.draw @ weights[_DRAW]) * weights_by_phase).sum(1), -np.inf)
    scores = np.stack([win, draw, -win], axis=1).astype(np.float64)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def probabilities(cases: Cases, weights: np.ndarray) -> np.ndarray:
    """Return the probabilities of a win, a draw and a loss, float64 [cases, 3]."""
    return _probabilities(_design(cases), cases.weights_by_phase, weights.astype(np.float32))


def fit(cases: Cases, penalty: float, limit: int, terms: Sequence[str] = TERMS) -> tuple[np.ndarray, int]:
    """Return the weights that make the outcomes most probable, float64 [len(TERMS), len(PHASES)], and the rounds taken.

    Maximises the mean log-likelihood less `penalty` times the sum of squared weights, each as if the root mean square
    of its term in its phase were 1, by L-BFGS-B (Byrd et al. 1995).

    Args:
        limit: of the rounds.
        terms: the only ones whose weights may differ from 0.
    """
    design = _design(cases)
    squares = (
        np.concatenate([(part**2).T @ (cases.weights_by_phase**2) for part in (design.win, design.draw)]).astype(
            np.float64
        )
        / cases.number
    )
    spread = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    happened = np.eye(3)[cases.outcomes]
    places = np.arange(cases.number)

    def loss(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        found = _probabilities(
            design, cases.weights_by_phase, (scaled.reshape(spread.shape) / spread).astype(np.float32)
        )
        log_loss = -np.log(np.maximum(found[places, cases.outcomes], _MIN_PROBABILITY)).mean()
        wrong = ((found - happened) / cases.number).astype(np.float32)
        by_win = design.win.T @ ((wrong[:, WIN] - wrong[:, LOSS])[:, None] * cases.weights_by_phase)
        by_draw = design.draw.T @ ((wrong[:, DRAW] * design.can_draw)[:, None] * cases.weights_by_phase)
        slope = (np.concatenate([by_win, by_draw]) / spread).ravel()
        return float(log_loss + penalty * (scaled @ scaled)), slope.astype(np.float64) + 2 * penalty * scaled

    bounds = [bound for term in TERMS for bound in [_bounds_of(term) if term in terms else (0.0, 0.0)] * len(PHASES)]
    start = np.zeros(len(bounds))
    options = {"maxiter": limit, "ftol": 1e-8}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return found.x.reshape(spread.shape) / spread, int(found.nit)


def _bounds_of(term: str) -> tuple[float | None, float | None]:
    """Return what keeps a larger komi from making a win more probable compared with a loss."""
    if term == "komi":
        return None, 0.0
    return (0.0, None) if term.startswith("ahead.") else (None, None)


def constant_chances(cases: Cases) -> np.ndarray:
    """Return the frequencies of the outcomes, float64 [2, 3]: where a draw is impossible, and where it is possible."""
    can_draw = cases.komi == np.floor(cases.komi)
    rows = [np.bincount(cases.outcomes[can_draw == possible], minlength=3) for possible in (False, True)]
    return np.array([row / max(1, row.sum()) for row in rows])


class Quality(NamedTuple):
    """How well probabilities foretold outcomes."""

    log_loss: float
    brier: float
    """Mean of the summed squared differences, 0 to 2 (Brier 1950)."""
    accuracy: float
    """Share of cases whose most probable outcome came."""


def quality(found: np.ndarray, outcomes: np.ndarray) -> Quality:
    """Compare probabilities, float64 [cases, 3], with what happened."""
    log_loss = -np.log(np.maximum(found[np.arange(len(outcomes)), outcomes], _MIN_PROBABILITY)).mean()
    brier = ((found - np.eye(3)[outcomes]) ** 2).sum(axis=1).mean()
    return Quality(float(log_loss), float(brier), float(np.mean(found.argmax(axis=1) == outcomes)))


class Bin(NamedTuple):
    """Cases of similar probability."""

    number: int
    expected: float
    """Mean probability."""
    seen: float
    """Share in which it happened."""


def calibration(chances: np.ndarray, happened: np.ndarray) -> list[Bin]:
    """Compare probabilities, float64 [cases], with how often it happened, in `NUM_BINS` bins of equal width."""
    place = np.minimum((chances * NUM_BINS).astype(np.int64), NUM_BINS - 1)
    bins = []
    for index in range(NUM_BINS):
        chosen = place == index
        if chosen.any():
            bins.append(Bin(int(chosen.sum()), float(chances[chosen].mean()), float(happened[chosen].mean())))
    return bins
