"""`miai tune`: find better numbers for a player."""

import shlex
import sys

import click

from miai.cli.match_flags import take_match_options
from miai.cli.tuning_session import Extent, Tuned, conduct_tuning, take_extent
from miai.experiments.li_lim.published import TUNING_GAMES
from miai.match.contestants import read_contestant
from miai.match.match_options import MatchOptions


@click.command()
@click.argument("player", metavar="PLAYER")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    required=True,
    metavar="NAME=LOW:HIGH[:log]",
    help="A number to tune and its range: an option, as batch=4:32, or a search parameter, as puct.c0=0.3:2; with :log "
    "equal factors count as equally far. Repeatable.",
)
@click.option("--against", metavar="PLAYER", required=True, help="Opponent: a player as for `miai match`.")
@take_match_options("Games at a point; even, as colours are swapped.", TUNING_GAMES)
@take_extent
def command(player: str, parameters: tuple[str, ...], against: str, options: MatchOptions, extent: Extent) -> None:
    """Find the values of PLAYER's parameters that score best against another player.

    Players are what they are for `miai match`; PLAYER is one of miai's. The first point is PLAYER as it is, if its
    values lie in the ranges. Some points are spread evenly, all others are where a Gaussian process, fitted to the
    games so far, expects the greatest improvement. In the end games with new openings test the optimum.

    All points play the same openings, each twice, with colours swapped. The same command continues an interrupted
    tuning; more --points or --test-games add to what is there. The folder gets table.md, points.csv, scores.svg and
    all games.
    """
    import miai.tuning.model  # noqa: F401  (before anything is played)
    from miai.tuning.search_space import read_space

    try:
        tuned_player, opponent = read_contestant(player), read_contestant(against)
        options = options.with_game_of([tuned_player, opponent])
        space, own = read_space(parameters, tuned_player)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    shown = shlex.join(["miai", "tune", *sys.argv[2:]])
    conduct_tuning(Tuned(player, space, own, opponent), options, extent, options.output, shown)
