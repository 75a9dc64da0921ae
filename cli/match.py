"""`miai match`: let two players play a match."""

import json
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from miai.cli.match_flags import take_match_options
from miai.cli.option_flags import FiniteFloat
from miai.cli.tournament import play_tournament
from miai.engine.files import discard_if_failed
from miai.match.contestants import read_contestant
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.playing import play_match
from miai.match.results import MatchFolderError
from miai.match.schedule import build_schedule
from miai.match.statistics import SequentialTest
from miai.match.table import render_table
from miai.match.tables import MatchAborted

_RISK = FiniteFloat(0.0, 0.5, min_open=True, max_open=True)


@click.command()
@click.argument("a", metavar="A|TOURNAMENT.toml")
@click.argument("b", metavar="[B]", required=False)
@take_match_options("Games to play; even, as colours are swapped.")
@click.option(
    "--sprt",
    type=(FiniteFloat(), FiniteFloat()),
    metavar="ELO0 ELO1",
    help="Stop when one of these differences is accepted.",
)
@click.option(
    "--alpha",
    type=_RISK,
    default=0.05,
    show_default=True,
    help="Type I error: probability of accepting ELO1 if ELO0 is true.",
)
@click.option(
    "--beta",
    type=_RISK,
    default=0.05,
    show_default=True,
    help="Type II error: probability of accepting ELO0 if ELO1 is true.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def command(
    context: click.Context,
    a: str,
    b: str | None,
    options: MatchOptions,
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    as_json: bool,
) -> None:
    """Let players A and B play a match and print how they compare.

    A player is a preset of miai's (`fuego`), a config file (`mine.toml`), or any program that speaks GTP
    (`"gnugo --mode gtp --level 10"`). Options of miai's players can follow a colon:
    `fuego:simulations=1000,select=uct,rave.equivalence=500`. What these or a config file say of the game – `size`,
    `komi`, `rules` – holds for both players.

    Every opening is played twice, with colours swapped. The same command again continues an interrupted match, with
    a larger --games it makes the match longer. Void and forfeited games are counted apart.

    TOURNAMENT.toml alone names more than two players, and what they play: a round robin, a gauntlet or a Swiss
    tournament.
    """
    if b is None:
        _play_tournament(context, a, options, as_json)
        return
    try:
        contestants = {"A": read_contestant(a), "B": read_contestant(b)}
        options = options.with_game_of(contestants.values())
        choice = OpeningChoice(options)
        test = SequentialTest(*sprt, alpha=alpha, beta=beta) if sprt else None
        match = Match(
            contestants, options.settings, choice.description, options.parallel, schedule=[], workers=options.workers
        )
        folder = options.output or Path("matches") / match.folder_name()
        match.schedule = build_schedule(options.games, choice.draw(folder))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        with discard_if_failed(folder, "results.jsonl"):
            summary, interrupted = play_match(match, folder, choice, test)
    except (MatchAborted, MatchFolderError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary.to_json()) if as_json else render_table(summary, match.conditions(), test))
    if interrupted:
        click.echo("interrupted: the same command continues the match", err=True)
        sys.exit(130)


def _play_tournament(context: click.Context, name: str, options: MatchOptions, as_json: bool) -> None:
    """Play a file's tournament."""
    if not name.endswith(".toml"):
        raise click.UsageError(
            f"{name!r} has no opponent (allowed: two players, or the file of a tournament, FILE.toml)"
        )
    given = [
        option
        for option in context.params
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE
        and option not in ("a", "output", "parallel", "workers", "as_json")
    ]
    if given:
        flag = given[0].replace("_", "-").replace("opening-files", "openings")
        raise click.UsageError(
            f"--{flag}: what is played stands in {name} (allowed here: --output, --parallel, --workers, --json)"
        )
    try:
        play_tournament(Path(name), options, as_json)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
