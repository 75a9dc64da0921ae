"""What searches on simulated trees came to: Markdown tables and PNG figures, with the paper's numbers beside ours."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from miai.engine.domains.simulated import TESTS
from miai.engine.files import write_file
from miai.experiments.comparisons import Comparison, agreement_of
from miai.experiments.jones.tree_ranks import draw_ranks, ranks_text, sample_ranks
from miai.experiments.jones.tree_runs import TreePlan
from miai.experiments.jones.tree_scan import is_scan, plot_scan, scan_table
from miai.experiments.jones.tree_subsets import compare_subsets, subset_table
from miai.experiments.plots import GREY, MARKERS, drawing, tick_at_1_2_and_5
from miai.experiments.report_tables import markdown_table, mean_and_error
from miai.experiments.running.pieces import write_arrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER_REGRETS = {("A", "esprit"): {65536: 1.85}, ("A", "puct"): {65536: 3.16}}
"""Mean regret ×1000 by playouts: Jones 2021, table 3, weighted by the sizes of its subsets."""
PAPER_RATES = {
    ("A", "esprit"): {1: 0.21, 1 << 20: 0.76},
    ("A", "puct"): {1: 0.21, 1 << 20: 0.69},
    ("B", "esprit"): {1: 0.08, 1 << 20: 0.50},
    ("B", "puct"): {1: 0.08, 1 << 20: 0.41},
    ("C", "esprit"): {1: 0.68, 1 << 20: 0.957},
    ("C", "puct"): {1: 0.68, 1 << 20: 0.925},
}
"""Share of trees where the best move was chosen, by playouts: sections 4.3 to 4.5."""
PAPER_TREES = {"A": 10_000, "B": 4000, "C": 4000}
"""Trees of figures 3, 4 and 5."""
PAPER_PLAYOUTS = 1 << 20
PAPER_SLOPE = -0.33
"""Of log mean regret over log playouts, 2^10 to 2^18, on test A: section 4.3, "approximately"."""
BOOTSTRAPS = 200
NORMAL_95 = 1.959964


def main_table(plan: TreePlan, regrets: np.ndarray) -> str:
    """Return mean regret, fraction of best moves, and the paired difference to the first contestant, by playouts."""
    rows = []
    for column, playouts in enumerate(plan.checkpoints):
        for place, contestant in enumerate(plan.contestants):
            values = 1000.0 * regrets[:, place, column]
            mean, error = mean_and_error(values)
            difference, spread = mean_and_error(values - 1000.0 * regrets[:, 0, column])
            half = NORMAL_95 * spread
            paired = "" if place == 0 else f"{difference:+.2f} ({difference - half:+.2f} to {difference + half:+.2f})"
            paper = paper_says(plan.test, contestant.label, playouts)
            share = np.mean(regrets[:, place, column] == 0.0)
            rows.append([str(playouts), contestant.label, f"{mean:.2f} ± {error:.2f}", f"{share:.1%}", paired, paper])
    regret = "mean regret ×1000 (± standard error)"
    return markdown_table(["playouts", "rules", regret, "best move", "more than the first (95 %)", "paper"], rows)


def paper_says(test: str, label: str, playouts: int) -> str:
    """Return what the paper reports for this place in the table, or nothing."""
    regret = PAPER_REGRETS.get((test, label), {}).get(playouts)
    share = PAPER_RATES.get((test, label), {}).get(playouts)
    parts = [] if regret is None else [f"{regret:.2f}"]
    return ", ".join(parts + ([] if share is None else [f"{share:.1%}"]))


def slope_and_error(plan: TreePlan, regrets: np.ndarray, place: int) -> tuple[float, float] | None:
    """Return the slope of log mean regret over log playouts from 2^10 to 2^18, and its bootstrapped standard error.

    None if too few checkpoints lie there, or all regrets are 0.
    """
    chosen = [column for column, playouts in enumerate(plan.checkpoints) if 1 << 10 <= playouts <= 1 << 18]
    values = regrets[:, place, chosen]
    if len(chosen) < 3 or not (values.mean(axis=0) > 0.0).all():
        return None
    playouts = np.log([plan.checkpoints[column] for column in chosen])
    rng = np.random.default_rng(0)
    samples = [values, *(values[rng.integers(len(values), size=len(values))] for _ in range(BOOTSTRAPS))]
    means = np.maximum([one.mean(axis=0) for one in samples], 1e-12)
    slopes = np.polyfit(playouts, np.log(means).T, 1)[0]
    return float(slopes[0]), float(slopes[1:].std(ddof=1))


def slope_line(plan: TreePlan, regrets: np.ndarray) -> str:
    """Return the slopes of log mean regret over log playouts; the paper's is about -0.33 on test A."""
    found = [(one.label, slope_and_error(plan, regrets, place)) for place, one in enumerate(plan.contestants)]
    told = [f"{label} {slope[0]:.3f} ± {slope[1]:.3f}" for label, slope in found if slope is not None]
    if not told:
        return ""
    return f"Slope of log mean regret from 2^10 to 2^18 playouts (paper: about {PAPER_SLOPE}): {', '.join(told)}.\n"


