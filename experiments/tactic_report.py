"""What searches of tactical positions came to: Markdown tables and raw results."""

from pathlib import Path

import numpy as np

from experiments.tactic_runs import Plan, simulations_needed

NEVER = "–"
"""Stands where the move was not found."""


def needed_by_pair(plan: Plan, right: np.ndarray) -> np.ndarray:
    """Return the median over seeds of the simulations needed, float64 [pairs, positions], inf for never."""
    return np.median(simulations_needed(right, plan.checkpoints), axis=0)


def mean_needed(plan: Plan, needed: np.ndarray) -> np.ndarray:
    """Return the geometric mean over the last axis, where never counts as twice the last checkpoint."""
    return np.exp(np.log(np.minimum(needed, 2 * plan.checkpoints[-1])).mean(axis=-1))


def main_table(plan: Plan, needed: np.ndarray) -> str:
    """Return the simulations that each pair needed for each position, how many it found, and their mean."""
    names = " | ".join(position.name for position in plan.positions)
    lines = [f"| rules | found | mean | {names} |", "|---|---|---|" + "---|" * len(plan.positions)]
    for pair, row, mean in zip(plan.pairs, needed, mean_needed(plan, needed), strict=True):
        cells = " | ".join(f"{value:.0f}" if np.isfinite(value) else NEVER for value in row)
        found = f"{np.isfinite(row).sum()} of {len(row)}"
        lines.append(f"| {pair.label} | {found} | {mean:.0f} | {cells} |")
    return "\n".join(lines)


def theme_table(plan: Plan, needed: np.ndarray) -> str:
    """Return the mean of the simulations needed by theme."""
    themes = list(dict.fromkeys(position.theme for position in plan.positions))
    lines = [f"| rules | {' | '.join(themes)} |", "|---|" + "---|" * len(themes)]
    of_theme = [[position.theme == theme for position in plan.positions] for theme in themes]
    for pair, row in zip(plan.pairs, needed, strict=True):
        means = [mean_needed(plan, row[chosen]) for chosen in of_theme]
        lines.append(f"| {pair.label} | {' | '.join(f'{mean:.0f}' for mean in means)} |")
    return "\n".join(lines)


def write_report(plan: Plan, results: dict[str, np.ndarray], folder: Path, command: str) -> str:
    """Write raw results and tables into a folder; return the main table."""
    shape = plan.num_seeds, len(plan.pairs), len(plan.positions), len(plan.checkpoints)
    right = results["right"].reshape(shape)
    np.savez(
        folder / "right.npz",
        right=right,
        simulations=plan.checkpoints,
        rules=[pair.label for pair in plan.pairs],
        positions=[position.name for position in plan.positions],
        themes=[position.theme for position in plan.positions],
    )
    needed = needed_by_pair(plan, right)
    table = main_table(plan, needed)
    text = f"""# Tactical positions

```
{command}
```

Simulations from which on the right move is chosen at every checkpoint, {plan.checkpoints[0]} to {plan.checkpoints[-1]};
median over seeds ({plan.num_seeds}), {NEVER} = never. Mean: geometric, never counted as {2 * plan.checkpoints[-1]}.

{table}

By theme:

{theme_table(plan, needed)}
"""
    (folder / "table.md").write_text(text)
    return table
