"""`miai experiment crazy-stone`: Crazy Stone of 2006 against GNU Go (Coulom 2006, table 2)."""

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.match_lines import play_lines, take_match_lines
from miai.cli.experiments.running import Runner, take_runner
from miai.cli.option_flags import KOMI
from miai.experiments.catalogue import COULOM, Experiment, is_experiment
from miai.experiments.coulom.crazy_stone import DEFAULT_LINES, FULL_GAMES, GNUGO, LINE_COSTS, LINES, make_lines
from miai.experiments.coulom.crazy_stone import KOMI as DEFAULT_KOMI
from miai.experiments.matches.match_lines import MatchLinesPlan, pick_lines

experiments = (
    Experiment(
        name="crazy-stone",
        words=("crazy-stone",),
        paper=COULOM,
        parts="table 2",
        unit="games",
        option="--games",
        full=FULL_GAMES,
        floor=20,
        smallest=2,
        rows=lambda games: len(DEFAULT_LINES) * games,
        account="miai.experiments.coulom.accounts:account_of_crazy_stone",
        recognizes=is_experiment("crazy-stone"),
        sample=("--line", "2006-4"),
        line_costs=LINE_COSTS,
        work=lambda games: games * sum(LINE_COSTS[LINES.index(name)] for name in DEFAULT_LINES),
        step=2,
    ),
)


@click.command()
@take_match_lines(LINES, ", ".join(DEFAULT_LINES), FULL_GAMES, "twogtp")
@click.option(
    "--simulations",
    type=click.IntRange(1),
    help="Simulations per move where the paper has 4 minutes a game, two and four times as many where it has 8 and 16. "
    "[default: the paper's minutes]",
)
@click.option("--opponent", default=GNUGO, show_default=True, help="A program, or whatever `miai match` plays.")
@click.option("--komi", type=KOMI, default=DEFAULT_KOMI, show_default=True, help="Points White gets for moving second.")
@click.option("--memory", type=click.IntRange(16), default=512, show_default=True, help="MiB of Crazy Stone's tree.")
@take_runner
def command(
    chosen: tuple[str, ...],
    games: int,
    counting: str,
    seed: int,
    simulations: int | None,
    opponent: str,
    komi: float,
    memory: int,
    runner: Runner,
) -> None:
    """Let Crazy Stone as of 2006 play GNU Go for 4, 8 and 16 minutes a game, then with one part exchanged at a time.

    Can be interrupted: the same command goes on where it stopped, and with more --games or --line adds to what is
    there. The full size is 2,200 games, about 250 hours of one core by the clock.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    lines = make_lines(opponent, komi, simulations, memory)
    plan = MatchLinesPlan(
        "crazy-stone", lines, pick_lines(lines, chosen, DEFAULT_LINES), games, "tromp-taylor", counting, seed
    )
    folder = runner.folder("-".join(["crazy-stone", "minutes" if simulations is None else str(simulations), counting]))
    plan, results, programs = play_lines(plan, folder, runner)
    from miai.experiments.coulom.crazy_stone_report import write_report

    click.echo(write_report(plan, results, folder, command_text("miai experiment crazy-stone"), programs))
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz and scores.svg")
