"""`miai experiment all`: every experiment at the size that a budget of hours allows.

The cost of a game, tree or position is measured by a first piece on this machine. Every experiment gets at least its
floor, the least size that says something of the paper's numbers: matches of policies 200 games a line (a standard
error of 3.5 %), of ESPRIT 40 (8 %), blunders 25 games a policy, fair komi 30 positions, backups 50 positions, trees
200. Floors stand in the declaration of each.
"""

import contextlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import click

from miai.cli.experiments.catalogue import declared_experiments
from miai.cli.experiments.running import RunInterrupted, Runner, take_runner
from miai.cli.option_flags import FiniteFloat
from miai.engine.extras import describe_missing
from miai.engine.files import write_file
from miai.experiments.budget import Share, measure_cost, share_budget
from miai.experiments.catalogue import Experiment, KeptRun, read_run
from miai.experiments.report_tables import markdown_table, write_csv

PLAN_FILE = "all.json"
COSTS_FILE = "full-sizes.csv"


@click.command()
@click.option(
    "--budget",
    type=FiniteFloat(0.0, min_open=True),
    required=True,
    metavar="HOURS",
    help="Hours by the clock, on all processes together.",
)
@click.option("--only", "names", multiple=True, metavar="NAME", help="One experiment; repeatable. [default: all]")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, path_type=Path),
    help="SGF games for fair-komi: a file, a folder or a .tar archive; without them it is left out.",
)
@click.option(
    "--dry-run", is_flag=True, help="Do only the first pieces, by which the costs are measured; print the plan."
)
@take_runner
def command(budget: float, names: tuple[str, ...], source: Path | None, dry_run: bool, runner: Runner) -> None:
    """Run all experiments at sizes that fit a budget, and print what came beside what the papers print.

    Each gets at least its floor, the least size that says something: 200 trees, 200 games of a policy, 50 positions;
    where not all floors fit, the most expensive experiments are left out. Can be interrupted: the same command goes on
    where it stopped; with a greater --budget it adds to what is there.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    from miai.cli.experiments import EXPERIMENTS

    known = declared_experiments(EXPERIMENTS)
    chosen = _choose(known, names)
    folder = runner.folder("experiments")
    skipped = [one for one in chosen if one.needs_games and source is None]
    chosen = [one for one in chosen if one not in skipped]
    failed: dict[str, str] = {}
    try:
        costs = _measure(chosen, source, folder, runner, failed)
        shares = _plan(costs, budget, folder, runner)
        click.echo(_plan_table(shares, skipped, failed, runner.parallel))
        write_csv(
            folder / COSTS_FILE,
            ("experiment", "unit", "full", "seconds_a_unit", "hours", "command"),
            [
                (one.experiment.name, one.experiment.unit, rows)
                + (f"{3600.0 * one.full_hours / rows:.3f}", f"{one.full_hours:.1f}", one.experiment.command)
                for one in shares
                for rows in [one.experiment.rows(one.experiment.full)]
            ],
        )
        if dry_run:
            return
        for number, share in enumerate(shares, start=1):
            if share.size:
                click.echo(f"{number} of {len(shares)}: {share.experiment.name}, {_told(share)}", err=True)
                _run(share.experiment, share.size, source, folder, runner, failed)
    except (RunInterrupted, KeyboardInterrupt, click.Abort):
        raise click.ClickException(f"interrupted; the same command goes on, results so far are in {folder}") from None
    _report(known, [*chosen, *skipped], folder, failed)


def _choose(known: Sequence[Experiment], names: tuple[str, ...]) -> list[Experiment]:
    allowed = [one.name for one in known]
    for name in names:
        if name not in allowed:
            raise click.UsageError(f"--only {name} is not allowed (allowed: {', '.join(allowed)})")
    return [one for one in known if not names or one.name in names]


def _run(
    experiment: Experiment,
    size: int,
    source: Path | None,
    folder: Path,
    runner: Runner,
    failed: dict[str, str],
    is_sample: bool = False,
) -> None:
    """Run an experiment's command at a size, quietly; note why it failed, if it did."""
    from miai.cli.experiments import command as group

    target = _sample_folder(folder, experiment) if is_sample else folder / experiment.name
    sample = experiment.sample if is_sample else ()
    words = [*experiment.words, *sample, experiment.option, str(size), *runner.words, "--output", str(target)]
    if experiment.needs_games:
        words += ["--from", str(source)]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            group.main(words, prog_name="miai experiment", standalone_mode=False)
    except RunInterrupted:
        raise
    except SystemExit:
        raise RunInterrupted(f"{experiment.name} was interrupted") from None
    except (click.ClickException, ModuleNotFoundError) as error:
        reason = error.format_message() if isinstance(error, click.ClickException) else describe_missing(error)
        failed[experiment.name] = reason
        click.echo(f"{experiment.name} failed: {reason}", err=True)