def compare_with_paper(plan: TreePlan, regrets: np.ndarray) -> list[Comparison]:
    """Return what the paper prints of these trees as a whole, and ours; table 3 is `compare_subsets`.

    A printed number's standard error is what as many trees as the paper's would have here.
    """
    regret_rows, slopes, rates = [], [], []
    for place, contestant in enumerate(plan.contestants):
        key = plan.test, contestant.label
        for column, playouts in enumerate(plan.checkpoints):
            of_paper = np.sqrt(len(regrets) / PAPER_TREES[plan.test])
            what = f"{contestant.label}, {playouts:,} playout{'s' * (playouts > 1)}"
            printed = PAPER_REGRETS.get(key, {}).get(playouts)
            if printed is not None:
                mean, error = mean_and_error(1000.0 * regrets[:, place, column])
                name = f"{what}: mean regret ×1000"
                regret_rows.append(Comparison(name, printed, float(error * of_paper), mean, error, 2, 0.005))
            share = PAPER_RATES.get(key, {}).get(playouts)
            if share is not None:
                mean, error = mean_and_error(100.0 * (regrets[:, place, column] == 0.0))
                rounding = 0.05 if share > 0.9 else 0.5
                name = f"{what}: best move, %"
                rates.append(Comparison(name, 100.0 * share, float(error * of_paper), mean, error, 1, rounding))
        slope = slope_and_error(plan, regrets, place) if key in PAPER_REGRETS else None
        if slope is not None:
            name = f"{contestant.label}: slope of log regret over log playouts"
            slopes.append(Comparison(name, PAPER_SLOPE, 0.0, *slope, 3, 0.005))
    return regret_rows + slopes + rates


def collision_table(plan: TreePlan, collisions: np.ndarray) -> str:
    """Return the fraction of descents that collided, of the contestants that search in batches."""
    batched = [(place, one) for place, one in enumerate(plan.contestants) if one.batch]
    if not batched:
        return ""
    rows = [[one.label, f"{one.batch}, {one.batching}", f"{collisions[:, place].mean():.2%}"] for place, one in batched]
    return markdown_table(["rules", "batch", "collisions"], rows) + "\n\n"


def _plot_lines(
    plan: TreePlan, values: np.ndarray, errors: np.ndarray, paper: dict[Any, Any], title: str, path: Path
) -> None:
    """Draw values [contestants, checkpoints] by playouts, those of a scan after the last by c0."""
    with drawing(path) as figure:
        axes = figure.subplots()
        axes.set_title(title)
        if is_scan(plan):
            printed = paper.get((plan.test, "puct"), {}).get(plan.playouts)
            plot_scan(axes, plan, values[:, -1], errors[:, -1], printed)
        else:
            _plot_by_playouts(axes, plan, values, errors, paper)
        axes.legend()


