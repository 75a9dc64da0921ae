"""What the comparison of backup operators came to: a Markdown table and a figure, the paper's numbers beside ours."""

from pathlib import Path

import numpy as np

from miai.engine.files import write_file
from miai.experiments.comparisons import Comparison
from miai.experiments.coulom.backup_runs import OPERATORS, BackupPlan
from miai.experiments.plots import drawing, tick_at_1_2_and_5
from miai.experiments.report_tables import markdown_table
from miai.experiments.running.pieces import write_arrays

PAPER = {
    128: ((6.44, -3.32), (41.70, 37.00), (39.60, 35.30), (5.29, -1.43)),
    256: ((7.17, -4.78), (25.00, 22.00), (23.60, 20.90), (4.72, -1.89)),
    512: ((7.56, -5.84), (14.90, 12.70), (13.90, 11.90), (4.08, -1.70)),
    1024: ((6.26, -4.86), (9.48, 7.91), (8.82, 7.41), (3.06, 0.13)),
    2048: ((4.38, -3.15), (6.72, 5.37), (6.11, 4.91), (2.63, 0.77)),
    4096: ((2.84, -1.55), (4.48, 3.33), (3.94, 2.91), (2.05, 0.69)),
    8192: ((2.23, -0.62), (2.78, 1.47), (2.42, 1.07), (1.85, 0.32)),
    16384: ((2.34, -0.57), (2.45, 0.01), (2.40, -0.30), (2.10, -0.19)),
    32768: ((2.15, -0.52), (2.19, 0.10), (2.26, -0.12), (1.93, -0.02)),
    65536: ((2.03, -0.50), (1.83, 0.23), (1.88, 0.01), (1.70, 0.01)),
    131072: ((2.07, -0.54), (1.80, 0.25), (1.94, 0.02), (1.80, -0.02)),
    262144: ((1.85, -0.58), (1.49, 0.25), (1.51, 0.07), (1.39, -0.02)),
}
"""Root mean square error and bias in points by simulations and operator, as printed (Coulom 2006, slide Results)."""


def error_table(plan: BackupPlan, errors: np.ndarray) -> str:
    """Return root mean square error and bias ± its standard error, the paper's in brackets."""
    rows = []
    for row, simulations in enumerate(plan.checkpoints):
        cells = []
        for place in range(len(OPERATORS)):
            values = errors[:, row, place]
            rms, bias = np.sqrt(np.mean(values**2)), values.mean()
            spread = values.std(ddof=1) / np.sqrt(len(values))
            paper = PAPER.get(simulations)
            printed = ("", "") if paper is None else tuple(f" ({number:.2f})" for number in paper[place])
            cells += [f"{rms:.2f}{printed[0]}", f"{bias:+.2f} ± {spread:.2f}{printed[1]}"]
        rows.append([str(simulations), *cells])
    headers = [header for name in OPERATORS for header in (f"{name}: rms", "bias")]
    return markdown_table(["simulations", *headers], rows)


def compare_with_paper(plan: BackupPlan, errors: np.ndarray) -> list[Comparison]:
    """Return every printed root mean square error and bias, and ours.

    How many positions the paper's are from is not printed; their standard errors are left out.
    """
    found = []
    for row, simulations in enumerate(plan.checkpoints):
        for place, name in enumerate(OPERATORS if simulations in PAPER else ()):
            rms, bias = PAPER[simulations][place]
            values = errors[:, row, place]
            root = np.sqrt(np.mean(values**2))
            of_bias = values.std(ddof=1) / np.sqrt(len(values))
            of_rms = (values**2).std(ddof=1) / np.sqrt(len(values)) / (2.0 * root) if root > 0.0 else 0.0
            what = f"{name} at {simulations:,}"
            found.append(Comparison(f"{what}, rms", rms, 0.0, float(root), float(of_rms), 2, 0.005))
            found.append(Comparison(f"{what}, bias", bias, 0.0, float(values.mean()), float(of_bias), 2, 0.005))
    return found


def draw_errors(plan: BackupPlan, errors: np.ndarray, path: Path) -> None:
    """Draw errors and biases by simulations, ours and the paper's."""
    with drawing(path, 10, 5) as figure:
        ours = np.sqrt((errors**2).mean(axis=0)), errors.mean(axis=0)
        for column, (axes, values, title) in enumerate(
            zip(figure.subplots(1, 2), ours, ("root mean square error", "bias"), strict=True)
        ):
            for place, name in enumerate(OPERATORS):
                (line,) = axes.plot(plan.checkpoints, values[:, place], "o-", label=name)
                printed = [numbers[place][column] for numbers in PAPER.values()]
                axes.plot(list(PAPER), printed, "D:", color=line.get_color(), alpha=0.5, label=f"{name}, paper")
            axes.set_xscale("log", base=2)
            axes.set(xlabel="simulations", ylabel="points", title=title, yscale="log" if column == 0 else "symlog")
            tick_at_1_2_and_5(axes.yaxis)
        axes.legend(fontsize="small")


def write_report(plan: BackupPlan, errors: np.ndarray, folder: Path, command: str) -> str:
    """Write raw errors, the table and the figure into a folder; return the table."""
    write_arrays(folder / "errors.npz", errors=errors, simulations=plan.checkpoints, operators=OPERATORS)
    table = error_table(plan, errors)
    write_file(
        folder / "table.md",
        f"# Backup operators: {plan.num_positions} positions\n\n```\n{command}\n```\n\n"
        f"Errors in points of the value after S simulations, against mix after 2S; in brackets Coulom's.\n\n{table}\n",
    )
    draw_errors(plan, errors, folder / "errors.png")
    return table
