"""What searches of tactical positions came to: Markdown tables and raw results."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from miai.engine.files import write_file
from miai.experiments.report_tables import markdown_table
from miai.experiments.running.pieces import write_arrays
from miai.experiments.tactics.tactic_runs import POSITION_SETS, TacticPlan, simulations_needed

NEVER = "–"
"""Stands where the move was not found."""


def needed_by_pair(plan: TacticPlan, right: np.ndarray) -> np.ndarray:
    """Return the median over seeds of the simulations needed, float64 [pairs, positions], inf for never."""
    return np.median(simulations_needed(right, plan.checkpoints), axis=0)


def mean_needed(plan: TacticPlan, needed: np.ndarray) -> np.ndarray:
    """Return the geometric mean over the last axis, where never counts as twice the last checkpoint."""
    return np.exp(np.log(np.minimum(needed, 2 * plan.checkpoints[-1])).mean(axis=-1))


def main_table(plan: TacticPlan, needed: np.ndarray) -> str:
    """Return the simulations that each pair needed for each position, how many it found, and their mean."""
    rows = []
    for pair, row, mean in zip(plan.pairs, needed, mean_needed(plan, needed), strict=True):
        cells = [f"{value:.0f}" if np.isfinite(value) else NEVER for value in row]
        rows.append([pair.label, f"{np.isfinite(row).sum()} of {len(row)}", f"{mean:.0f}", *cells])
    return markdown_table(["rules", "found", "mean", *(position.name for position in plan.positions)], rows)


def theme_table(plan: TacticPlan, needed: np.ndarray) -> str:
    """Return the mean of the simulations needed by theme."""
    themes = list(dict.fromkeys(position.theme for position in plan.positions))
    of_theme = [[position.theme == theme for position in plan.positions] for theme in themes]
    rows = [
        [pair.label, *(f"{mean_needed(plan, row[chosen]):.0f}" for chosen in of_theme)]
        for pair, row in zip(plan.pairs, needed, strict=True)
    ]
    return markdown_table(["rules", *themes], rows)


def found_line(plan: TacticPlan, right: np.ndarray) -> str:
    """Return how many pairs found every position; `right` is bool [seeds, pairs, positions, checkpoints]."""
    found = np.isfinite(simulations_needed(right, plan.checkpoints)).all(axis=(0, 2))
    return f"Found from every seed and kept, all {right.shape[2]} positions: {found.sum()} of {len(found)} pairs."


def set_report(plan: TacticPlan, right: np.ndarray, name: str) -> str:
    """Return what a plan's searches of positions of one set came to, as a section; `right` as in `found_line`."""
    needed = needed_by_pair(plan, right)
    return f"""## Positions: {name}

{found_line(plan, right)}

{main_table(plan, needed)}

By theme:

{theme_table(plan, needed)}
"""


def write_report(plan: TacticPlan, results: dict[str, np.ndarray], folder: Path, command: str) -> str:
    """Write raw results and tables into a folder; return the tables."""
    shape = plan.num_seeds, len(plan.pairs), len(plan.positions), len(plan.checkpoints)
    right = results["right"].reshape(shape)
    write_arrays(
        folder / "right.npz",
        right=right,
        simulations=plan.checkpoints,
        rules=[pair.label for pair in plan.pairs],
        positions=[position.name for position in plan.positions],
        themes=[position.theme for position in plan.positions],
    )
    sections = []
    for name, positions in POSITION_SETS.items():
        chosen = [place for place, position in enumerate(plan.positions) if position in positions]
        if chosen:
            part = replace(plan, positions=tuple(plan.positions[place] for place in chosen))
            sections.append(set_report(part, right[:, :, chosen], name))
    tables = "\n".join(sections)
    text = f"""# Tactical positions

```
{command}
```

Simulations from which on the right move is chosen at every checkpoint, {plan.checkpoints[0]} to {plan.checkpoints[-1]};
median over seeds ({plan.num_seeds}), {NEVER} = never. Mean: geometric, never counted as {2 * plan.checkpoints[-1]}.

{tables}"""
    write_file(folder / "table.md", text)
    return tables
