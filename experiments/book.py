"""The overview of all experiments: what papers print beside what kept runs came to, made from raw results alone."""

import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from miai.experiments.catalogue import Account, Experiment, KeptRun, read_run
from miai.experiments.comparisons import Comparison, agreement_of
from miai.experiments.report_tables import markdown_table

HEADERS = ("paper", "table or figure", "run", "printed", "ours ± error", "agrees", "size", "core-hours", "command")
EXPLANATION = (
    "Agrees: ours and the printed number are within two standard errors of their difference. Of one table of many "
    "numbers the first is shown, and how many of them agree; a printed number without an error has that of as many "
    "games or trees here, where the paper tells how many.\n"
)


class Entry(NamedTuple):
    """A run in the overview: what it belongs to and what it came to."""

    name: str
    """Of its folder."""
    experiment: str
    """The experiment's name."""
    paper: str
    account: Account
    hours: float | None
    """Of one core; None = not kept."""
    full: str = ""
    """The full size, if less was run."""


def read_entries(
    experiments: Sequence[Experiment], folder: Path, report: Callable[[str], object] | None = None
) -> list[Entry]:
    """Return the runs that a folder's subfolders keep, in the order of the experiments.

    Args:
        experiments: all that there are.
        folder: of the runs.
        report: told which run holds too little for a result, and why; None = each has to hold enough.

    Raises:
        ValueError: if a kept run cannot be read, is no experiment's, or holds too little.
    """
    found: list[tuple[int, Entry]] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        run = read_run(path) if path.is_dir() else None
        if run is not None:
            place = place_of(experiments, run)
            experiment = experiments[place]
            is_partial = len(run.results["seconds"]) < experiment.rows(experiment.full)
            try:
                account = experiment.account_of(run)
            except ValueError as error:
                if report is None:
                    raise
                report(f"{path.name}: {error}")
                continue
            entry = Entry(
                path.name,
                experiment.name,
                experiment.paper,
                account,
                run.hours,
                experiment.full_size if is_partial else "",
            )
            found.append((place, entry))
    return [entry for _, entry in sorted(found, key=lambda one: one[0])]


def place_of(experiments: Sequence[Experiment], run: KeptRun) -> int:
    """Return which experiment a run belongs to.

    Raises:
        ValueError: if none.
    """
    for place, experiment in enumerate(experiments):
        if experiment.recognizes(run.signature):
            return place
    raise ValueError(f"{run.folder} holds no known experiment")


def overview(
    entries: Sequence[Entry],
    missing: Sequence[Experiment] = (),
    full_hours: Mapping[str, float] | None = None,
    shown_name: Callable[[Entry], str] = operator.attrgetter("name"),
) -> str:
    """Return the overview as a Markdown table by papers: a line a table, then what was not run.

    Args:
        entries: what was run.
        missing: what was not.
        full_hours: what the full size takes, in hours of one core by experiment, as far as it was measured.
        shown_name: returns a run's name in Markdown, as where more is told of it.
    """
    told = {name: f"{hours:,.1f} for the full size" for name, hours in (full_hours or {}).items()}
    rows = [
        row
        for entry in entries
        for row in _rows_of(entry, shown_name(entry), told.get(entry.experiment, "") if entry.full else "")
    ]
    for experiment in missing:
        size, hours = f"full size: {experiment.full_size}", told.get(experiment.name, "")
        rows.append([experiment.paper, experiment.parts, "", "", "not run", "", size, hours, f"`{experiment.command}`"])
    return markdown_table(HEADERS, sorted(rows, key=lambda row: (row[0], row[1])))


def _rows_of(entry: Entry, name: str, full_hours: str) -> list[list[str]]:
    account = entry.account
    size = f"{account.size}; full size: {entry.full}" if entry.full else account.size
    hours = ", ".join(filter(None, ["" if entry.hours is None else f"{entry.hours:,.1f}", full_hours]))
    commands = ", ".join(f"`{command}`" for command in account.command.splitlines())
    behind = [size, hours, commands]
    rows = [
        [entry.paper, part, name, *_printed(found), agreement_of(found), *behind]
        for part, found in account.parts.items()
    ]
    return rows or [[entry.paper, "", name, "", "see below", "", *behind]]


def _printed(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    first = comparisons[0]
    printed, ours = first.told
    return f"{first.what}: {printed}", ours


def sections(entries: Sequence[Entry], figures: Callable[[Entry], Sequence[str]]) -> str:
    """Return what each kept run came to: its table, figures and command.

    Args:
        entries: the runs.
        figures: the Markdown lines that show an entry's figures.
    """
    parts = []
    for entry in entries:
        account = entry.account
        hours = "" if entry.hours is None else f", {entry.hours:,.1f} hours of one core"
        size = f"{entry.paper}. {account.size}{hours}."
        told = [f"### {entry.name}", size, account.table, *figures(entry)]
        parts.append("\n\n".join([*told, f"```\n{account.command}\n```"]))
    return "\n\n".join(parts)
