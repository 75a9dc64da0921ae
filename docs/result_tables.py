"""Rows of results/*.csv as Markdown tables; for docs/make_results.py and docs/make_papers.py."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from miai.match.statistics import estimate_score

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results"
Row = Mapping[str, str]
Writer = Callable[[Row], str]
Cell = str | Writer
"""A column of a file, or what to write for a row."""


def read_results(name: str, **wanted: str) -> list[Row]:
    """Return the rows of results/NAME.csv whose columns have these values."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[key] == value for key, value in wanted.items())]


def score_of(row: Row) -> str:
    """Return the first player's score in per cent with its 95 % interval.

    The interval is the one that `miai match` printed, from pairs of games; where none was kept, that of independent
    games, from wins, draws and losses. Both are `estimate_score`'s.
    """
    score, low, high = row["score"], row["low"], row["high"]
    if row["wins"]:
        results = zip((1.0, 0.5, 0.0), (int(row[name]) for name in ("wins", "draws", "losses")), strict=True)
        found = estimate_score([[result] for result, number in results for _ in range(number)])
        score = f"{100 * found.value:.1f}"
        low, high = low or f"{100 * found.low:.1f}", high or f"{100 * found.high:.1f}"
    return f"{score} % ({low}–{high})" if low else f"{score} %" if score else ""


def results_of(row: Row) -> str:
    """Return wins, draws and losses."""
    return f"{row['wins']}, {row['draws']}, {row['losses']}" if row["wins"] else ""


def number(column: str, unit: str = "") -> Writer:
    """Write the number of a column with commas between thousands and a real minus sign."""

    def write(row: Row) -> str:
        text = row[column]
        if not text:
            return ""
        whole, _, rest = text.partition(".")
        grouped = f"{int(whole):,}" if len(whole) > 3 else whole
        return (grouped + (f".{rest}" if rest else "")).replace("-", "−") + unit

    return write


def elo_of(row: Row) -> str:
    """Write an Elo difference with its 95 % interval."""
    elo, low, high = (row[name].replace("-", "−") for name in ("elo", "low", "high"))
    return f"{elo} ({low} to {high})" if low else elo


def both(first: str, second: str) -> Writer:
    """Write the numbers of two columns."""
    return lambda row: ", ".join(text for text in (number(first)(row), number(second)(row)) if text)


def with_error(row: Row) -> str:
    """Write a mean regret and its standard error."""
    return f"{row['regret']} ± {row['error']}"


def code(column: str) -> Writer:
    """Write a column as code."""
    return lambda row: f"`{row[column]}`" if row[column] else ""


def make_table(rows: Iterable[Row], columns: Mapping[str, Cell]) -> str:
    """Return a Markdown table: a line a row, a column an entry."""
    cells = [[cell(row) if callable(cell) else row[cell] for cell in columns.values()] for row in rows]
    return tabulate(cells, headers=list(columns), tablefmt="pipe", disable_numparse=True)


def make_grid(rows: Sequence[Row], index: Cell, heading: Writer, cell: Writer, first: str = "") -> str:
    """Return a Markdown table with a line for every `index` and a column for every `heading`, in order of coming."""
    names = [index(row) if callable(index) else row[index] for row in rows]
    headings = list(dict.fromkeys(heading(row) for row in rows))
    found = {(name, heading(row)): cell(row) for name, row in zip(names, rows, strict=True)}
    lines = [[name, *(found.get((name, column), "") for column in headings)] for name in dict.fromkeys(names)]
    return tabulate(lines, headers=[first, *headings], tablefmt="pipe", disable_numparse=True)


def games_of(row: Row) -> str:
    """Write the number of games, and whether the match was stopped."""
    return row["games"] + (", stopped" if row.get("note", "").startswith("stopped") else "")


MATCH: Mapping[str, Cell] = {"games": games_of, "score (95 %)": score_of}
