"""`miai bench`: speed, one line per figure. What a bench needs is imported when it runs."""

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from miai.benchmarks.compare import BENCHES, START, CompareError, compare_versions
from miai.benchmarks.figures import format_value, print_figures
from miai.cli.option_flags import FiniteFloat

_take_json: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of lines."
)


def _take_seconds(default: float) -> Callable[[Any], Any]:
    return click.option(
        "--seconds", type=FiniteFloat(0.05), default=default, show_default=True, help="Time for each case."
    )


@click.group()
def command() -> None:
    """Measure speed on this machine: one line per figure, or --json."""


@command.command("playouts", short_help="Playouts per second by policy and board size.")
@click.option("--all-policies", is_flag=True, help="Every named policy on 9x9, after the standard cases.")
@_take_seconds(3.0)
@_take_json
def bench_playouts(all_policies: bool, seconds: float, as_json: bool) -> None:
    """Measure playouts per second on one core, each the fastest of six rounds."""
    from miai.benchmarks.playouts import EVERY_POLICY, STANDARD, run

    print_figures(run(EVERY_POLICY if all_policies else STANDARD, seconds), as_json)


@command.command("search", short_help="Simulations per second of whole searches.")
@click.option(
    "--simulations", type=click.IntRange(min=1000), default=10_000, show_default=True, help="Simulations per thread."
)
@click.option("--only", default="", metavar="TEXT", help="Only figures with this in their name, such as trees-A.")
@_take_json
def bench_search(simulations: int, only: str, as_json: bool) -> None:
    """Measure whole searches with every rule, each the fastest of five."""
    from miai.benchmarks.search import run

    figures = run(simulations, only=only)
    if (first := next(figures, None)) is None:
        raise click.UsageError(f"--only {only}: no figure has {only!r} in its name")
    print_figures(itertools.chain([first], figures), as_json)


@command.command("env", short_help="Steps per second of the game as an environment.")
@_take_seconds(3.0)
@_take_json
def bench_environment(seconds: float, as_json: bool) -> None:
    """Measure uniform random legal play in the environments on one core, each the fastest of six rounds.

    Other projects' Go environments are measured beside and compared if they are installed: open_spiel, pgx,
    pettingzoo[classic].
    """
    from miai.benchmarks.environment import run

    print_figures(run(seconds), as_json)


@command.command("outcome", short_help="Static estimates of win, draw and loss per second.")
@_take_json
def bench_outcome(as_json: bool) -> None:
    """Measure static estimates of win, draw and loss on one core, each the fastest of six rounds."""
    from miai.benchmarks.outcome import run

    print_figures(run(), as_json)


@command.command("net", short_help="Evaluations per second of the networks by backend and batch.")
@_take_seconds(2.0)
@click.option("--backend", metavar="NAME", help="What runs the networks [all that are installed].")
@_take_json
def bench_net(seconds: float, backend: str | None, as_json: bool) -> None:
    """Measure how many positions the networks evaluate in a second of CPU time, each the fastest of six rounds."""
    from miai.benchmarks.net import run
    from miai.nets.inference.backend import BackendError

    try:
        print_figures(run(seconds, only=backend), as_json)
    except BackendError as error:
        raise click.ClickException(str(error)) from None


@command.command("katago", short_help="One of KataGo's networks here and in KataGo itself.")
@click.argument("network", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--threads", type=click.IntRange(1, 256), default=2, show_default=True, help="Threads of each.")
@click.option("--katago", metavar="COMMAND", help="KataGo, as 'katago -config gtp.cfg', measured in the same run.")
@click.option(
    "--games",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Recorded games on whose positions backends are compared with 32 bits.",
)
@_take_seconds(6.0)
@_take_json
def bench_katago(
    network: Path, threads: int, katago: str | None, games: Path | None, seconds: float, as_json: bool
) -> None:
    """Measure how many positions a second NETWORK evaluates on 9x9, and in KataGo, by its own `benchmark`.

    The first figure is how fast one core writes its inputs.
    """
    from miai.benchmarks.katago import PeerError, run
    from miai.nets.inference.backend import BackendError
    from miai.nets.net_files import WeightsError
    from miai.selfplay.data.format import DataError

    try:
        print_figures(run(network, threads, shlex.split(katago or ""), games, seconds), as_json)
    except (BackendError, DataError, PeerError, WeightsError) as error:
        raise click.ClickException(str(error)) from None


@command.command("web", short_help="What a page that watches costs a search.")
@_take_seconds(5.0)
@_take_json
def bench_web(seconds: float, as_json: bool) -> None:
    """Measure an analysis of the empty board with one thread, alone and sent to a page, in turns."""
    from miai.benchmarks.web import run

    print_figures(run(seconds), as_json)


@command.command("compare", short_help="Two installed versions of miai, in turns.")
@click.argument("before")
@click.argument("after")
@click.option(
    "--bench",
    "benches",
    type=click.Choice((START, *BENCHES)),
    multiple=True,
    help="Only this bench.  [default: all]",
)
@click.option("--rounds", type=click.IntRange(min=1), default=6, show_default=True, help="Rounds of each version.")
def bench_compare(before: str, after: str, benches: tuple[str, ...], rounds: int) -> None:
    """Compare the speed of two installed versions, given as commands such as 'old/bin/miai' and 'new/bin/miai'.

    They take turns, each figure is the best of all rounds. "speed" is that of AFTER as a multiple of BEFORE's; "noise"
    is by how much the odd and the even rounds of one version differ.
    """
    from tabulate import tabulate

    from miai.engine.progress import progress_bar

    compared = compare_versions(shlex.split(before), shlex.split(after), benches or (START, *BENCHES), rounds)
    try:
        *_, found = progress_bar(compared, total=rounds, unit="round")
    except CompareError as error:
        raise click.ClickException(str(error)) from None
    rows = [
        (name, format_value(old), format_value(new), unit, f"{speed:.3f}", f"{noise:.1%}")
        for name, old, new, unit, speed, noise in found
    ]
    headers = ("figure", "before", "after", "unit", "speed", "noise")
    click.echo(tabulate(rows, headers, tablefmt="github", disable_numparse=True))
