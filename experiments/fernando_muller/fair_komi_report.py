"""What annotated positions say of policies: the paper's table 4, its figures, and questions beyond."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from miai.engine.files import write_file
from miai.experiments.fernando_muller import fair_komi_figures as figures
from miai.experiments.fernando_muller.annotation_runs import CURVE_REACH
from miai.experiments.fernando_muller.annotations import AnnotatedPosition
from miai.experiments.fernando_muller.policy_errors import (
    ErrorsByName,
    PolicyErrors,
    ShortSearchPlan,
    errors_of_lines,
    errors_of_searches,
    phase_rows,
)
from miai.experiments.fernando_muller.published import ADDITIVE, ERRORS, LINES, SEARCH_BLUNDERS, STRENGTHS, SUBTRACTIVE
from miai.experiments.report_tables import markdown_table, mean_and_error, time_needed, with_error, write_csv
from miai.experiments.running.pieces import Results, write_arrays

PAPER_POSITIONS = 56968


def error_table(errors: ErrorsByName) -> str:
    """Return table 4, ours beside the paper's."""
    rows = []
    for line, one in errors.items():
        (blunders, spread), (loss, error) = one.mean_and_error("blunders"), one.mean_and_error("losses")
        paper = ERRORS[line]
        rows.append(
            [
                f"`{line}`",
                with_error(100 * blunders, 100 * spread),
                f"{paper.blunders:.2f}",
                with_error(loss, error),
                f"{paper.loss:.2f}",
                f"{one.mean_and_error('losses_to_best')[0]:.2f}",
            ]
        )
    return markdown_table(["P", "blunder chance, %", "paper", "points lost", "paper", "against the best move"], rows)


def agreement(errors: ErrorsByName, strengths: Mapping[str, float]) -> str:
    """Return rank correlations with the paper, and the two correlations of figure 6, ours and the paper's."""
    loss = {line: one.mean_and_error("losses")[0] for line, one in errors.items()}
    blunders = {line: 100 * one.mean_and_error("blunders")[0] for line, one in errors.items()}
    rows = []
    for name, ours, place in (("points lost", loss, 1), ("blunder chance", blunders, 0)):
        told = _told(stats.spearmanr, [ours[line] for line in LINES], [ERRORS[line][place] for line in LINES])
        rows.append([f"ranks of {name}, ours and the paper's (Spearman)", told, ""])
    theirs = stats.pearsonr([ERRORS[line].loss for line in LINES], [ERRORS[line].blunders for line in LINES]).statistic
    told = _told(stats.pearsonr, [loss[line] for line in LINES], [blunders[line] for line in LINES])
    rows.append(["points lost and blunder chance", told, f"{theirs:.2f}"])
    for name, group in (("subtractive", SUBTRACTIVE), ("additive", ADDITIVE)):
        there = [line for line in group if line in strengths]
        told = _told(stats.pearsonr, [loss[line] for line in there], [strengths[line] for line in there])
        theirs = stats.pearsonr(
            [ERRORS[line].loss for line in group], [STRENGTHS[line].score for line in group]
        ).statistic
        rows.append([f"points lost and strength, {name}", told, f"{theirs:.2f}"])
    return markdown_table(["correlation", "ours", "paper"], rows)


def _told(correlate: Callable[..., Any], first: Sequence[float], second: Sequence[float]) -> str:
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return "not defined"
    found = correlate(first, second)
    return f"{found.statistic:.2f} (p = {found.pvalue:.2g})"


def phase_table(positions: Sequence[AnnotatedPosition], errors: ErrorsByName) -> str:
    """Return the points each policy loses by phase of the game."""
    phases = phase_rows(positions)
    rows = []
    for line, one in errors.items():
        cells = []
        for found in phases.values():
            cells.append(with_error(*one.among(found).mean_and_error("losses")))
        rows.append([f"`{line}`", *cells])
    return markdown_table(["points lost", *(f"{name} ({len(found)})" for name, found in phases.items())], rows)


