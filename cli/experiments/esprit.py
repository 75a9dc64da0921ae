"""`miai experiment esprit`: ESPRIT against PUCT, and waves against virtual loss, on Go (Jones 2021)."""

import dataclasses

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.cli.option_flags import KOMI, FiniteFloat
from miai.experiments.catalogue import JONES, Experiment, is_experiment
from miai.experiments.jones.esprit_matches import (
    FULL_GAMES,
    LINES,
    NUMBERS,
    SECONDS,
    TOGETHER,
    WAVE_RULES,
    EspritPlan,
)
from miai.experiments.matches.game_rows import SIZE
from miai.experiments.running.pieces import load_results

experiments = (
    Experiment(
        name="esprit",
        words=("esprit",),
        paper=JONES,
        parts="sections 2.3 and 4.3, on Go",
        unit="games",
        option="--games",
        full=FULL_GAMES,
        floor=40,
        smallest=2,
        rows=lambda games: len(LINES) * games,
        account="miai.experiments.jones.accounts:account_of_esprit",
        recognizes=is_experiment("esprit"),
        sample=("--line", "puct-1600"),
        step=2,
    ),
)


@click.command()
@click.option(
    "--line",
    "lines",
    type=click.Choice(tuple(LINES)),
    multiple=True,
    metavar="LINE",
    help=f"A match; repeatable: {', '.join(LINES)}. [default: all]",
)
@click.option(
    "--games",
    type=click.IntRange(2),
    default=FULL_GAMES,
    show_default=True,
    help="Games per line, in pairs with the colours swapped; an even number.",
)
@click.option("--net", default="miai", show_default=True, metavar="FILE", help="The network of both sides.")
@click.option(
    "--numbers",
    type=click.Choice(tuple(NUMBERS)),
    default="miai",
    show_default=True,
    help="PUCT's parameters: miai's for networks without playouts, or AlphaZero's with value 0 for unvisited moves.",
)
@click.option(
    "--rule",
    type=click.Choice(WAVE_RULES),
    default=WAVE_RULES[0],
    show_default=True,
    help="Selection rule of both sides where waves play virtual loss.",
)
@click.option(
    "--seconds",
    type=FiniteFloat(0.001, 60.0),
    default=SECONDS,
    show_default=True,
    help="Seconds per move in the lines at equal time.",
)
@click.option(
    "--simulations",
    "most_simulations",
    type=click.IntRange(1),
    help="Maximum simulations per move in every line, for a quick look. [default: as the lines say]",
)
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Komi; the network has learned with 7.")
@click.option(
    "--together",
    type=click.IntRange(1, 256),
    default=TOGETHER,
    show_default=True,
    help="Pairs of games in a piece, played at once where searches ask for one leaf; a GPU wants many.",
)
@take_seed("games and openings")
@take_runner
def command(
    lines: tuple[str, ...],
    games: int,
    net: str,
    numbers: str,
    rule: str,
    seconds: float,
    most_simulations: int | None,
    komi: float,
    together: int,
    seed: int,
    runner: Runner,
) -> None:
    """Let ESPRIT play PUCT with a network, and waves play virtual loss, from fair openings.

    Lines: puct-N at N simulations a move each; quarter-1600 with 400 against 1,600; waves-B with B leaves in a batch
    at 1,600 simulations, waves-B-time at equal time, which needs a machine that does nothing else. Can be interrupted:
    the same command goes on where it stopped, and with more --games or --line adds to what is there. The full size is
    400 games of each line.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    from miai.experiments.jones.esprit_report import write_report

    if games % 2:
        raise click.UsageError(f"--games {games} is not allowed (allowed: an even number)")
    chosen = tuple(name for name in LINES if name in (lines or LINES))
    plan = EspritPlan(chosen, games, net, numbers, rule, seconds, most_simulations, komi, seed, together)
    folder = runner.folder(f"esprit-{numbers}-{rule}")
    try:
        plan.check()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    openings = runner.draw_openings(plan, folder, games, SIZE, komi, seed)
    plan = dataclasses.replace(plan, openings=openings)
    runner.run(plan, folder, "game")
    click.echo(write_report(plan, load_results(plan, folder), folder, command_text("miai experiment esprit")))
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz and figures")
