"""`miai experiment dominance`: Holden's search on win, draw and loss probabilities."""

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.match_lines import play_lines, take_match_lines
from miai.cli.experiments.running import Runner, take_runner
from miai.cli.option_flags import KOMI, FiniteFloat
from miai.experiments.catalogue import HOLDEN, Experiment, is_experiment
from miai.experiments.holden.dominance import (
    EVALUATORS,
    FULL_GAMES,
    LINES,
    SECONDS,
    SIMULATIONS,
    make_lines,
)
from miai.experiments.holden.dominance import KOMI as DEFAULT_KOMI
from miai.experiments.matches.match_lines import MatchLinesPlan, pick_lines

experiments = (
    Experiment(
        name="dominance",
        words=("dominance",),
        paper=HOLDEN,
        parts="opening example, footnote 4",
        unit="games",
        option="--games",
        full=FULL_GAMES,
        floor=20,
        smallest=2,
        rows=lambda games: len(LINES) * games,
        account="miai.experiments.holden.accounts:account_of_dominance",
        recognizes=is_experiment("dominance"),
        sample=("--line", "puct"),
        step=2,
    ),
)


@click.command()
@take_match_lines(LINES, "all", FULL_GAMES, "pairs")
@click.option(
    "--simulations",
    type=click.IntRange(1),
    default=SIMULATIONS,
    show_default=True,
    help="Simulations per move, of either side.",
)
@click.option(
    "--seconds",
    type=FiniteFloat(0.001),
    default=SECONDS,
    show_default=True,
    help="Seconds per move, of either side, in the lines that end in -time.",
)
@click.option(
    "--evaluator",
    type=click.Choice(EVALUATORS),
    default=EVALUATORS[0],
    show_default=True,
    help="What both sides value positions by, except in lines that say so themselves.",
)
@click.option(
    "--komi", type=KOMI, default=DEFAULT_KOMI, show_default=True, help="Komi; a whole number, so that draws happen."
)
@click.option("--memory", type=click.IntRange(16), default=128, show_default=True, help="MiB of each side's tree.")
@take_runner
def command(
    chosen: tuple[str, ...],
    games: int,
    counting: str,
    seed: int,
    simulations: int,
    seconds: float,
    evaluator: str,
    komi: float,
    memory: int,
    runner: Runner,
) -> None:
    """Let Holden's dominance search with product backup play UCT, PUCT, ESPRIT and fuego, and variants of itself.

    At equal simulations and, in the lines that end in -time, at equal time. His opening example comes with it. Can be
    interrupted: the same command goes on where it stopped, and with more --games or --line adds to what is there.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    lines = make_lines(simulations, seconds, evaluator, komi, memory)
    plan = MatchLinesPlan("dominance", lines, pick_lines(lines, chosen), games, "tromp-taylor", counting, seed)
    folder = runner.folder("-".join(["dominance", evaluator, str(simulations), f"{seconds:g}s", counting]))
    plan, results, _ = play_lines(plan, folder, runner)
    from miai.experiments.holden.dominance_report import write_report

    click.echo(write_report(plan, results, folder, command_text("miai experiment dominance")))
    click.echo(f"wrote {folder}/table.md, table.csv, games.npz, example.svg and scores.svg")
