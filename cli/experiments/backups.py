"""`miai experiment backups`: Coulom's comparison of backup operators (2006, section 4)."""

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.cli.option_flags import PowerOfTwo
from miai.experiments.catalogue import COULOM, Experiment
from miai.experiments.coulom.backup_runs import FIRST_CHECKPOINT, BackupPlan
from miai.experiments.running.pieces import load_results
from miai.players.options import read_assignment

experiments = (
    Experiment(
        name="backups",
        words=("backups",),
        paper=COULOM,
        parts="slide Results",
        unit="positions",
        option="--positions",
        full=500,
        floor=50,
        smallest=10,
        rows=int,
        account="miai.experiments.coulom.accounts:account_of_backups",
        recognizes=lambda signature: "game_simulations" in signature,
    ),
)


@click.command()
@click.option("--positions", type=click.IntRange(2), default=500, show_default=True, help="Number of positions.")
@click.option(
    "--simulations",
    type=PowerOfTwo(FIRST_CHECKPOINT),
    default=65536,
    show_default=True,
    help="The greatest S; each position is searched twice as long.",
)
@click.option(
    "--game-simulations",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Simulations per move of the games that positions are from.",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another reading of the paper: a parameter of crazystone or mix, as crazystone.internal_at=16; repeatable.",
)
@take_seed("positions and searches")
@take_runner
def command(
    positions: int, simulations: int, game_simulations: int, assignments: tuple[str, ...], seed: int, runner: Runner
) -> None:
    """Search positions of games as Crazy Stone does, and report how far mean, max, robust max and mix are off.

    Positions are taken from games that the preset crazystone plays. Can be interrupted: the same command goes on where
    it stopped, and with more --positions adds to what is there.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    try:
        parameters = tuple(sorted(dict(map(read_assignment, assignments)).items()))
        plan = BackupPlan(positions, simulations, game_simulations, seed, parameters)
        plan.check()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    folder = runner.folder(
        "-".join(["backups", str(simulations), *(f"{name}={value:g}" for name, value in parameters)])
    )
    from miai.experiments.coulom.backup_report import write_report

    runner.run(plan, folder, "position")
    click.echo(
        write_report(plan, load_results(plan, folder)["errors"], folder, command_text("miai experiment backups"))
    )
    click.echo(f"wrote {folder}/table.md, errors.npz and errors.png")