def search_table(plan: ShortSearchPlan, results: Results, errors: ErrorsByName, names: Mapping[str, str]) -> str:
    """Return what short searches lose beside the policies themselves, which stand in the column 0.

    Args:
        plan: of the searches.
        results: theirs.
        errors: the policies'.
        names: the policies' lines.
    """
    found = errors_of_searches(plan, results)
    rows = []
    for column, unit, factor in (("losses", "points lost", 1), ("blunders", "blunders, %", 100)):
        for policy in plan.policies:
            own = errors[names[policy]]
            cells = [own, *(found[policy, number] for number in plan.simulations)]
            told = (with_error(*(factor * value for value in one.mean_and_error(column))) for one in cells)
            rows.append([unit, f"`{names[policy]}`", *told])
    return markdown_table(["", "P", "P itself", *(f"MCTS(P), {number:,}" for number in plan.simulations)], rows)


def oracle_table(
    positions: Sequence[AnnotatedPosition],
    errors: ErrorsByName,
    others: Sequence[AnnotatedPosition],
    other_errors: ErrorsByName,
) -> str:
    """Return what another oracle says of the same positions: of their values, and of each policy's moves."""
    ours, theirs = (np.array([one.value.fair for one in some]) for some in (positions, others))
    difference = ours - theirs
    mean, error = mean_and_error(difference)
    lines = [
        f"Fair komi of {len(ours)} positions: this oracle's minus the other's {mean:+.2f} ± {error:.2f}, "
        f"standard deviation {difference.std():.2f}, correlation {_correlation(ours, theirs):.3f}.\n"
    ]
    rows = []
    for line, one in errors.items():
        other = other_errors[line]
        gap, spread = mean_and_error(one.losses - other.losses)
        losses, blunders = (
            [some.mean_and_error(column)[0] for some in (one, other)] for column in ("losses", "blunders")
        )
        rows.append(
            [
                f"`{line}`",
                *(f"{value:.2f}" for value in losses),
                f"{gap:+.2f} ± {spread:.2f}",
                *(f"{100 * value:.2f}" for value in blunders),
            ]
        )
    headers = ["P", "points lost", "by the other", "difference, paired", "blunders, %", "by the other"]
    both = ([some[line].mean_and_error("losses")[0] for line in LINES] for some in (errors, other_errors))
    told = _told(stats.spearmanr, *both)
    lead, other_lead = (some["R"].losses - some["F"].losses for some in (errors, other_errors))
    (mean, _), (other_mean, _), (gap, spread) = map(mean_and_error, (lead, other_lead, lead - other_lead))
    lines += [
        markdown_table(headers, rows),
        "",
        f"Ranks of points lost (Spearman): {told}. F loses {mean:.2f} points less than R by this oracle, "
        f"{other_mean:.2f} by the other: {gap:+.2f} ± {spread:.2f}, paired. An oracle biased for its own playouts "
        "would show that here.",
    ]
    return "\n".join(lines)


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1]) if len(first) > 1 else float("nan")


def linearity(results: Results) -> str:
    """Return how near Black's chances lie to the line through 60 % and 40 %, between these (figure 2)."""
    offsets = []
    for value, komis, chances in zip(results["value"], results["curve_komi"], results["curve"], strict=True):
        _, sixty, forty = value
        near = (komis >= sixty) & (komis <= forty)
        if near.any() and forty > sixty:
            offsets.append(chances[near] - (0.6 - 0.2 * (komis[near] - sixty) / (forty - sixty)))
    if not offsets:
        return ""
    found = np.concatenate(offsets)
    return (
        f"Between 60 % and 40 % the chances are off the line by {100 * np.sqrt((found**2).mean()):.1f} percentage "
        f"points (root mean square of {len(found)} komi values in {len(offsets)} positions).\n"
    )


def paper_on_searches() -> str:
    """Return what the paper says of its oracle's own moves."""
    return f"In the paper MCTS(F) with 5,000 simulations blunders in {100 * SEARCH_BLUNDERS:.2f} % of the positions.\n"


