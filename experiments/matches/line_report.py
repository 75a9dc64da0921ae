"""What the games of match lines came to: scores with intervals, what was not scored, and what each side spent."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from miai.engine.wilson import wilson_interval
from miai.experiments.matches.match_lines import SIZE, MatchLinesPlan, chosen_lines
from miai.experiments.matches.match_scores import are_duplicates
from miai.experiments.plots import OURS
from miai.experiments.report_tables import compare_rates
from miai.experiments.running.pieces import Results, write_arrays
from miai.match.schedule import SIDES
from miai.match.statistics import design_effect

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Z = 1.959964
"""Of intervals of 95 %."""


class LineScore(NamedTuple):
    """What a line's games say of its first contestant."""

    games: int
    """Those that are counted."""
    wins: int
    draws: int
    losses: int
    effect: float
    """How many times the variance is that of as many independent games."""
    duplicates: int
    """Games left out since an earlier one was the same; only where all begin on the empty board."""
    void: int
    forfeits: tuple[int, int]
    """Games that either side failed in; not scored."""
    reasons: tuple[str, ...]
    """Why games were void or forfeited, each with how often."""
    simulations: tuple[float, float]
    """Of either side in a game; NaN where it did not tell."""
    seconds: tuple[float, float]
    """Of either side in a game."""

    @property
    def rate(self) -> float:
        """The score, 0 to 1; NaN without games."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 %."""
        return wilson_interval(self.rate, self.games / self.effect, _Z) if self.games else (0.0, 1.0)

    @property
    def error(self) -> float:
        """The standard error of the rate."""
        return math.sqrt(self.effect * self.rate * (1.0 - self.rate) / self.games) if self.games else float("nan")

    def show(self) -> str:
        """Return the score and its interval in per cent."""
        low, high = self.interval
        return f"{100 * self.rate:.1f} ({100 * low:.1f}–{100 * high:.1f})" if self.games else "no games"

    def compare(self, rate: float, games: float) -> tuple[float, float]:
        """Return z and the two-sided p of the score against another one of so many independent games."""
        return compare_rates(self.rate, self.games / self.effect, rate, games) if self.games else (0.0, 1.0)

    def chance_of_even(self) -> float:
        """Return the two-sided p of the score if both were of the same strength; the normal approximation."""
        return self.compare(0.5, 1e12)[1]


def scores_of_lines(plan: MatchLinesPlan, results: Results) -> dict[str, LineScore]:
    """Return the score of each line that has games, counted as the plan says."""
    return {
        line.name: _score_of(plan, {name: values[results["line"] == place] for name, values in results.items()})
        for place, line in chosen_lines(plan)
        if (results["line"] == place).any()
    }


def _score_of(plan: MatchLinesPlan, rows: Results) -> LineScore:
    is_counted = np.isfinite(rows["score"])
    duplicates = np.zeros(len(is_counted), dtype=bool)
    if plan.counting == "twogtp":
        duplicates = is_counted & are_duplicates(rows["moves"], rows["plays_black"], SIZE)
        is_counted &= ~duplicates
    scores = rows["score"][is_counted]
    effect = 1.0
    if plan.counting == "pairs":
        pairs = [
            list(score[counted])
            for score, counted in zip(rows["score"].reshape(-1, 2), is_counted.reshape(-1, 2), strict=True)
        ]
        effect = design_effect([pair for pair in pairs if pair])
    reasons = Counter(str(reason) for reason in rows["reason"] if reason)
    return LineScore(
        games=len(scores),
        wins=int((scores == 1.0).sum()),
        draws=int((scores == 0.5).sum()),
        losses=int((scores == 0.0).sum()),
        effect=effect,
        duplicates=int(duplicates.sum()),
        void=int((rows["ending"] == "void").sum()),
        forfeits=(int((rows["failed"] == SIDES[0]).sum()), int((rows["failed"] == SIDES[1]).sum())),
        reasons=tuple(f"{number} × {reason}" for reason, number in reasons.most_common()),
        simulations=(_simulations_of(rows, SIDES[0]), _simulations_of(rows, SIDES[1])),
        seconds=(float(rows[f"seconds_{SIDES[0]}"].mean()), float(rows[f"seconds_{SIDES[1]}"].mean())),
    )


def _simulations_of(rows: Results, side: str) -> float:
    """Return a side's simulations in a game: those told, for all its moves."""
    counted = rows[f"counted_{side}"].sum()
    if counted == 0:
        return float("nan")
    return float(rows[f"simulations_{side}"].sum() / counted * rows[f"moves_{side}"].mean())


def show_number(value: float) -> str:
    """Return a whole number with commas; nothing for NaN."""
    return "" if np.isnan(value) else f"{value:,.0f}"


def score_bars(scores: Sequence[LineScore]) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and the lengths of their bars of 95 %, down and up, in per cent: [scores] and [2, scores]."""
    rates = np.array([score.rate for score in scores])
    ends = np.array([score.interval for score in scores]).T
    return 100 * rates, 100 * np.maximum(np.abs(ends - rates), 0.0)


def draw_line_scores(axes: "Axes", scores: Mapping[str, LineScore]) -> None:
    """Draw a row for each line, which has games."""
    rates, bars = score_bars(list(scores.values()))
    axes.errorbar(rates, range(len(scores)), xerr=bars, fmt="o", color=OURS, capsize=2)
    axes.axvline(50, linestyle=":", color=OURS)
    axes.set_yticks(range(len(scores)), list(scores))
    axes.invert_yaxis()
    axes.set(xlabel="score % of the line's first contestant (bars: 95 %)", xlim=(0, 100))


def unscored_games(scores: Mapping[str, LineScore]) -> str:
    """Return lines on all games that were not scored, with the reasons; empty if there are none."""
    lines = []
    for name, score in scores.items():
        told = [f"{score.void} void"] if score.void else []
        told += [
            f"{number} forfeited by the {side}"
            for side, number in zip(("first", "second"), score.forfeits, strict=True)
            if number
        ]
        told += [f"{score.duplicates} the same as an earlier one"] if score.duplicates else []
        if told:
            lines.append(f"* `{name}`: {', '.join(told)}" + (f" ({'; '.join(score.reasons)})" if score.reasons else ""))
    return "Not scored:\n\n" + "\n".join(lines) + "\n\n" if lines else ""


def write_games(plan: MatchLinesPlan, results: Results, folder: Path) -> None:
    """Write all games as arrays, with the lines as `name first second komi`."""
    lines = [f"{line.name}\t{line.first}\t{line.second}\t{line.komi:g}" for line in plan.lines]
    write_arrays(folder / "games.npz", lines=lines, **results)
