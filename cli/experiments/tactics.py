"""`miai experiment tactics`: how many simulations search rules need to find the one move in tactical positions."""

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import Runner, take_runner
from miai.cli.option_flags import PowerOfTwo
from miai.experiments.catalogue import OURS, Experiment
from miai.experiments.running.pieces import load_results
from miai.experiments.tactics.tactic_report import write_report
from miai.experiments.tactics.tactic_runs import (
    FIRST_CHECKPOINT,
    POSITION_SETS,
    TacticPlan,
    pairs_to_run,
    positions_to_run,
)
from miai.players.options import POLICIES

_BACKUPS = tuple(word for name in ("mean", "mix", "softmax", "max", "wdl-product") for word in ("--backup", name))


def _num_searches() -> int:
    """Return how many searches a seed makes with these backups."""
    return len(pairs_to_run((), _BACKUPS[1::2])) * len(positions_to_run(("hard",)))


_NAMES = (*POSITION_SETS, *(position.name for position in positions_to_run()))


experiments = (
    Experiment(
        name="tactics",
        words=("tactics", "--position", "hard", "--simulations", "4096", *_BACKUPS),
        paper=OURS,
        parts="tactics, hard",
        unit="searches",
        option="--seeds",
        full=3,
        floor=1,
        smallest=1,
        rows=lambda seeds: seeds * _num_searches(),
        account="miai.experiments.tactics.accounts:account_of_tactics",
        recognizes=lambda signature: "pairs" in signature,
    ),
)


@click.command()
@click.option("--select", "selects", multiple=True, metavar="RULE", help="Selection rule; repeatable. [default: all]")
@click.option("--backup", "backups", multiple=True, metavar="RULE", help="Backup rule; repeatable. [default: all]")
@click.option(
    "--position",
    "names",
    type=click.Choice(_NAMES),
    multiple=True,
    metavar="NAME",
    help="Position, or a set of twenty: clear or hard; repeatable. [default: all]",
)
@click.option(
    "--policy", type=click.Choice(POLICIES), default="fuego", show_default=True, help="Policy of the playouts."
)
@click.option(
    "--simulations",
    type=PowerOfTwo(FIRST_CHECKPOINT),
    default=16384,
    show_default=True,
    help="Maximum simulations; choices are checked at powers of two.",
)
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True, help="Searches of each position.")
@take_runner
def command(
    selects: tuple[str, ...],
    backups: tuple[str, ...],
    names: tuple[str, ...],
    policy: str,
    simulations: int,
    seeds: int,
    runner: Runner,
) -> None:
    """Let every pair of a selection and a backup rule search tactical 9x9 positions; report the simulations it needs.

    Can be interrupted: the same command goes on where it stopped, and with more --seeds adds to what is there.
    """
    try:
        pairs = pairs_to_run(selects, backups)
        plan = TacticPlan(pairs, positions_to_run(names), policy, simulations, seeds)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    folder = runner.folder("tactics")
    runner.run(plan, folder, "position")
    click.echo(write_report(plan, load_results(plan, folder), folder, command_text("miai experiment tactics")))
    click.echo(f"wrote {folder}/table.md and right.npz")
