"""What the judged games of policies came to: the paper's table 3, and its figures 4 and 5."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from miai.engine.files import write_file
from miai.experiments.fernando_muller.blunder_runs import (
    IGNORED_MOVES,
    PAPER_GAMES,
    BlunderPlan,
    blunders_of,
)
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS
from miai.experiments.fernando_muller.nakade_position import draw_position, sight_table
from miai.experiments.fernando_muller.published import BLUNDERS, STRENGTHS, SUBTRACTIVE
from miai.experiments.plots import OURS, PAPERS, drawing, label_points
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results, write_arrays

NAKADE_PLAYOUTS = 10_000
STATISTICS = ("blunder-free games, %", "games with an even number, %", "% of blunder moves")


class Counted(NamedTuple):
    """The blunders in the games of a policy."""

    games: int
    free: int
    even: int
    counts: np.ndarray
    """int64 [games]: blunders."""
    lengths: np.ndarray
    """int64 [games]: moves."""

    @property
    def judged(self) -> np.ndarray:
        """int64 [games]: moves that were judged."""
        return np.maximum(self.lengths - IGNORED_MOVES, 0)

    @property
    def figures(self) -> tuple[float, float, float]:
        """The three figures of `STATISTICS`."""
        share = 100 * self.counts.sum() / max(1, self.judged.sum())
        return 100 * self.free / self.games, 100 * self.even / self.games, share

    @property
    def share_of_all(self) -> float:
        """Per cent of all moves that are blunders."""
        return float(100 * self.counts.sum() / self.lengths.sum())

    @property
    def error(self) -> float:
        """Standard error of the share of judged moves, from the games: the blunders of a game are not independent."""
        mean = max(1.0, self.judged.mean())
        spread = self.counts - self.counts.mean() / mean * self.judged
        return float(100 * np.sqrt(spread.var() / self.games) / mean)


def count_blunders(results: Results) -> dict[str, Counted]:
    """Return the blunders of each line that has games."""
    found = {}
    for place, line in enumerate(SUBTRACTIVE):
        rows = np.flatnonzero(results["line"] == place)
        if len(rows) == 0:
            continue
        lengths = results["length"][rows].astype(np.int64)
        counts = np.array([len(blunders_of(results["values"][row], int(results["length"][row]))) for row in rows])
        even = int((counts % 2 == 0).sum())
        found[line] = Counted(len(rows), int((counts == 0).sum()), even, counts, lengths)
    return found


def blunder_table(counted: Mapping[str, Counted]) -> str:
    """Return the table, the paper's figures in brackets, p of the two numbers of games by Fisher's exact test."""
    rows = []
    for line, one in counted.items():
        paper = BLUNDERS[line]
        cells = []
        for ours, theirs in ((one.free, paper.free), (one.even, paper.even)):
            p = stats.fisher_exact([[ours, one.games - ours], [theirs, PAPER_GAMES - theirs]]).pvalue
            cells += [f"{100 * ours / one.games:.0f} ({theirs})", f"{p:.2g}"]
        cells.append(f"{one.figures[2]:.2f} ± {one.error:.2f} ({paper.percent:.2f})")
        cells.append(f"{one.share_of_all:.2f}")
        rows.append([f"`{line}`", str(one.games), f"{one.lengths.mean():.0f}", *cells])
    shares = ["% without blunder", "p", "% even", "p", "% of moves judged", "of all moves"]
    return markdown_table(["P", "games", "moves a game", *shares], rows)


def overall_line(counted: Mapping[str, Counted]) -> str:
    """Return the three figures over all lines that were played, and whether the share of moves differs by chance.

    Of the printed shares no error is known: as many games are taken to have the error of ours.
    """
    every = list(counted.values())
    ours = np.mean([one.figures for one in every], axis=0)
    free, even, percent = np.mean([BLUNDERS[line] for line in counted], axis=0)
    errors = np.array([one.error for one in every])
    printed_errors = errors * np.sqrt([one.games / PAPER_GAMES for one in every])
    error = np.sqrt((errors**2).sum()) / len(every)
    spread = np.sqrt((errors**2 + printed_errors**2).sum()) / len(every)
    p = 2 * stats.norm.sf(abs(ours[2] - percent) / spread) if spread > 0 else 1.0
    return (
        f"On average {ours[0]:.1f} % of games have no blunder ({free:.1f}), {ours[1]:.1f} % an even number "
        f"({even:.1f}), and {ours[2]:.2f} ± {error:.2f} % of the moves judged are blunders ({percent:.2f}; "
        f"p = {p:.2g}, if the paper's games spread like ours), {np.mean([one.share_of_all for one in every]):.2f} % "
        f"of all moves. No game has more than {max(one.counts.max() for one in every)}."
    )


def correlation_lines(counted: Mapping[str, Counted], strengths: Mapping[str, float]) -> str:
    """Return Pearson's correlations of the three figures with strength, ours and the paper's."""
    lines = []
    there = [line for line in counted if line in strengths]
    for place, name in enumerate(STATISTICS):
        theirs = stats.pearsonr([BLUNDERS[line][place] for line in SUBTRACTIVE], _paper_strengths()).statistic
        ours = [counted[line].figures[place] for line in there]
        told = "too few lines"
        if len(there) > 2 and np.ptp(ours) > 0:
            found = stats.pearsonr(ours, [strengths[line] for line in there])
            told = f"{found.statistic:+.2f} (p = {found.pvalue:.2g})"
        lines.append(f"- {name}: {told}; the paper's figures {theirs:+.2f}")
    return "\n".join(lines)


def tables(counted: Mapping[str, Counted], strengths: Mapping[str, float], whose: str) -> str:
    """Return the table, what it says over all lines, and the correlations with strengths, and `whose` they are."""
    return (
        f"{blunder_table(counted)}\n\nIn brackets the paper's. {overall_line(counted)}\n\n"
        f"Correlation with {whose} (figure 4):\n\n{correlation_lines(counted, strengths)}"
    )


def _paper_strengths() -> list[float]:
    return [STRENGTHS[line].score for line in SUBTRACTIVE]


def draw_correlations(counted: Mapping[str, Counted], strengths: Mapping[str, float], path: Path) -> None:
    """Draw figure 4."""
    there = [line for line in counted if line in strengths]
    with drawing(path, 12, 4) as figure:
        for place, (axes, name) in enumerate(zip(figure.subplots(1, 3), STATISTICS, strict=True)):
            theirs = [float(BLUNDERS[line][place]) for line in SUBTRACTIVE]
            axes.plot(theirs, _paper_strengths(), "D", color=PAPERS, label="paper")
            label_points(axes, list(SUBTRACTIVE), theirs, _paper_strengths())
            ours, mine = [counted[line].figures[place] for line in there], [strengths[line] for line in there]
            axes.plot(ours, mine, "o", color=OURS, label="ours")
            label_points(axes, there, ours, mine)
            axes.set(xlabel=name, ylabel="win % of MCTS(P)" if place == 0 else "")
        axes.legend()


def write_report(
    plan: BlunderPlan, results: Results, strengths: Mapping[str, float] | None, folder: Path, command: str
) -> str:
    """Write raw results, the tables and the figures into a folder; return the main table.

    Args:
        plan: what was run.
        results: of its pieces.
        strengths: win % of MCTS(P) by line; None = the paper's.
        folder: where to.
        command: that made them.
    """
    counted = count_blunders(results)
    write_arrays(folder / "games.npz", lines=SUBTRACTIVE, **results)
    rows = [
        (line, one.games, one.free, one.even, one.figures[2], one.error, *BLUNDERS[line], command)
        for line, one in counted.items()
    ]
    headers = (
        "policy",
        "games",
        "free",
        "even",
        "percent",
        "error",
        "paper_free",
        "paper_even",
        "paper_percent",
        "command",
    )
    write_csv(folder / "table.csv", headers, rows)
    told = "the strengths measured here" if strengths else "the paper's strengths"
    strengths = strengths or {line: STRENGTHS[line].score for line in SUBTRACTIVE}
    nakade = sight_table(("no_nakade", "fuego"), NAKADE_PLAYOUTS)
    text = tables(counted, strengths, told)
    write_file(
        folder / "table.md",
        f"# Blunders of policies, judged by MCTS(`{plan.base}`) with {plan.simulations} simulations\n\n"
        f"```\n{command}\n```\n\nThe judge: {plan.reading.told}.\n\n"
        f"{text}\n\n## The vital point of figure 5\n\n{NAKADE_PLAYOUTS:,} playouts each.\n\n"
        f"{nakade}\n\n"
        + time_of_lines(
            results,
            "games",
            [PAPER_GAMES] * len(SUBTRACTIVE),
            [SIMULATIONS / plan.simulations] * len(SUBTRACTIVE),
        ),
    )
    draw_correlations(counted, strengths, folder / "strength.svg")
    draw_position(folder / "nakade.svg")
    return f"{text}\n\n{nakade}"
