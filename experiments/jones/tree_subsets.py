"""Regrets on subsets of simulated trees by the values of their parameters (Jones 2021, table 3)."""

import numpy as np

from miai.engine.domains.simulated import PARAMETERS, TESTS, sample_parameters
from miai.experiments.comparisons import Comparison
from miai.experiments.jones.tree_runs import TreePlan
from miai.experiments.report_tables import markdown_table, mean_and_error

PAPER_SUBSETS: dict[str, dict[float, tuple[int, float, float]]] = {
    "m_mean": {10: (3271, 1.66, 2.34), 30: (3408, 1.89, 3.22), 50: (3321, 2.0, 3.9)},
    "t_root": {0.1: (2030, 1.36, 2.39), 0.5: (2043, 2.37, 3.61), 0.9: (1966, 1.29, 2.81)},
    "t_scale": {
        0.1: (2521, 1.76, 2.78),
        0.2: (2549, 1.89, 3.23),
        0.3: (2474, 1.93, 3.49),
        0.4: (2456, 1.83, 3.15),
    },
    "e_df": {2: (3331, 2.36, 3.72), 3: (3386, 1.69, 2.9), 4: (3283, 1.5, 2.86)},
    "e_par": {-1: (2498, 1.57, 3.2), 0: (2507, 1.4, 2.89), 1: (2445, 2.24, 3.47), 5: (2550, 2.2, 3.09)},
    "e_ch": {0.2: (2542, 1.31, 2.69), 0.3: (2486, 1.65, 3.06), 0.4: (2495, 2.07, 3.15), 0.5: (2477, 2.4, 3.75)},
    "p_df": {2: (3342, 2.11, 4.65), 3: (3351, 1.76, 2.61), 4: (3307, 1.68, 2.21)},
    "p_ch": {0.1: (3347, 1.63, 2.08), 0.2: (3377, 1.88, 2.96), 0.3: (3276, 2.05, 4.47)},
    "p_eval": {0.1: (3238, 1.69, 3.09), 0.2: (3438, 1.89, 3.22), 0.3: (3324, 1.97, 3.17)},
}
"""Trees, and mean regret ×1000 of ESPRIT and PUCT after 65,536 playouts on test A by value of a parameter: table 3.

The paper prints the last two parameters' names the other way round, and their rows in another order than everywhere
else. That its trees have them as eq. 14 says is seen in test B, where their lists differ: after one playout the best
move is chosen in 8 % of the trees, as eq. 14 gives; the other way round it would be 10 %
(`tests/experiments/test_trees.py`).
"""
RULES = ("esprit", "puct")
"""Whose regrets the paper's table has, in this order; the difference is that of the second from the first."""


def is_the_papers(plan: TreePlan) -> bool:
    """Tell whether a plan is that of table 3, whatever else it compares."""
    labels = [contestant.label for contestant in plan.contestants]
    return (plan.test, plan.checkpoints[-1]) == ("A", 65536) and set(RULES) <= set(labels)


def subsets_of(plan: TreePlan) -> list[tuple[str, float, np.ndarray]]:
    """Return each parameter that differs between trees, each of its values, and which trees have it."""
    drawn = [sample_parameters(TESTS[plan.test], index) for index in range(plan.num_trees)]
    found = []
    for name in PARAMETERS:
        column = np.array([parameters[name] for parameters in drawn])
        for value in np.unique(column) if len(getattr(TESTS[plan.test], name)) > 1 else []:
            found.append((name, float(value), column == value))
    return found


def compare_subsets(plan: TreePlan, regrets: np.ndarray) -> list[Comparison]:
    """Return the numbers of table 3 and ours: of ESPRIT, of PUCT, and the paired differences.

    A printed number's standard error is what as many trees as it is from would have here.
    """
    if not is_the_papers(plan):
        return []
    labels = [contestant.label for contestant in plan.contestants]
    ours, theirs = (1000.0 * regrets[:, labels.index(rule), -1] for rule in RULES)
    found = []
    for name, value, chosen in subsets_of(plan):
        paper = PAPER_SUBSETS.get(name, {}).get(value)
        if paper is None or chosen.sum() < 2:
            continue
        num_trees, *printed = paper
        columns = (ours[chosen], theirs[chosen], (theirs - ours)[chosen])
        for rule, number, values in zip(
            (*RULES, "difference"), (*printed, printed[1] - printed[0]), columns, strict=True
        ):
            spread = float(values.std(ddof=1))
            error, paper_error = spread / np.sqrt(len(values)), spread / np.sqrt(num_trees)
            what = f"{name} = {value:g}, {rule}"
            found.append(Comparison(what, number, paper_error, float(values.mean()), error, 2, 0.005))
    return found


def subset_table(plan: TreePlan, regrets: np.ndarray) -> str:
    """Return the regrets at the end by value of each parameter, and how far they are above the first contestant's.

    The paper's numbers stand behind in brackets.
    """
    labels = [contestant.label for contestant in plan.contestants]
    printed = {one.what: f" ({one.told[0]})" for one in compare_subsets(plan, regrets)}
    rows = []
    for name, value, chosen in subsets_of(plan):
        values = 1000.0 * regrets[chosen, :, -1]
        cells = [
            _cell(values[:, place], printed.get(f"{name} = {value:g}, {label}", ""))
            for place, label in enumerate(labels)
        ]
        for place in range(1, len(labels)):
            is_printed = labels[place] == "puct" and labels[0] == "esprit"
            paper = printed.get(f"{name} = {value:g}, difference", "") if is_printed else ""
            cells.append(_cell(values[:, place] - values[:, 0], paper))
        rows.append([name, f"{value:g}", str(chosen.sum()), *cells])
    more = [f"{label} − {labels[0]}" for label in labels[1:]]
    return markdown_table(["parameter", "value", "trees", *labels, *more], rows)


def _cell(values: np.ndarray, paper: str) -> str:
    mean, error = mean_and_error(values)
    return f"{mean:.2f} ± {error:.2f}{paper}".replace("-", "−")
