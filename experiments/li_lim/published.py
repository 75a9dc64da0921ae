"""The backup rules of Li & Lim and the figures that they print.

Y. Li, N. Lim, "Bayesian optimization for backpropagation in Monte-Carlo tree search", 2020.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

Knots = tuple[float, float, float, float, float, float]

PAPER_GAMES = 1000
TUNED_RULES = ("softmax", "monotone")
TUNING_GAMES, TEST_GAMES = 400, 1000
"""At a point that is tried, and of the optimum (section 4)."""
TUNING_POINTS = 40
"""Points that are tried: our choice, as the paper does not say how many."""
SIMULATIONS = {9: 5000, 19: 1600}
"""A move, by the size of the board."""
RANGES = ("unit", "signed")
"""What the values are beside which `C` stands, and which softmax's weights multiply: 0 to 1, or −1 to 1.

The paper does not say. Their network ends as AlphaGo Zero's, which gives −1 to 1; but 0.5 is what programs with values
from 0 to 1 have for `C`, and with half of that a search plays worse here.
"""
ERWA_FORMS = ("erwa-normalized", "erwa")
"""Rules that ERWA may be: proposition 3.2 in equation 9, or equation 3 as printed."""
EXPLORATION = 0.5
"""Their `C` (section 4)."""
MONOTONE: tuple[Knots, Knots] = ((-10.0, -10.0, -4.0, -4.0, -4.0, -10.0), (-4.0, -4.0, -4.0, -10.0, -4.0, -4.0))
"""Both sets of knots, tables 2 and 3."""
SOFTMAX: tuple[Knots, Knots] = ((-4.0, -10.0, -4.0, -4.0, -10.0, -4.0), (-4.0, -10.0, -7.9, -10.0, -10.0, -7.8))
"""Both sets of knots, tables 4 and 5."""
_SEGMENTS = 10

COULOM = ("coulom-2-16", "coulom-4-32", "coulom-8-64")
ERWA = ("erwa-0.00001", "erwa-0.0001", "erwa-0.001")
METHODS = (*COULOM, "gay", "gby", *ERWA)
"""What table 1 measures against the mean, in its order."""
STANDARD = "standard"


def segment_width(visits: float) -> float:
    """Return the visits in a segment of feedback adjustment's uniform partition, and in the first of the widening one.

    The paper has neither this number nor how much a segment weighs more than the one before: both are our choice.
    """
    return max(1.0, visits / _SEGMENTS)


class BackupChoice(NamedTuple):
    """A backup rule and its parameters."""

    rule: str
    parameters: Mapping[str, float]


def knot_shift(rule: str, values: str) -> float:
    """Return what is added to the paper's knots to have the parameters of a rule.

    `softmax` has values from −1 to 1: half the weight there is the weight on 0 to 1.
    """
    return -math.log(2.0) if (rule, values) == ("softmax", "unit") else 0.0


def backup_of(method: str, visits: float, values: str, erwa: str) -> BackupChoice:
    """Return what a method of the tables is.

    Args:
        method: `standard`, or a side of a line.
        visits: `N`, over which weights grow.
        values: one of `RANGES`.
        erwa: one of `ERWA_FORMS`.
    """
    name, _, rest = method.partition("-")
    if name == STANDARD:
        return BackupChoice("mean", {})
    if name == "coulom":
        weight, growth = map(float, rest.split("-"))
        return BackupChoice("mix", {"mix.weight": weight, "mix.growth": growth})
    if name == "erwa":
        return BackupChoice(erwa, {f"{erwa}.rate": float(rest)})
    if name in ("gay", "gby"):
        return BackupChoice(name, {f"{name}.width": segment_width(visits)})
    parameters = {f"{name}.simulations": visits}
    knots = (MONOTONE if name == "monotone" else SOFTMAX)[int(rest) - 1]
    if name == "softmax":
        parameters["softmax.own"] = 0.0
    shift = knot_shift(name, values)
    return BackupChoice(name, parameters | {f"{name}.p{index}": knot + shift for index, knot in enumerate(knots)})


def selection_parameters(values: str) -> dict[str, float]:
    """Return the parameters of `puct` that make it equation 5, weighed by the policy.

    The paper does not say what a move never visited is worth; here it is a bit less than its parent, as in miai's own
    searches. Silver et al. 2017 begin with 0 of −1 to 1, one half here (`puct.fpu = 3`). That
    plays worse here where `C` stands beside −1 to 1.
    """
    return {"puct.c0": EXPLORATION * (0.5 if values == "signed" else 1.0), "puct.c1": 0.0, "puct.fpu": 2}


class Published(NamedTuple):
    """A figure of the tables or the text, in per cent; no standard errors are printed."""

    score: float
    table: str
    games: int = PAPER_GAMES

    @property
    def error(self) -> float:
        """The standard error of as many independent games."""
        return math.sqrt(self.score * (100.0 - self.score) / self.games)


def _against_standard(table: str, scores: tuple[float, ...]) -> dict[str, Published]:
    return {f"{method}:{STANDARD}": Published(score, table) for method, score in zip(METHODS, scores, strict=True)}


def _against(side: str, opponents: tuple[str, ...], table: str, scores: tuple[float, ...]) -> dict[str, Published]:
    return {f"{side}:{opponent}": Published(score, table) for opponent, score in zip(opponents, scores, strict=True)}


_MONOTONES = (STANDARD, *ERWA, "gay", "gby")
_SOFTMAXES = (STANDARD, *COULOM)
PUBLISHED: dict[int, dict[str, Published]] = {
    9: _against_standard("1", (44.9, 45.8, 48.3, 50.2, 51.8, 51.2, 50.3, 52.9))
    | _against("monotone-1", _MONOTONES, "2", (53.1, 50.3, 52.8, 52.8, 51.5, 51.0))
    | _against("monotone-2", _MONOTONES, "3", (54.5, 52.3, 50.5, 53.1, 52.3, 51.1))
    | _against("softmax-1", _SOFTMAXES, "4", (56.3, 59.3, 55.5, 55.1))
    | _against("softmax-2", _SOFTMAXES, "5", (57.8, 57.6, 59.5, 51.9)),
    19: _against_standard("1", (53.3, 51.2, 50.2, 56.1, 54.5, 53.9, 56.9, 55.1))
    | _against("monotone-1", (STANDARD,), "text", (56.0,))
    | _against("monotone-2", (STANDARD,), "text", (54.3,))
    | _against("softmax-1", (STANDARD,), "text", (53.2,))
    | _against("softmax-2", (STANDARD,), "text", (55.9,)),
}
"""By the size of the board and the line, `SIDE:OPPONENT`: wins of the side."""
LINES = {size: tuple(scores) for size, scores in PUBLISHED.items()}
"""The lines of each size, in the paper's order."""