def _measure(
    experiments: Sequence[Experiment], source: Path | None, folder: Path, runner: Runner, failed: dict[str, str]
) -> dict[Experiment, float]:
    """Return the seconds of a row of each experiment; what has no piece yet does its smallest size."""
    costs = {}
    for experiment in experiments:
        own, sample = folder / experiment.name, _sample_folder(folder, experiment)
        run = _read(own) or _read(sample)
        if run is None:
            click.echo(f"measuring {experiment.name}", err=True)
            _run(experiment, experiment.smallest, source, folder, runner, failed, is_sample=True)
            run = _read(sample)
        if run is not None:
            costs[experiment] = measure_cost(experiment, run) / (1.0 if run.folder == own else experiment.sample_cost)
    return costs


def _sample_folder(folder: Path, experiment: Experiment) -> Path:
    return folder / "samples" / experiment.name if experiment.sample_apart else folder / experiment.name


def _read(folder: Path) -> KeptRun | None:
    try:
        return read_run(folder)
    except ValueError as error:
        raise click.UsageError(f"{error}; choose another --output") from None


def _plan(costs: dict[Experiment, float], budget: float, folder: Path, runner: Runner) -> list[Share]:
    """Share the budget; the same budget keeps the sizes that were planned before, whatever was measured since."""
    path = folder / PLAN_FILE
    wanted = {"budget": budget, "parallel": runner.parallel, "experiments": [one.name for one in costs]}
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text())
        if {name: kept[name] for name in wanted} == wanted:
            sizes = kept["sizes"]
            return [Share(one, cost, int(sizes[one.name])) for one, cost in costs.items()]
    shares = share_budget(costs, budget * runner.parallel)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {share.experiment.name: share.size for share in shares}
    write_file(path, json.dumps({**wanted, "sizes": sizes}, indent=1) + "\n")
    return shares


def _told(share: Share) -> str:
    return f"{share.experiment.rows(share.size):,} {share.experiment.unit}"


def _plan_table(shares: Sequence[Share], skipped: Sequence[Experiment], failed: dict[str, str], processes: int) -> str:
    rows = []
    for share in shares:
        one = share.experiment
        size = _told(share) if share.size else f"left out: the floor of {one.rows(one.floor):,} does not fit"
        full = f"{one.rows(one.full):,}"
        rows.append([one.name, size, f"{share.hours / processes:.2f}", full, f"{share.full_hours:,.1f}"])
    rows += [[one.name, "left out: needs games, see --from", "", f"{one.rows(one.full):,}", ""] for one in skipped]
    rows += [[name, f"failed: {reason}", "", "", ""] for name, reason in failed.items()]
    total = sum(share.hours for share in shares) / processes
    table = markdown_table(["experiment", "size", "hours", "full size", "its hours of one core"], rows)
    return f"{table}\n\n{total:.2f} hours on {processes} processes."


def _report(known: Sequence[Experiment], wanted: Sequence[Experiment], folder: Path, failed: dict[str, str]) -> None:
    """Write and print the overview of all that the folder has, and of what was wanted and is not there."""
    from miai.experiments.book import EXPLANATION, overview, read_entries

    try:
        entries = read_entries(known, folder, lambda text: click.echo(f"left out: {text}", err=True))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    there = {entry.experiment for entry in entries}
    missing = [one for one in wanted if one.name not in there]
    table = overview(entries, missing)
    write_file(folder / "overview.md", f"# Experiments\n\n{EXPLANATION}\n{table}\n")
    click.echo(table)
    click.echo(f"wrote {folder}/overview.md, {COSTS_FILE}, and a folder for each experiment")
    if failed:
        raise click.ClickException(f"failed: {', '.join(f'{name} ({why})' for name, why in failed.items())}")
