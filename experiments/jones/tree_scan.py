"""PUCT's c0 located on simulated trees (Jones 2021, section 4.2)."""

from typing import TYPE_CHECKING

import numpy as np

from miai.engine.domains.simulated import TESTS
from miai.experiments.jones.tree_runs import TreePlan
from miai.experiments.plots import GREY, OURS, PAPERS
from miai.experiments.report_tables import markdown_table, mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

C0_VALUES = tuple(base * 2.0**power for power in range(7) for base in (0.25, 0.3125, 0.4) if base * 2.0**power <= 16.0)
"""19 values close to the powers of 2^(1/3) from 0.25 to 16; all that the paper settles on are among them."""
C0_SCAN = tuple(f"puct:c0={value:g}" for value in C0_VALUES)
"""The contestants of a scan."""


def is_scan(plan: TreePlan) -> bool:
    """Return whether the contestants are those of a scan."""
    return tuple(contestant.label for contestant in plan.contestants) == C0_SCAN


def scan_table(plan: TreePlan, regrets: np.ndarray) -> str:
    """Return the regret at the end by c0, and how far it is above that of the paper's choice, paired; or nothing.

    Args:
        plan: whose contestants are those of a scan; any other gives nothing.
        regrets: float64 [trees, contestants, checkpoints].
    """
    if not is_scan(plan):
        return ""
    chosen = C0_VALUES.index(TESTS[plan.test].c0)
    last = 1000.0 * regrets[:, :, -1]
    means = last.mean(axis=0)
    rows = []
    for place, value in enumerate(C0_VALUES):
        more, error = mean_and_error(last[:, place] - last[:, chosen])
        notes = ["the paper's"] * (place == chosen) + ["least"] * (place == int(means.argmin()))
        rows.append([f"{value:g}", f"{means[place]:.2f}", f"{more:+.2f} ± {error:.2f}", ", ".join(notes)])
    headers = ["c0", "mean regret ×1000", f"more than with {C0_VALUES[chosen]:g}", ""]
    return markdown_table(headers, rows) + "\n\n"


def plot_scan(axes: "Axes", plan: TreePlan, values: np.ndarray, errors: np.ndarray, printed: float | None) -> None:
    """Draw what each c0 came to, with bars of two standard errors, the paper's choice and the number printed of it.

    Args:
        values, errors: float64 [contestants of a scan].
    """
    chosen = TESTS[plan.test].c0
    axes.axvline(chosen, color=GREY, linestyle="--", label=f"the paper's c0, {chosen:g}")
    axes.errorbar(C0_VALUES, values, 2 * errors, marker="o", markersize=4, capsize=2, color=OURS, label="ours")
    if printed is not None:
        axes.plot([chosen], [printed], "D", color=PAPERS, label="paper")
    axes.set_xscale("log", base=2)
    axes.set_xlabel(f"c0, {plan.playouts:,} playouts")