def matching(
    positions: Sequence[AnnotatedPosition], others: Sequence[AnnotatedPosition]
) -> tuple[list[AnnotatedPosition], list[AnnotatedPosition]]:
    """Return those of two lists that are the same positions, in the order of the first.

    Raises:
        ValueError: if there are none.
    """
    by_key = {(one.name, len(one.game.moves)): one for one in others}
    pairs = [(one, by_key[key]) for one in positions if (key := (one.name, len(one.game.moves))) in by_key]
    if not pairs:
        raise ValueError("--against holds none of these positions")
    return [first for first, _ in pairs], [second for _, second in pairs]


def write_report(
    positions: Sequence[AnnotatedPosition],
    results: Results | None,
    scale: float,
    searches: tuple[ShortSearchPlan, Results, Mapping[str, str]],
    base: str,
    strengths: Mapping[str, float] | None,
    others: Sequence[AnnotatedPosition] | None,
    folder: Path,
    command: str,
) -> str:
    """Write raw results, tables and figures into a folder; return the main tables.

    Args:
        positions: annotated.
        results: of the annotation, None if that was made elsewhere.
        scale: how many times as much work the annotation of a position is at full size.
        searches: short searches of these positions: plan, results, and the policies' lines by name.
        base: what F is.
        strengths: win % of MCTS(P) by line; None = the paper's.
        others: the same positions as another oracle sees them, if that is to be compared.
        folder: where to.
        command: that made them.

    Raises:
        ValueError: if the others are no such positions.
    """
    strengths = strengths or {line: one.score for line, one in STRENGTHS.items()}
    errors = errors_of_lines(positions, base)
    table = f"{error_table(errors)}\n\n{agreement(errors, strengths)}"
    plan, found, names = searches
    sections = [
        f"# What policies lose, by the fair komi of {len(positions)} positions\n\n```\n{command}\n```\n\n"
        f"F is `{base}`. ± is a standard error over positions.\n\n{table}\n",
        f"## By phase of the game\n\n{phase_table(positions, errors)}\n",
        f"## Policies against short searches\n\n{search_table(plan, found, errors, names)}\n\n{paper_on_searches()}",
    ]
    if others is not None:
        mine, theirs = matching(positions, others)
        compared = oracle_table(mine, errors_of_lines(mine, base), theirs, errors_of_lines(theirs, base))
        sections.append(f"## By another oracle\n\n{compared}\n")
    if results is not None:
        asked = int(results["num_asked"].sum())
        sections.append(
            f"## The annotation\n\n{linearity(results)}\nThe oracle was asked {asked:,} times, "
            f"{asked / len(positions):.0f} times a position, and {2 * CURVE_REACH} times more for figure 2.\n\n"
            f"{time_needed(results['seconds'], 'positions', PAPER_POSITIONS, scale)}"
        )
        figures.plot_curves(positions, results, folder / "curves.svg")
    figures.plot_moves(positions, folder / "moves.svg")
    figures.plot_values(positions, folder / "values.svg")
    figures.plot_errors(errors, strengths, folder / "errors.svg")
    figures.plot_searches(plan, found, errors, names, folder / "searches.svg")
    write_raw(errors, positions, folder)
    columns = ("blunders", "losses", "losses_to_best")
    rows = [
        (line, len(positions), *(x for name in columns for x in one.mean_and_error(name)), *ERRORS[line], command)
        for line, one in errors.items()
    ]
    headers = [name for column in columns for name in (column, f"{column}_error")]
    write_csv(
        folder / "table.csv", ["policy", "positions", *headers, "paper_blunders", "paper_losses", "command"], rows
    )
    write_file(folder / "table.md", "\n".join(sections))
    return table


def write_raw(errors: ErrorsByName, positions: Sequence[AnnotatedPosition], folder: Path) -> None:
    """Write each policy's figures in each position."""
    arrays: dict[str, Any] = {
        column: np.stack([getattr(one, column) for one in errors.values()]) for column in PolicyErrors._fields
    }
    write_arrays(
        folder / "errors.npz",
        lines=list(errors),
        names=[position.name for position in positions],
        move_numbers=[len(position.game.moves) for position in positions],
        **arrays,
    )
