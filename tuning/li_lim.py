"""Li & Lim's six knots of Softmax and Monotone MCTS as something to tune (sections 3 and 4).

What the paper leaves open is chosen so:

* The box. None is printed; every printed knot lies between -10 and -4, and most at one of the ends: -10 to -4 for each.
* Fewer simulations than 5,000. The upper end rises by ln(5000/simulations), so that the last weight can be as great.
* Order. Any knots make a weight that grows, as its slope is `e^p`: they need not be ordered, and the printed are not.
* PUCT and softmax's weights are read as in `miai.experiments.li_lim.published`, by default beside values from 0 to 1:
  the parameters of the rule `softmax`, whose values go from -1 to 1, are then the paper's knots less ln 2.
* Leaves. One at a time, as in the paper's MCTS.
* Games. The paper says nothing of openings, komi or resignation: pairs from fair openings here, which the two sides
  play with colours swapped, as a network without noise would repeat its game.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from miai.engine.search.backup.weighted import KnotParameters, weight_at
from miai.experiments.li_lim.backup_matches import MEMORY
from miai.experiments.li_lim.published import (
    ERWA_FORMS,
    MONOTONE,
    SIMULATIONS,
    SOFTMAX,
    STANDARD,
    Knots,
    backup_of,
    knot_shift,
    selection_parameters,
)
from miai.experiments.li_lim.published import PUBLISHED as FIGURES
from miai.experiments.plots import COLORS, MARKERS, drawing
from miai.tuning.points import PublishedPoint
from miai.tuning.search_space import SearchSpace, TunedParameter, Values

LOW, HIGH = -10.0, -4.0
NET = "li-lim"


PUBLISHED: Mapping[str, tuple[Knots, Knots]] = {"softmax": SOFTMAX, "monotone": MONOTONE}


def published_points(rule: str, values: str) -> tuple[PublishedPoint, ...]:
    """Return the paper's two sets of knots as parameters of the rule, and their scores of 1,000 games on 9x9."""
    shift = knot_shift(rule, values)
    scores = [FIGURES[9][f"{rule}-{number}:{STANDARD}"] for number in (1, 2)]
    return tuple(
        PublishedPoint(f"Table {one.table}", tuple(knot + shift for knot in knots), one.score / 100.0)
        for knots, one in zip(PUBLISHED[rule], scores, strict=True)
    )


def standard_player(simulations: int, values: str) -> str:
    """Return the text of standard MCTS: PUCT with the paper's network, and the mean as backup.

    Args:
        simulations: a move.
        values: one of `miai.experiments.li_lim.published.RANGES`.
    """
    return _player(simulations, selection_parameters(values))


def tuned_player(rule: str, simulations: int, values: str) -> str:
    """Return the text of the same search with one of `TUNED_RULES` as backup, its last knot at the last simulation."""
    backup = backup_of(f"{rule}-1", simulations, values, ERWA_FORMS[0])
    rest = {name: value for name, value in backup.parameters.items() if not name.startswith(f"{rule}.p")}
    return _player(simulations, {**selection_parameters(values), **rest}) + f",backup={rule}"


def _player(simulations: int, parameters: Mapping[str, float]) -> str:
    told = ",".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"puct:evaluator=net,net={NET},{told},batch=1,memory={MEMORY},simulations={simulations}"


def knot_space(rule: str, simulations: int, values: str) -> SearchSpace:
    """Return the box of the knots, as parameters of the rule."""
    shift = knot_shift(rule, values)
    high = HIGH + max(0.0, math.log(SIMULATIONS[9] / simulations))
    return SearchSpace(tuple(TunedParameter(f"{rule}.p{index}", LOW + shift, high + shift) for index in range(6)))


def weights_of(rule: str, knots: Values, visits: np.ndarray, simulations: int) -> np.ndarray:
    """Return `w` at numbers of visits by the paper's knots; `w(0)` is 0 for softmax and 1 for monotone."""
    start = 0.0 if rule == "softmax" else 1.0
    parameters = KnotParameters(*knots)._replace(simulations=float(simulations))
    return np.array([start + weight_at(float(t), parameters) for t in visits])


def draw_weights(rule: str, tuned: Values, simulations: int, values: str, path: Path) -> None:
    """Draw the weights of tuned parameters and of the paper's knots, as its figures 2 and 3."""
    visits = np.linspace(0.0, simulations, 201)
    shift = knot_shift(rule, values)
    points = [("tuned here", tuned), *((point.name, point.values) for point in published_points(rule, values))]
    with drawing(path) as figure:
        axes = figure.subplots()
        for (name, parameters), color, marker in zip(points, COLORS, MARKERS, strict=False):
            weights = weights_of(rule, tuple(one - shift for one in parameters), visits, simulations)
            axes.plot(visits, weights, color=color, marker=marker, markevery=40, label=name)
        axes.set(xlabel="visits of the node", ylabel="weight")
        axes.legend()
