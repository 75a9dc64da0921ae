"""The figures of Fernando & Müller 2013 that annotated positions make: 1, 2, 3 and 6, and one of short searches."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from miai.experiments.fernando_muller.annotations import AnnotatedPosition
from miai.experiments.fernando_muller.game_samples import PAPERS_GAMES
from miai.experiments.fernando_muller.policy_errors import (
    ErrorsByName,
    ShortSearchPlan,
    errors_of_searches,
)
from miai.experiments.fernando_muller.published import ADDITIVE, ERRORS, LINES, STRENGTHS, SUBTRACTIVE
from miai.experiments.plots import COLORS, GREY, MARKERS, OURS, PAPERS, drawing, label_points, tick_at_1_2_and_5
from miai.experiments.running.pieces import Results


def plot_moves(positions: Sequence[AnnotatedPosition], path: Path) -> None:
    """Draw figure 1: from which stage of the game positions are."""
    numbers = [len(position.game.moves) for position in positions]
    with drawing(path, 7, 4) as figure:
        axes = figure.subplots()
        axes.hist(numbers, bins=list(range(10, max(numbers) + 3, 2)), color=OURS)
        axes.set(xlabel="move number", ylabel="positions")


def plot_curves(positions: Sequence[AnnotatedPosition], results: Results, path: Path) -> None:
    """Draw figure 2: Black's chances by komi, of an early position and one of the middle game.

    The paper's own, where they are among the positions; else those nearest to its 10 and 45 moves.
    """
    numbers = np.array([len(position.game.moves) for position in positions])
    stems = [Path(position.name).stem for position in positions]
    with drawing(path, 10, 4) as figure:
        for axes, wanted, game in zip(figure.subplots(1, 2), (10, 45), PAPERS_GAMES, strict=True):
            row = stems.index(game) if game in stems else int(np.abs(numbers - wanted).argmin())
            fair, sixty, forty = results["value"][row]
            axes.plot(results["curve_komi"][row], results["curve"][row], "o-", color=OURS, label="oracle")
            axes.plot([sixty, forty], [0.6, 0.4], "D--", color=PAPERS, label="60 % to 40 %")
            axes.axvline(fair, color=GREY, linestyle=":", label=f"fair komi {fair:.1f}")
            axes.set(xlabel="komi", ylabel="Black's chances", ylim=(0, 1))
            axes.set_title(f"{positions[row].name} after {numbers[row]} moves", fontsize=9)
            axes.legend()


def plot_values(positions: Sequence[AnnotatedPosition], path: Path) -> None:
    """Draw figure 3: fair komi by move number."""
    with drawing(path, 7, 5) as figure:
        axes = figure.subplots()
        fair = [position.value.fair for position in positions]
        axes.plot([len(position.game.moves) for position in positions], fair, "o", color=OURS, alpha=0.35, markersize=4)
        axes.set(xlabel="move number", ylabel="fair komi")


def plot_errors(errors: ErrorsByName, strengths: Mapping[str, float], path: Path) -> None:
    """Draw figure 6: points lost against blunder chance and against strength, the paper's beside ours."""
    loss = {line: one.mean_and_error("losses")[0] for line, one in errors.items()}
    blunders = {line: 100 * one.mean_and_error("blunders")[0] for line, one in errors.items()}
    with drawing(path, 12, 5) as figure:
        left, right = figure.subplots(1, 2)
        papers = [ERRORS[line].loss for line in LINES]
        left.plot(papers, [ERRORS[line].blunders for line in LINES], "D", color=PAPERS, label="paper")
        ours = [loss[line] for line in LINES]
        left.plot(ours, [blunders[line] for line in LINES], "o", color=OURS, label="ours")
        label_points(left, list(LINES), ours, [blunders[line] for line in LINES])
        left.set(xlabel="expected points lost", ylabel="blunder chance, %")
        left.legend()
        for group, name, marker in ((SUBTRACTIVE, "subtractive", "o"), (ADDITIVE, "additive", "^")):
            right.plot(
                [ERRORS[line].loss for line in group],
                [STRENGTHS[line].score for line in group],
                marker,
                color=PAPERS,
                fillstyle="none",
                label=f"{name}, paper",
            )
            there = [line for line in group if line in strengths]
            x, y = [loss[line] for line in there], [strengths[line] for line in there]
            right.plot(x, y, marker, color=OURS, label=f"{name}, ours")
            label_points(right, there, x, y)
        right.set(xlabel="expected points lost", ylabel="win % of MCTS(P)")
        right.legend()


def plot_searches(
    plan: ShortSearchPlan, results: Results, errors: ErrorsByName, names: Mapping[str, str], path: Path
) -> None:
    """Draw what policies and short searches with them lose, by simulations."""
    found = errors_of_searches(plan, results)
    with drawing(path) as figure:
        axes = figure.subplots()
        for policy, color, marker in zip(plan.policies, COLORS, MARKERS, strict=False):
            own = errors[names[policy]].mean_and_error("losses")[0]
            axes.axhline(own, color=color, linestyle=":", label=f"{names[policy]} itself")
            told = [found[policy, number].mean_and_error("losses") for number in plan.simulations]
            means, spreads = zip(*told, strict=True)
            axes.errorbar(
                plan.simulations,
                means,
                [2 * spread for spread in spreads],
                marker=marker,
                color=color,
                capsize=2,
                label=f"MCTS({names[policy]})",
            )
        axes.set(xscale="log", xlabel="simulations", ylabel="points lost (bars: 2 standard errors)")
        tick_at_1_2_and_5(axes.xaxis)
        axes.legend()
