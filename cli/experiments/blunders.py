"""`miai experiment blunders`: policies by themselves, judged by a search (Fernando & Müller 2013, table 3)."""

from pathlib import Path

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.mcts_flags import take_base, take_mcts
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.cli.option_flags import KOMI
from miai.experiments.catalogue import FERNANDO_MULLER, Experiment, is_experiment
from miai.experiments.fernando_muller.blunder_runs import PAPER_GAMES, BlunderPlan
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, MctsReading
from miai.experiments.fernando_muller.published import SUBTRACTIVE
from miai.experiments.running.pieces import load_results

experiments = (
    Experiment(
        name="blunders",
        words=("blunders",),
        paper=FERNANDO_MULLER,
        parts="table 3, figures 4 and 5",
        unit="games",
        option="--games",
        full=PAPER_GAMES,
        floor=25,
        smallest=1,
        rows=lambda games: len(SUBTRACTIVE) * games,
        account="miai.experiments.fernando_muller.accounts:account_of_blunders",
        recognizes=is_experiment("blunders"),
    ),
)


@click.command()
@click.option(
    "--policy",
    "lines",
    type=click.Choice(SUBTRACTIVE),
    multiple=True,
    metavar="P",
    help="A line of the paper's table, as no_ad; repeatable. [default: all]",
)
@click.option("--games", type=click.IntRange(1), default=PAPER_GAMES, show_default=True, help="Games per policy.")
@click.option(
    "--simulations", type=click.IntRange(1), default=SIMULATIONS, show_default=True, help="Simulations per position."
)
@take_base
@click.option(
    "--strengths",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of miai experiment policies to draw figure 4 from. [default: the paper's table 2]",
)
@take_mcts
@click.option("--komi", type=KOMI, default=6.5, show_default=True, help="Komi; by default that of gogui-twogtp.")
@take_seed("games and searches")
@take_runner
def command(
    lines: tuple[str, ...],
    games: int,
    simulations: int,
    base: str,
    strengths: Path | None,
    reading: MctsReading,
    komi: float,
    seed: int,
    runner: Runner,
) -> None:
    """Let each subtractive policy play itself without a search, and count the moves that a search calls blunders.

    Can be interrupted: the same command goes on where it stopped, and with more --games or --policy adds to what is
    there. The full size is 800 games.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    from miai.experiments.fernando_muller.blunder_report import write_report
    from miai.experiments.fernando_muller.policy_report import read_scores

    try:
        measured = None if strengths is None else {line: one.percent for line, one in read_scores(strengths).items()}
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    plan = BlunderPlan(lines or SUBTRACTIVE, base, games, simulations, komi, reading, seed)
    folder = runner.folder("-".join(["blunders", base, str(simulations), *reading.words]))
    runner.run(plan, folder, "game")
    click.echo(
        write_report(plan, load_results(plan, folder), measured, folder, command_text("miai experiment blunders"))
    )
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz, strength.svg and nakade.svg")
