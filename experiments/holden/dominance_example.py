"""The example that Holden's notes begin with: many good moves, or a single one that is slightly better.

T. Holden, "Notes on an alternative approach to move choice in games such as Chess".
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.search.backup.wdl import WdlParameters, combine_children, wdl_product
from miai.engine.search.selection.dominance import write_dominance
from miai.engine.search.tree import ROOT, Tree
from miai.engine.search.wdl import clamped_log, set_outcome
from miai.experiments.plots import COLORS, PAPERS, drawing
from miai.experiments.report_tables import markdown_table

SCORES = {"L": (0.499, 0.498, 0.497, 0.496, 0.495), "R": (0.5, -1.0, -1.0, -1.0, -1.0)}
"""What the evaluation says of the moves after L and after R, as printed."""
_KAPPAS = np.linspace(0.0, 1.0, 51)


class MoveOutcome(NamedTuple):
    """Of a win, a draw and a loss."""

    win: float
    draw: float
    loss: float

    @property
    def payoff(self) -> float:
        """What is to be expected where a win is worth 1, a draw 0 and a loss −1."""
        return self.win - self.loss


def chances_of(score: float) -> MoveOutcome:
    """Return the chances without draws whose expected payoff is a score, −1 to 1."""
    return MoveOutcome((1.0 + score) / 2.0, 0.0, (1.0 - score) / 2.0)


def _tree_of(children: Sequence[MoveOutcome]) -> Tree:
    tree = Tree(1 + len(children), wdl_product.columns)
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, len(children)
    for node, chances in enumerate(children, start=1):
        set_outcome(tree.record, node, clamped_log(1.0 - chances.win), clamped_log(chances.loss))
    return tree


def combine(children: Sequence[MoveOutcome], kappa: float = 1.0) -> MoveOutcome:
    """Return the chances of a node, for who moves there, as the rule `wdl-product` has it."""
    tree = _tree_of(children)
    combine_children(tree.record, ROOT, WdlParameters(kappa))
    # the tree keeps them for the player who moves at the parent
    win, not_loss = np.exp(float(tree["log_loss"][ROOT])), np.exp(float(tree["log_not_win"][ROOT]))
    return MoveOutcome(win, not_loss - win, 1.0 - not_loss)


def dominance(children: Sequence[MoveOutcome]) -> np.ndarray:
    """Return the probability that each child weakly dominates its siblings, float64 [children]."""
    tree = _tree_of(children)
    workspace = np.zeros(1, dtype=[("policy", "f8", (len(children),))])[0]
    write_dominance(tree.record, ROOT, workspace)
    return np.array(workspace["policy"])


def example_table() -> str:
    """Return the chances that follow from the printed scores, the products, and what other backups make of them."""
    rows = []
    for name, scores in SCORES.items():
        children = [chances_of(score) for score in scores]
        node = combine(children)
        rows.append(
            [
                name,
                ", ".join(f"{score:g}" for score in scores),
                ", ".join(f"{chances.win:.4f}" for chances in children),
                f"{node.win:.5f}",
                f"{node.loss:.5f}",
                f"{node.payoff:+.4f}",
                f"{max(scores):+.4f}",
                f"{np.mean(scores):+.4f}",
            ]
        )
    headers = ["move", "scores as printed", "W of each", "W = 1 − Π(1 − W)", "L = Π L", "payoff", "by max", "by mean"]
    nodes = [combine([chances_of(score) for score in scores]) for scores in SCORES.values()]
    chances = ", ".join(f"{name} {value:.4f}" for name, value in zip(SCORES, dominance(nodes), strict=True))
    return f"{markdown_table(headers, rows)}\n\nProbability of weak dominance at the root: {chances}."


def plot_example(path: Path) -> None:
    """Draw the printed scores, and what L and R are worth between the product and the mean of footnote 4."""
    with drawing(path, 9, 4) as figure:
        left, right = figure.subplots(1, 2)
        for place, (name, scores) in enumerate(SCORES.items()):
            children = [chances_of(score) for score in scores]
            left.plot(
                [f"{name}{number}" for number in range(1, 6)],
                scores,
                "D",
                color=PAPERS,
                label="as printed" * (place == 0),
            )
            color = COLORS[(0, 2)[place]]
            payoffs = [combine(children, float(kappa)).payoff for kappa in _KAPPAS]
            right.plot(_KAPPAS, payoffs, "-" if place == 0 else "--", color=color, label=f"{name}, product and mean")
            right.axhline(max(scores), color=color, linestyle=":", label=f"{name}, max")
        left.set(ylabel="score", title="evaluations")
        left.legend(loc="center left")
        right.set(xlabel="kappa (1 = product, 0 = mean)", ylabel="expected payoff", title="what the moves are worth")
        right.legend()
