"""PUCT's c0 located on simulated trees (Jones 2021, section 4.2)."""

import numpy as np

from miai.engine.domains.simulated import TESTS
from miai.experiments.jones.tree_runs import TreePlan
from miai.experiments.report_tables import markdown_table

C0_VALUES = tuple(base * 2.0**power for power in range(7) for base in (0.25, 0.3125, 0.4) if base * 2.0**power <= 16.0)
"""19 values close to the powers of 2^(1/3) from 0.25 to 16; all that the paper settles on are among them."""
C0_SCAN = tuple(f"puct:c0={value:g}" for value in C0_VALUES)
"""The contestants of a scan."""


def scan_table(plan: TreePlan, regrets: np.ndarray) -> str:
    """Return the regret at the end by c0, and how far it is above that of the paper's choice, paired; or nothing.

    Args:
        plan: whose contestants are those of a scan; any other gives nothing.
        regrets: float64 [trees, contestants, checkpoints].
    """
    if tuple(contestant.label for contestant in plan.contestants) != C0_SCAN:
        return ""
    chosen = C0_VALUES.index(TESTS[plan.test].c0)
    last = 1000.0 * regrets[:, :, -1]
    means = last.mean(axis=0)
    rows = []
    for place, value in enumerate(C0_VALUES):
        more = last[:, place] - last[:, chosen]
        error = more.std(ddof=1) / np.sqrt(len(more)) if len(more) > 1 else np.nan
        notes = ["the paper's"] * (place == chosen) + ["least"] * (place == int(means.argmin()))
        rows.append([f"{value:g}", f"{means[place]:.2f}", f"{more.mean():+.2f} ± {error:.2f}", ", ".join(notes)])
    headers = ["c0", "mean regret ×1000", f"more than with {C0_VALUES[chosen]:g}", ""]
    return markdown_table(headers, rows) + "\n\n"
