"""The papers' experiments for docs/results/papers.md: the overview, and what each kept run came to.

`docs/make_results.py` writes them. A run is kept as a folder of results/papers: its `plan.json` with `pieces.npz` or
`pieces`, as the experiment's command leaves them. Results of before that, which are in results/*.csv, take part in the
overview until such a run is kept. `miai experiment all --budget 10 --dry-run` measures what full sizes take and writes
`full-sizes.csv` into its folder; a copy beside the runs is shown in the overview.
"""

import csv
import functools
import hashlib
import math
from collections.abc import Iterator
from pathlib import Path

from result_tables import ROOT, Row, read_results

from miai.cli.experiments import EXPERIMENTS
from miai.cli.experiments.catalogue import declared_experiments
from miai.experiments.book import EXPLANATION, Entry, overview, read_entries, sections
from miai.experiments.catalogue import JONES, OURS, Account, Experiment
from miai.experiments.comparisons import Comparison
from miai.experiments.jones.tree_report import PAPER_RATES, PAPER_TREES

KEPT = ROOT / "results" / "papers"
FIGURES = ROOT / "docs" / "results" / "papers"


@functools.cache
def _experiments() -> tuple[Experiment, ...]:
    return declared_experiments(EXPERIMENTS)


def _kept() -> list[Entry]:
    """Return the kept runs; they are read anew only if one changed."""
    return _read(KEPT, tuple(digest_of_run(path) for path in sorted(KEPT.iterdir()))) if KEPT.is_dir() else []


@functools.lru_cache(maxsize=1)
def _read(folder: Path, digests: tuple[str, ...]) -> list[Entry]:
    return read_entries(_experiments(), folder)


def entries() -> list[Entry]:
    """Return all that was run: the kept runs, then what only results/*.csv has."""
    kept = _kept()
    names = {entry.experiment for entry in kept}
    return kept + [entry for entry in (*_trees(), *_tactics()) if entry.experiment not in names]


def overview_block() -> str:
    """Return the overview of all experiments, those that were not run with what they would take."""
    found = entries()
    names = {entry.experiment for entry in found}
    missing = [one for one in _experiments() if one.name not in names]
    return f"{EXPLANATION}\n{overview(found, missing, _full_hours(), _link_to)}"


def _link_to(entry: Entry) -> str:
    """Return a link from the overview to the section of a kept run, or to the other results."""
    is_kept = (KEPT / entry.name).is_dir()
    target = f"#{entry.name}" if is_kept else f"../../results/{entry.experiment.partition('-')[0]}.csv"
    return f"[{entry.name}]({target})"


def runs_block() -> str:
    """Return what each kept run came to, with its figures."""
    kept = _kept()
    if not kept:
        return "None yet."
    return sections(kept, _figures_of)


def answer_block(experiment: str, question: str) -> str:
    """Return what the kept runs of an experiment say to a question beyond the paper's."""
    kept = [entry for entry in _kept() if entry.experiment == experiment]
    found = [entry.account.answers[question] for entry in kept if question in entry.account.answers]
    return found[0] if found else "None yet."


def _figures_of(entry: Entry) -> list[str]:
    return [f"![{entry.name}: {name}](papers/{entry.name}-{name}.svg)" for name in entry.account.figures]


def draw_figures() -> list[Path]:
    """Draw the figures of kept runs that came to something else, and delete those of no run; return the former."""
    drawn, wanted = [], set()
    for entry in _kept():
        digest = digest_of(entry)
        for name, draw in entry.account.figures.items():
            path = FIGURES / f"{entry.name}-{name}.svg"
            wanted.add(path)
            if path.exists() and digest in path.read_text(encoding="utf-8"):
                continue
            FIGURES.mkdir(parents=True, exist_ok=True)
            draw(path)
            with path.open("a", encoding="utf-8") as file:
                file.write(f"<!-- drawn from {digest} -->\n")
            drawn.append(path)
    for path in set(FIGURES.glob("*.svg")) - wanted:
        path.unlink()
    return drawn


def digest_of(entry: Entry) -> str:
    """Return what names the results of a kept run and what they came to, which may depend on another run."""
    return hashlib.sha256((digest_of_run(KEPT / entry.name) + entry.account.table).encode()).hexdigest()


def digest_of_run(folder: Path) -> str:
    """Return what names the raw results of a run."""
    files = sorted(path for path in folder.rglob("*") if path.name == "plan.json" or path.suffix == ".npz")
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _full_hours() -> dict[str, float]:
    """Return the measured hours of one core that full sizes take, by experiment."""
    path = KEPT / "full-sizes.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {row["experiment"]: float(row["hours"]) for row in csv.DictReader(file)}


def _full_size(name: str) -> str:
    """Return the full size of an experiment in words."""
    (size,) = [one.full_size for one in _experiments() if one.name == name]
    return size


def _trees() -> Iterator[Entry]:
    """Yield the trees of results/trees.csv that repeat the paper, by test."""
    for test in ("A", "B", "C"):
        rows = [
            row for row in read_results("trees", test=test) if row["trees"] == "2000" or row["playouts"] == "1048576"
        ]
        found = [one for row in rows for one in _compare_trees(row)]
        command = rows[0]["command"]
        size = "2,000 trees of 65,536 playouts" + (", 100 of 1,048,576" if test == "A" else "")
        parts = {"section 4.3": found} if found else {}
        name = f"trees-{test}"
        yield Entry(name, name, JONES, Account(command, size, parts, ""), None, _full_size(name))


def _compare_trees(row: Row) -> Iterator[Comparison]:
    """Yield what the paper prints of a row: mean regret, the share of best moves."""
    trees, playouts = int(row["trees"]), int(row["playouts"])
    what = f"{row['rule']}, {playouts:,} playouts"
    of_paper = math.sqrt(trees / PAPER_TREES[row["test"]])
    if row["paper"]:
        error = float(row["error"])
        regret = float(row["regret"])
        yield Comparison(f"{what}: mean regret ×1000", float(row["paper"]), error * of_paper, regret, error, 2, 0.005)
    share = PAPER_RATES.get((row["test"], row["rule"]), {}).get(playouts)
    if share is not None and row["best_move"]:
        best = float(row["best_move"])
        error = math.sqrt(best * (100.0 - best) / trees)
        yield Comparison(f"{what}: best move, %", 100.0 * share, error * of_paper, best, error, 0, 0.5)


def _tactics() -> Iterator[Entry]:
    """Yield the tactical positions, of which nothing is printed."""
    for which in ("hard", "clear"):
        rows = read_results("tactics", set=which)
        account = Account(rows[0]["command"], f"20 positions, {len(rows)} pairs of rules", {}, "")
        yield Entry(f"tactics, {which}", "tactics", OURS, account, None)
