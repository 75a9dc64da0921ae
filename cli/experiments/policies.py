"""`miai experiment policies`: searches with variants of the playout policy (Fernando & Müller 2013, table 2)."""

import dataclasses

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.mcts_flags import take_base, take_mcts
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.cli.option_flags import KOMI
from miai.experiments.catalogue import FERNANDO_MULLER, Experiment, is_experiment
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, MctsReading
from miai.experiments.fernando_muller.policy_matches import PAPER_GAMES, PolicyMatchPlan, games_of
from miai.experiments.fernando_muller.published import LINES
from miai.experiments.matches.game_rows import COUNTINGS, SIZE
from miai.experiments.running.pieces import load_results

experiments = (
    Experiment(
        name="policies",
        words=("policies",),
        paper=FERNANDO_MULLER,
        parts="table 2",
        unit="games",
        option="--games",
        full=PAPER_GAMES,
        floor=200,
        smallest=2,
        rows=lambda games: sum(games_of(line, games) for line in LINES),
        account="miai.experiments.fernando_muller.accounts:account_of_policies",
        recognizes=is_experiment("policies"),
        step=2,
    ),
)


@click.command()
@click.option(
    "--policy",
    "lines",
    type=click.Choice(LINES),
    multiple=True,
    metavar="P",
    help="A line of the paper's table, as no_ad; repeatable. [default: all]",
)
@click.option(
    "--games",
    type=click.IntRange(2),
    default=PAPER_GAMES,
    show_default=True,
    help="Games per line; an even number. Of the additive policies no more than 500, or a quarter, as in the paper.",
)
@click.option(
    "--simulations", type=click.IntRange(1), default=SIMULATIONS, show_default=True, help="Simulations per move."
)
@take_base
@click.option(
    "--counting",
    type=click.Choice(COUNTINGS),
    default=COUNTINGS[0],
    show_default=True,
    help="Independent games from the empty board, or pairs of games from fair openings.",
)
@take_mcts
@click.option("--komi", type=KOMI, default=6.5, show_default=True, help="Komi; by default that of gogui-twogtp.")
@take_seed("games and openings")
@take_runner
def command(
    lines: tuple[str, ...],
    games: int,
    simulations: int,
    base: str,
    counting: str,
    reading: MctsReading,
    komi: float,
    seed: int,
    runner: Runner,
) -> None:
    """Let MCTS(P) play MCTS(F) for every policy P of the paper, and MCTS(R) for the additive ones.

    Can be interrupted: the same command goes on where it stopped, and with more --games or --policy adds to what is
    there. The full size is 19,500 games.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    if games % 2:
        raise click.UsageError(f"--games {games} is not allowed (allowed: an even number)")
    plan = PolicyMatchPlan(lines or LINES, base, games, simulations, komi, counting, reading, seed)
    folder = runner.folder("-".join(["policies", base, str(simulations), counting, *reading.words]))
    if counting == "pairs":
        plan = dataclasses.replace(plan, openings=runner.draw_openings(plan, folder, games, SIZE, komi, seed))
    from miai.experiments.fernando_muller.policy_report import write_report

    runner.run(plan, folder, "game")
    click.echo(write_report(plan, load_results(plan, folder), folder, command_text("miai experiment policies")))
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz and strengths.svg")
