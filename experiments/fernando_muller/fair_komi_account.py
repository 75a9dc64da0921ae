"""What a kept run of fair komi came to, for the book: table 4 and its figures, and answers to questions beyond."""

import shlex
from pathlib import Path

import numpy as np

from miai.experiments.catalogue import Account, KeptRun, command_line, read_run
from miai.experiments.comparisons import Comparison
from miai.experiments.fernando_muller import fair_komi_figures, fair_komi_report
from miai.experiments.fernando_muller.accounts import strengths_for
from miai.experiments.fernando_muller.annotations import AnnotatedPosition, read_annotations
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, options_of_reading, read_back
from miai.experiments.fernando_muller.policy_errors import SEARCHES, ErrorsByName, ShortSearchPlan, errors_of_lines
from miai.experiments.fernando_muller.published import BASES, ERRORS, LINES, policy_of

_SAMPLE = ("experiment", "games", "seed")
"""What runs have in common that are of the same positions."""


def account_of_fair_komi(run: KeptRun) -> Account:
    """Return what annotated positions say of policies; reads them, and short searches of them, from the run's folder.

    The paper's table 4 is by MCTS(F): by another oracle nothing is compared.

    Raises:
        ValueError: if the folder has none.
    """
    positions = read_annotations(run.folder)
    asked = run.signature["asked"]
    oracle = asked.get("oracle")
    options: dict[str, tuple[object, object]] = {
        "--positions": (len(positions), 0),
        "--simulations": (asked["simulations"], SIMULATIONS),
        "--oracle": (None if oracle is None else shlex.quote(oracle), None),
        "--seed": (run.signature["seed"], 0),
    }
    base = asked.get("base", BASES[0])
    if oracle is None:
        options |= {"--base": (base, BASES[0]), **options_of_reading(read_back(asked))}
    errors = errors_of_lines(positions, base)
    strengths, whose = strengths_for(run, base, LINES)
    told = "" if oracle is None else f"The oracle is `{oracle}`; the paper's is MCTS(F).\n\n"
    figures = {
        "moves": lambda path: fair_komi_figures.plot_moves(positions, path),
        "curves": lambda path: fair_komi_figures.plot_curves(positions, run.results, path),
        "values": lambda path: fair_komi_figures.plot_values(positions, path),
        "errors": lambda path: fair_komi_figures.plot_errors(errors, strengths, path),
    }
    answers = {"phases": fair_komi_report.phase_table(positions, errors)}
    names = {policy_of(line, base): line for line in LINES}
    if (searches := _read_searches(run, positions)) is not None:
        plan, found = searches
        of_searched = {line: one.among(np.array(found.pieces)) for line, one in errors.items()}
        answers["searches"] = fair_komi_report.search_table(plan, found.results, of_searched, names)
        figures["searches"] = lambda path: fair_komi_figures.plot_searches(
            plan, found.results, of_searched, names, path
        )
    compared = _by_other_oracles(run, positions, base)
    if compared:
        answers["oracles"] = compared
    return Account(
        f"{command_line('fair-komi', options)} --from GAMES",
        f"{len(positions):,} positions",
        {"table 4": _comparisons(errors, len(positions))} if oracle is None else {},
        f"{told}{fair_komi_report.error_table(errors)}\n\n{fair_komi_report.agreement(errors, strengths)}\n\n"
        f"Strength: {whose}.",
        figures,
        answers,
    )


def _comparisons(errors: ErrorsByName, number: int) -> list[Comparison]:
    compared = []
    for line, one in errors.items():
        for column, name, factor, printed in (
            ("blunders", "blunder chance, %", 100.0, ERRORS[line].blunders),
            ("losses", "points lost", 1.0, ERRORS[line].loss),
        ):
            mean, error = (factor * value for value in one.mean_and_error(column))
            theirs = error * np.sqrt(number / fair_komi_report.PAPER_POSITIONS)
            compared.append(Comparison(f"`{line}`, {name}", printed, float(theirs), mean, error, 2, 0.005))
    return compared


def _read_searches(run: KeptRun, positions: list[AnnotatedPosition]) -> tuple[ShortSearchPlan, KeptRun] | None:
    """Return the short searches kept with a run, the one of most positions if there are several; None = none."""
    kept = [found for folder in _subfolders(run.folder / SEARCHES) if (found := read_run(folder)) is not None]
    if not kept:
        return None
    found = max(kept, key=lambda one: len(one.pieces))
    told = found.signature
    searched = tuple(positions[piece] for piece in found.pieces)
    policies, simulations = tuple(told["policies"]), tuple(told["simulations"])
    return ShortSearchPlan(searched, policies, simulations, told["positions"], read_back(told), told["seed"]), found


def _by_other_oracles(run: KeptRun, positions: list[AnnotatedPosition], base: str) -> str:
    """Return what the other oracles say whose judgements of the same games are kept beside this run."""
    parts = []
    for folder in _subfolders(run.folder.parent):
        beside = read_run(folder) if folder != run.folder else None
        if beside is None or any(beside.signature.get(key) != run.signature[key] for key in _SAMPLE):
            continue
        mine, theirs = fair_komi_report.matching(positions, read_annotations(folder))
        told = fair_komi_report.oracle_table(mine, errors_of_lines(mine, base), theirs, errors_of_lines(theirs, base))
        parts.append(f"The other oracle is `{beside.signature['asked'].get('oracle') or 'MCTS(F)'}`.\n\n{told}")
    return "\n\n".join(parts)


def _subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
