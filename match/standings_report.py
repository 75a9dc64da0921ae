"""The standings of a round robin: Markdown tables, JSON and CSV files, and a plot."""

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path

from tabulate import tabulate

from miai.engine.files import remove_leftovers, save_figure, write_file
from miai.match.standings import Standings
from miai.match.table import SIDE_FIGURES, count_games, describe_interval, describe_test, format_elo

_LONGEST_LABEL = 40


def render_standings(standings: Standings, conditions: str) -> str:
    """Return the tables; `conditions` is a line that tells what was played."""
    parts = [
        f"{conditions}; {standings.finished} of {standings.planned} games finished",
        _rating_table(standings),
        f"Elo by Bradley–Terry from all games; 0 is {_describe_zero(standings)}. An opening's games count as one "
        "observation in the intervals.",
        *_cross_table(standings),
    ]
    if any(standing.player.effort.moves for standing in standings.contestants):
        parts.append(_figure_table(standings))
    parts += _notes(standings)
    return "\n\n".join(parts)


def write_report(
    standings: Standings, conditions: str, command: str, folder: Path, form: str = "Round robin"
) -> list[str]:
    """Write tables, figures and, where matplotlib is installed, a plot; return the names of the files.

    What a kill in an earlier writing left is removed.
    """
    remove_leftovers(folder)
    tables = render_standings(standings, conditions)
    title = f"# {form} of {len(standings.contestants)} contestants"
    write_file(folder / "ratings.md", f"{title}\n\n```\n{command}\n```\n\n{tables}\n")
    record = {"command": command, "conditions": conditions} | standings.to_json()
    write_file(folder / "ratings.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    pairings = io.StringIO()
    csv.writer(pairings).writerows(_raw_counts(standings))
    write_file(folder / "pairings.csv", pairings.getvalue())
    files = ["ratings.md", "ratings.json", "pairings.csv"]
    if any(standing.elo for standing in standings.contestants) and _plot_ratings(standings, folder / "ratings.png"):
        files.append("ratings.png")
    return files


def shorten(label: str, longest: int = _LONGEST_LABEL) -> str:
    """Return a label that fits into a table; command lines often differ at their ends only, so both ends stay."""
    return label if len(label) <= longest else f"{label[: longest // 2]}…{label[1 - (longest + 1) // 2 :]}"


def _rating_table(standings: Standings) -> str:
    rows = [["#", "contestant", "Elo", "95 % interval", "games", "wins", "draws", "losses", "score"]]
    for rank, place in enumerate(standings.ranking, start=1):
        standing = standings.contestants[place]
        tally = standing.tally
        rows.append(
            [
                str(rank),
                shorten(standing.player.label),
                format_elo(round(standing.elo.value)) if standing.elo else "–",
                describe_interval(standing.elo) if standing.elo and place != standings.anchor else "–",
                *(str(number) for number in (tally.games, tally.wins, tally.draws, tally.losses)),
                "–" if tally.score is None else f"{tally.score:.1%}",
            ]
        )
    return _markdown(rows)


def _cross_table(standings: Standings) -> tuple[str, str]:
    """Return the scores of each against each, after a line that tells what they are."""
    ranking = standings.ranking
    numbers = {summary.total.games for summary in standings.summaries.values()}

    def describe(place: int, other: int) -> str:
        tally = standings.tally(place, other)
        if tally.score is None:
            return "–"
        return f"{100 * tally.score:.1f}" + (f" ({tally.games})" if len(numbers) > 1 else "")

    rows = [["#", "contestant", *(str(rank) for rank in range(1, len(ranking) + 1))]]
    for rank, place in enumerate(ranking, start=1):
        cells = ["" if place == other else describe(place, other) for other in ranking]
        rows.append([str(rank), shorten(standings.contestants[place].player.label), *cells])
    games = "and games" if len(numbers) > 1 else f"of {numbers.pop()} games each"
    return f"Score of row against column in percent, {games}:", _markdown(rows)


def _figure_table(standings: Standings) -> str:
    """Return what else is told of the contestants, by rank."""
    ranking = standings.ranking
    rows = [["", *(str(rank) for rank in range(1, len(ranking) + 1))]]
    rows += [
        [name, *(figure(standings.contestants[place].player) for place in ranking)]
        for name, figure in SIDE_FIGURES.items()
    ]
    return _markdown(rows)


def _notes(standings: Standings) -> list[str]:
    lines = []
    forfeits = sum(summary.forfeits for summary in standings.summaries.values())
    if forfeits:
        lines.append(f"{count_games(forfeits, 'was', 'were')} forfeited and left out of scores and ratings.")
    lines += [f"{count_games(n, 'was', 'were')} void: {reason}." for reason, n in sorted(standings.voids.items())]
    identical = sum(summary.identical_games for summary in standings.summaries.values())
    if identical:
        lines.append(f"{count_games(identical, 'has', 'have')} the same moves as an earlier game of the same two.")
    for summary in standings.summaries.values():
        a, b = (shorten(side.label) for side in summary.sides.values())
        lines += [f"{a} – {b}: {line}." for line in describe_test(summary, standings.test)[:1]]
    names = [standing.player.name for standing in standings.contestants]
    for rank, place in enumerate(standings.ranking, start=1):
        player = standings.contestants[place].player
        words = [player.label] if shorten(player.label) != player.label else []
        words += [player.name] if player.name and names.count(player.name) == 1 else []
        if words:
            lines.append(f"{rank} is {', '.join(words)}.")
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _describe_zero(standings: Standings) -> str:
    if standings.anchor is None:
        return "the mean of all"
    return f"{standings.contestants[standings.anchor].player.label}, intervals are of the difference to it"


def _markdown(rows: list[list[str]]) -> str:
    """Lay out a table that reads well as text too: texts to the left, the other columns to the right."""
    headers, *cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    alignment = ["left" if name in ("", "contestant") else "right" for name in headers]
    return tabulate(cells, headers, tablefmt="pipe", colalign=alignment, disable_numparse=True)


def _raw_counts(standings: Standings) -> Iterable[list[object]]:
    yield ["a", "b", "planned", "a_wins", "draws", "b_wins", "a_forfeits", "b_forfeits", "void"]
    for summary in standings.summaries.values():
        a, b = summary.sides["A"], summary.sides["B"]
        total = summary.total
        forfeits = [sum(side.failures.values()) for side in (a, b)]
        counts = [summary.planned, total.wins, total.draws, total.losses, *forfeits, sum(summary.voids.values())]
        yield [a.label, b.label, *counts]


def _plot_ratings(standings: Standings, path: Path) -> bool:
    """Draw ratings and intervals, the strongest on top; return False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    rated = [standing for place in standings.ranking if (standing := standings.contestants[place]).elo]
    intervals = [standing.elo for standing in rated if standing.elo]
    values = [elo.value for elo in intervals]
    ends = [end for elo in intervals for end in (elo.value, elo.low, elo.high) if math.isfinite(end)]
    margin = max(20.0, 0.08 * (max(ends) - min(ends)))
    low, high = min(ends) - margin, max(ends) + margin
    errors = [[elo.value - max(elo.low, 2 * low - high) for elo in intervals]]
    errors.append([min(elo.high, 2 * high - low) - elo.value for elo in intervals])
    figure = Figure(figsize=(8, 1.5 + 0.4 * len(rated)), layout="constrained")
    axes = figure.subplots()
    axes.errorbar(values, range(len(rated)), xerr=errors, fmt="o", capsize=3)
    axes.set_yticks(range(len(rated)), [_plain(standing.player.label) for standing in rated])
    axes.set_ylim(len(rated) - 0.5, -0.5)
    axes.set_xlim(low, high)
    zero = "the mean of all" if standings.anchor is None else standings.contestants[standings.anchor].player.label
    axes.set_xlabel(f"Elo with 95 % intervals; 0 is {_plain(zero)}")
    axes.grid(axis="x", alpha=0.3)
    save_figure(figure, path, dpi=120)
    return True


def _plain(label: str) -> str:
    """Return a label for a figure, without formulas in it."""
    return shorten(label).replace("$", r"\$")
