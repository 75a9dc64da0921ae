"""Li & Lim's six knots of Softmax and Monotone MCTS as something to tune (sections 3 and 4).

What the paper leaves open is chosen so:

* The box. None is printed; every printed knot lies between -10 and -4, and most at one of the ends: -10 to -4 for each.
* Fewer simulations than 5,000. The box stays, so that a visit adds the same weight, and the last weight is smaller.
* Order. Any knots make a weight that grows, as its slope is `e^p`: they need not be ordered, and the printed are not.
* PUCT is read as in `miai.experiments.li_lim.published`; softmax's knots are those of the rule, whose values go from
  -1 to 1.
* Leaves. One at a time, as in the paper's MCTS.
* Games. The paper says nothing of openings, komi or resignation: pairs from fair openings here, which the two sides
  play with colours swapped, as a network without noise would repeat its game.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from miai.engine.search.backup.weighted import KnotParameters, weight_at
from miai.experiments.li_lim.published import (
    ERWA_FORMS,
    MONOTONE,
    RANGES,
    SOFTMAX,
    STANDARD,
    Knots,
    backup_of,
    selection_parameters,
)
from miai.experiments.li_lim.published import PUBLISHED as FIGURES
from miai.experiments.plots import COLORS, MARKERS, drawing
from miai.tuning.report import PublishedPoint
from miai.tuning.search_space import SearchSpace, TunedParameter, Values

RULES = ("softmax", "monotone")
SIMULATIONS = 5000
"""The paper's, a move on 9x9."""
LOW, HIGH = -10.0, -4.0


def _published(rule: str, knots: tuple[Knots, Knots]) -> tuple[PublishedPoint, ...]:
    scores = [FIGURES[9][f"{rule}-{number}:{STANDARD}"] for number in (1, 2)]
    return tuple(
        PublishedPoint(f"Table {one.table}", values, one.score / 100.0)
        for values, one in zip(knots, scores, strict=True)
    )


PUBLISHED = {"softmax": _published("softmax", SOFTMAX), "monotone": _published("monotone", MONOTONE)}
"""Knots and scores of 1,000 games against standard MCTS on 9x9."""


def standard_player(simulations: int) -> str:
    """Return the text of standard MCTS: PUCT with the paper's network, and the mean as backup."""
    return _player(simulations, selection_parameters(RANGES[0]))


def tuned_player(rule: str, simulations: int) -> str:
    """Return the text of the same search with a backup of `RULES`, whose last knot lies at the last simulation."""
    backup = backup_of(f"{rule}-1", simulations, "signed", ERWA_FORMS[0])
    rest = {name: value for name, value in backup.parameters.items() if not name.startswith(f"{rule}.p")}
    return _player(simulations, {**selection_parameters(RANGES[0]), **rest}) + f",backup={rule}"


def _player(simulations: int, parameters: Mapping[str, float]) -> str:
    told = ",".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"puct:evaluator=net,net=li-lim,{told},batch=1,memory=96,simulations={simulations}"


def knot_space(rule: str) -> SearchSpace:
    """Return the box of the knots."""
    return SearchSpace(tuple(TunedParameter(f"{rule}.p{index}", LOW, HIGH) for index in range(6)))


def weights_of(rule: str, knots: Values, visits: np.ndarray, simulations: int) -> np.ndarray:
    """Return `w` at numbers of visits; `w(0)` is 0 for softmax and 1 for monotone."""
    start = 0.0 if rule == "softmax" else 1.0
    parameters = KnotParameters(*knots)._replace(simulations=float(simulations))
    return np.array([start + weight_at(float(t), parameters) for t in visits])


def draw_weights(rule: str, knots: Values, simulations: int, path: Path) -> None:
    """Draw the weights of tuned knots and of the paper's, as its figures 2 and 3."""
    visits = np.linspace(0.0, simulations, 201)
    lines = [("tuned here", knots), *((point.name, point.values) for point in PUBLISHED[rule])]
    with drawing(path) as figure:
        axes = figure.subplots()
        for (name, values), color, marker in zip(lines, COLORS, MARKERS, strict=False):
            weights = weights_of(rule, values, visits, simulations)
            axes.plot(visits, weights, color=color, marker=marker, markevery=40, label=name)
        axes.set(xlabel="visits of the node", ylabel="weight")
        axes.legend()
