"""`miai experiment backups-go`: backup rules in Go with a network (Li & Lim, tables 1 to 5, figures 1 to 3)."""

import dataclasses

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.cli.option_flags import KOMI, FiniteFloat
from miai.experiments.catalogue import LI_LIM, Experiment, is_experiment
from miai.experiments.li_lim.backup_matches import PAIRS_TOGETHER, RESIGN_BELOW, BackupMatchPlan
from miai.experiments.li_lim.published import ERWA_FORMS, LINES, PAPER_GAMES, RANGES, SIMULATIONS
from miai.experiments.matches.game_rows import COUNTINGS
from miai.experiments.running.pieces import load_results
from miai.nets.config import BACKENDS
from miai.players.options import read_assignment, read_value

_SAMPLE_SIMULATIONS = 500

experiments = (
    Experiment(
        name="backups-go",
        words=("backups-go",),
        paper=LI_LIM,
        parts="tables 1 to 5",
        unit="games",
        option="--games",
        full=PAPER_GAMES,
        floor=40,
        smallest=4 * PAIRS_TOGETHER,
        rows=lambda games: len(LINES[9]) * games,
        account="miai.experiments.li_lim.accounts:account_of_backups_go",
        recognizes=is_experiment("backups-go"),
        sample=("--line", "softmax-1:standard", "--simulations", str(_SAMPLE_SIMULATIONS)),
        sample_apart=True,
        sample_cost=_SAMPLE_SIMULATIONS / SIMULATIONS[9],
        step=2,
    ),
)


@click.command()
@click.option(
    "--line",
    "lines",
    multiple=True,
    metavar="SIDE:OPPONENT",
    help="A line of the paper's tables, as softmax-1:standard; repeatable. [default: all of the board]",
)
@click.option(
    "--games", type=click.IntRange(2), default=PAPER_GAMES, show_default=True, help="Games per line; an even number."
)
@click.option("--simulations", type=click.IntRange(2), help="Simulations per move. [default: 5000, on 19x19 1600]")
@click.option(
    "--net",
    default="li-lim",
    show_default=True,
    metavar="NAME|FILE",
    help="Network of both sides: li-lim, miai or a file.",
)
@click.option("--size", type=click.Choice(("9", "19")), default="9", show_default=True, help="Size of the board.")
@click.option(
    "--visits", type=click.IntRange(1), help="Visits over which weights grow as published (N). [default: --simulations]"
)
@click.option(
    "--values",
    type=click.Choice(RANGES),
    default=RANGES[0],
    show_default=True,
    help="Values beside which C = 0.5 stands, and which softmax's weights multiply: 0 to 1, or -1 to 1.",
)
@click.option(
    "--erwa",
    type=click.Choice(ERWA_FORMS),
    default=ERWA_FORMS[0],
    show_default=True,
    help="ERWA with weights divided by their sum (proposition 3.2), or equation 3 as printed.",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE",
    help="Search parameter of both sides, as puct.fpu=3; repeatable. `miai rules` lists them.",
)
@click.option(
    "--counting",
    type=click.Choice(COUNTINGS),
    default=COUNTINGS[1],
    show_default=True,
    help="Games from the empty board with sampled first moves, or pairs of games from fair openings.",
)
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Komi; the paper names none.")
@click.option(
    "--resign-below",
    type=FiniteFloat(0.0, 0.5),
    default=RESIGN_BELOW,
    show_default=True,
    help="Expected result, 0 to 1, below which both sides must see one of them for a game to end; 0 = play all out.",
)
@click.option(
    "--net-backend", type=click.Choice(BACKENDS), help="What runs the network. [default: the fastest available]"
)
@click.option(
    "--together",
    type=click.IntRange(1, 256),
    default=PAIRS_TOGETHER,
    show_default=True,
    help="Pairs of games that a process plays at a time; a piece, too.",
)
@take_seed("games and openings")
@take_runner
def command(
    lines: tuple[str, ...],
    games: int,
    simulations: int | None,
    net: str,
    size: str,
    visits: int | None,
    values: str,
    erwa: str,
    assignments: tuple[str, ...],
    counting: str,
    komi: float,
    resign_below: float,
    net_backend: str | None,
    together: int,
    seed: int,
    runner: Runner,
) -> None:
    """Let searches that differ in the backup rule alone play the matches of the paper's tables.

    Can be interrupted: the same command goes on where it stopped, and with more --games or --line adds to what is
    there. The full size is 28,000 games on 9x9 and 12,000 on 19x19.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    board = int(size)
    if games % 2:
        raise click.UsageError(f"--games {games} is not allowed (allowed: an even number)")
    for line in lines:
        if line not in LINES[board]:
            raise click.UsageError(
                f"--line {line!r} is not allowed on {size}x{size} (allowed: {', '.join(LINES[board])})"
            )
    simulations = simulations or SIMULATIONS[board]
    try:
        plan = BackupMatchPlan(
            size=board,
            lines=lines or LINES[board],
            net=read_value("net", net),
            backend=net_backend,
            games=games,
            simulations=simulations,
            visits=visits or simulations,
            values=values,
            erwa=erwa,
            parameters=tuple(sorted(dict(map(read_assignment, assignments)).items())),
            komi=komi,
            resign_below=resign_below,
            counting=counting,
            together=together,
            seed=seed,
        )
        plan.check()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    folder = runner.folder("-".join(["backups-go", plan.label, size, str(simulations), counting]))
    if counting == "pairs":
        plan = dataclasses.replace(plan, openings=runner.draw_openings(plan, folder, games, board, komi, seed))
    from miai.experiments.li_lim.backup_match_report import write_report

    runner.run(plan, folder, "game")
    click.echo(write_report(plan, load_results(plan, folder), folder, command_text("miai experiment backups-go")))
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz, profiles.npz, scores.svg and profiles.svg")