def _plot_by_playouts(
    axes: "Axes", plan: TreePlan, values: np.ndarray, errors: np.ndarray, paper: dict[Any, Any]
) -> None:
    for place, contestant in enumerate(plan.contestants):
        form: dict[str, Any] = {"marker": MARKERS[place % len(MARKERS)], "markersize": 4, "capsize": 2}
        line = axes.errorbar(plan.checkpoints, values[place], 2 * errors[place], label=contestant.label, **form)
        if points := paper.get((plan.test, contestant.label)):
            color = line.lines[0].get_color()
            axes.plot(list(points), list(points.values()), "D", color=color, label=f"{contestant.label}, paper")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("playouts")
    if paper is PAPER_REGRETS:
        axes.set_yscale("log")
        tick_at_1_2_and_5(axes.yaxis)
        _draw_slope(axes, plan, values)


def _draw_slope(axes: "Axes", plan: TreePlan, values: np.ndarray) -> None:
    """Draw the line of figure 3 from 2^10 playouts on, proportional to playouts^(-1/3), below the lowest curve."""
    playouts = np.array([one for one in plan.checkpoints if one >= 1 << 10], dtype=np.float64)
    if plan.test == "A" and len(playouts) > 1:
        lowest = 0.7 * float(values[:, -1].min())
        axes.plot(playouts, lowest * (playouts / playouts[-1]) ** (-1.0 / 3.0), color=GREY, label="playouts^(−1/3)")


def draw_regrets(plan: TreePlan, regrets: np.ndarray, path: Path) -> None:
    """Draw figure 3, 4 or 5: mean regret by playouts."""
    means, errors = 1000.0 * regrets.mean(axis=0), 1000.0 * regrets.std(axis=0, ddof=1) / np.sqrt(len(regrets))
    _plot_lines(plan, means, errors, PAPER_REGRETS, "mean regret ×1000 (bars: 2 standard errors)", path)


def draw_best(plan: TreePlan, regrets: np.ndarray, path: Path) -> None:
    """Draw in which share of the trees the best move was chosen, by playouts."""
    shares = (regrets == 0.0).mean(axis=0)
    spread = np.sqrt(shares * (1.0 - shares) / len(regrets))
    _plot_lines(plan, shares, spread, PAPER_RATES, "share of trees where the best move was chosen", path)


def time_line(plan: TreePlan, seconds: np.ndarray) -> str:
    """Return the processor time of all trees, and what the paper's trees of 2^20 playouts would take at this rate."""
    spent = float(seconds.sum())
    num_trees = PAPER_TREES[plan.test]
    hours = spent / len(seconds) * num_trees * PAPER_PLAYOUTS / plan.playouts / 3600.0
    return (
        f"Processor time: {spent:,.0f} s for {len(seconds):,} trees; the full size of {num_trees:,} trees with "
        f"{PAPER_PLAYOUTS:,} playouts would take {hours:,.1f} hours of one core at the same rate.\n"
    )


def write_report(plan: TreePlan, results: dict[str, np.ndarray], folder: Path, command: str) -> str:
    """Write raw results, tables and figures into a folder; return the main table."""
    regrets = results["regrets"]
    labels = [contestant.label for contestant in plan.contestants]
    write_arrays(
        folder / "regrets.npz",
        regrets=regrets,
        ranks=results["ranks"],
        collisions=results["collisions"],
        playouts=plan.checkpoints,
        rules=labels,
    )
    table = main_table(plan, regrets)
    ranks = sample_ranks(TESTS[plan.test])
    text = f"# Simulated trees, test {plan.test}: {plan.num_trees} trees\n\n```\n{command}\n```\n\n{table}\n\n"
    text += collision_table(plan, results["collisions"]) + scan_table(plan, regrets)
    text += f"{slope_line(plan, regrets)}\nAfter {plan.checkpoints[-1]} playouts, mean regret ×1000:\n\n"
    text += f"{subset_table(plan, regrets)}\n\n"
    if compared := compare_subsets(plan, regrets):
        text += f"Table 3, within two standard errors of the difference: {agreement_of(compared)}.\n\n"
    text += f"{ranks_text(ranks)}\n{time_line(plan, results['seconds'])}"
    write_file(folder / "table.md", text)
    draw_regrets(plan, regrets, folder / "regret.png")
    draw_best(plan, regrets, folder / "best.png")
    draw_ranks(ranks, folder / "ranks.png")
    return table
