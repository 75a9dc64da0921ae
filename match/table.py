"""The result of a match as a table for people."""

import math
from collections.abc import Callable

from tabulate import tabulate

from miai.match.schedule import SIDES
from miai.match.statistics import Interval, SequentialTest
from miai.match.summary import MatchSummary, SideSummary, Tally

SIDE_FIGURES: dict[str, Callable[[SideSummary], str]] = {
    "seconds per move": lambda side: _number(side.seconds_per_move, ".3f"),
    "longest move, seconds": lambda side: _number(side.effort.longest, ".2f"),
    "simulations per move": lambda side: _number(side.simulations_per_move, ",.0f"),
    "crashes": lambda side: str(side.failures["crash"]),
    "timeouts": lambda side: str(side.failures["timeout"]),
    "illegal moves": lambda side: str(side.failures["illegal"]),
    "refusals": lambda side: str(side.failures["error"]),
    "disputed winners": lambda side: str(side.winner_disputes),
    "disputed scores": lambda side: str(side.score_disputes),
}
"""What is told of a player beside its results, with the text of each figure."""

_CLOCK_FIGURES: dict[str, Callable[[SideSummary], str]] = {
    "time used of the clock": lambda side: _number(side.clock_share, ".1%"),
    "least time left, seconds": lambda side: _number(side.effort.least_left, ".2f"),
}
"""What is told besides where there was a clock."""


def render_table(summary: MatchSummary, conditions: str, test: SequentialTest | None = None) -> str:
    """Return the table; `conditions` is a line that tells what was played."""
    lines = [f"{side}: {_describe(summary.sides[side])}" for side in SIDES]
    lines += [conditions, "", *_result_lines(summary), "", *_side_lines(summary), ""]
    if summary.moves_per_game is not None:
        lines.append(f"mean game length {summary.moves_per_game:.1f} moves")
    for reason, number in sorted(summary.voids.items()):
        lines.append(f"{count_games(number, 'was', 'were')} void: {reason}")
    if summary.identical_games:
        lines.append(f"{count_games(summary.identical_games, 'has', 'have')} the same moves as an earlier game")
    if summary.score_with_forfeits:
        lines.append(
            f"{count_games(summary.forfeits, 'was', 'were')} forfeited and "
            f"{'does' if summary.forfeits == 1 else 'do'} not count above; "
            f"with forfeits as losses A's score is {_percent(summary.score_with_forfeits)}"
        )
    lines += describe_test(summary, test)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def render_progress(summary: MatchSummary) -> str:
    """Return the running score in a few characters."""
    total = summary.total
    text = f"A {total.wins}–{total.draws}–{total.losses} B"
    if summary.score:
        text += f" {summary.score.value:.1%}"
    apart = summary.forfeits + sum(summary.voids.values())
    if apart:
        text += f", {apart} apart"
    if summary.verdict:
        text += f", LLR {summary.verdict.llr:+.2f}"
    return text


def _describe(side: SideSummary) -> str:
    return f"{side.label} ({side.name})" if side.name and side.name != side.label else side.label


def _result_lines(summary: MatchSummary) -> list[str]:
    rows = [["", "games", "wins", "draws", "losses", "score"]]
    for name, tally in (
        ("A", summary.total),
        ("A as Black", summary.by_color["black"]),
        ("A as White", summary.by_color["white"]),
        ("Black", summary.black),
    ):
        rows.append([name, *_tally_cells(tally)])
    lines = _align(rows)
    if summary.score and summary.elo:
        lines += [
            "",
            f"A's score       {_percent(summary.score)}, from {summary.complete_pairs} complete pairs",
            f"Elo difference  {describe_elo(summary.elo)}",
        ]
    lines.append(f"games finished  {summary.finished} of {summary.planned}")
    return lines


def _tally_cells(tally: Tally) -> list[str]:
    score = "–" if tally.score is None else f"{tally.score:.1%}"
    return [str(tally.games), str(tally.wins), str(tally.draws), str(tally.losses), score]


def _side_lines(summary: MatchSummary) -> list[str]:
    has_clock = any(side.effort.timed_games for side in summary.sides.values())
    figures = SIDE_FIGURES | _CLOCK_FIGURES if has_clock else SIDE_FIGURES
    rows = [["", *SIDES]]
    rows += [[name, *(cell(summary.sides[side]) for side in SIDES)] for name, cell in figures.items()]
    return _align(rows)


def describe_test(summary: MatchSummary, test: SequentialTest | None) -> list[str]:
    """Return lines on where a sequential test stands; none without one."""
    verdict = summary.verdict
    if test is None or verdict is None:
        return []
    words = f"sequential test of {test.elo0:g} against {test.elo1:g} Elo (alpha {test.alpha:g}, beta {test.beta:g}): "
    state = f"LLR {verdict.llr:+.2f} in {verdict.lower:+.2f} to {verdict.upper:+.2f} after {verdict.num_pairs} pairs"
    if verdict.accepted is None:
        return [f"{words}undecided, {state}"]
    elo = test.elo0 if verdict.accepted == "elo0" else test.elo1
    return [
        f"{words}accepted {elo:g} Elo, {state}",
        "the match stopped because the test decided: the score above is biased towards the decision",
    ]


def _align(rows: list[list[str]]) -> list[str]:
    """Lay out cells in columns: the first to the left, the others to the right."""
    alignment = ["left", *["right"] * (len(rows[0]) - 1)]
    return tabulate(rows, tablefmt="plain", colalign=alignment, disable_numparse=True).splitlines()


def count_games(number: int, singular: str, plural: str) -> str:
    """Return `1 game SINGULAR` or `N games PLURAL`."""
    return f"{number} game {singular}" if number == 1 else f"{number} games {plural}"


def _percent(interval: Interval) -> str:
    return f"{interval.value:.1%} (95% interval {interval.low:.1%} to {interval.high:.1%})"


def format_elo(value: float) -> str:
    """Return a finite Elo difference with its sign."""
    return f"{value:+.0f}"


def describe_interval(elo: Interval) -> str:
    """Return where an Elo difference lies, in words where the games bound it on one side only."""
    if math.isfinite(elo.low) and math.isfinite(elo.high):
        return f"{format_elo(elo.low)} to {format_elo(elo.high)}"
    if math.isfinite(elo.low):
        return f"at least {format_elo(elo.low)}"
    return f"at most {format_elo(elo.high)}" if math.isfinite(elo.high) else "unbounded"


def describe_elo(elo: Interval) -> str:
    """Return an Elo difference with its interval: `+12 (95% interval -30 to +54)`, or its bound if it has no value."""
    if math.isfinite(elo.value):
        return f"{format_elo(elo.value)} (95% interval {describe_interval(elo)})"
    return f"{describe_interval(elo)} (95% interval)"


def _number(value: float | None, how: str) -> str:
    return "–" if value is None else format(value, how)
