"""Li & Lim's six knots of Softmax and Monotone MCTS as something to tune (sections 3 and 4).

What the paper leaves open is chosen so:

* The box. None is printed; every printed knot lies between -10 and -4, and most at one of the ends: -10 to -4 for each.
* Fewer simulations than 5,000. The box stays, so that a visit adds the same weight, and the last weight is smaller.
* Order. Any knots make a weight that grows, as its slope is `e^p`: they need not be ordered, and the printed are not.
* PUCT's constant. 0.5 for values from -1 to 1 (the network's, Silver et al. 2017) is 0.25 for ours from 0 to 1; it does
  not grow with visits (eq. 5), which `puct.c1` at its greatest gives. A move never visited counts as its parent.
* Leaves. One at a time, as in the paper's MCTS.
* Games. The paper says nothing of openings, komi or resignation: pairs from fair openings here, which the two sides
  play with colours swapped, as a network without noise would repeat its game.
"""

from pathlib import Path

import numpy as np

from miai.engine.search.backup.weighted import KnotParameters, weight_at
from miai.experiments.plots import COLORS, MARKERS, drawing
from miai.tuning.report import PublishedPoint
from miai.tuning.search_space import SearchSpace, TunedParameter, Values

RULES = ("softmax", "monotone")
SIMULATIONS = 5000
"""The paper's, a move on 9x9."""
LOW, HIGH = -10.0, -4.0
PUBLISHED = {
    "softmax": (
        PublishedPoint("Table 4", (-4.0, -10.0, -4.0, -4.0, -10.0, -4.0), 0.563),
        PublishedPoint("Table 5", (-4.0, -10.0, -7.9, -10.0, -10.0, -7.8), 0.578),
    ),
    "monotone": (
        PublishedPoint("Table 2", (-10.0, -10.0, -4.0, -4.0, -4.0, -10.0), 0.531),
        PublishedPoint("Table 3", (-4.0, -4.0, -4.0, -10.0, -4.0, -4.0), 0.545),
    ),
}
"""Knots and scores of 1,000 games against standard MCTS on 9x9."""


def standard_player(simulations: int, exploration: float) -> str:
    """Return the text of standard MCTS: PUCT with the paper's network, and the mean as backup."""
    return (
        f"puct:evaluator=net,net=li-lim,puct.c0={exploration!r},puct.c1=1000000000.0,puct.fpu=1,batch=1,memory=96,"
        f"simulations={simulations}"
    )


def tuned_player(rule: str, simulations: int, exploration: float) -> str:
    """Return the text of the same search with a backup of `RULES`, whose last knot lies at the last simulation."""
    return f"{standard_player(simulations, exploration)},backup={rule},{rule}.simulations={simulations}"


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
