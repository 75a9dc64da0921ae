"""`miai tune`: find better numbers for a player."""

import functools
import shlex
import sys
from pathlib import Path

import click

from miai.cli.match_flags import take_match_options
from miai.cli.tuning_session import (
    Extent,
    TuningSession,
    choose_openings,
    conduct_tuning,
    refuse_by_usage,
    take_extent,
)
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
    from miai.match.match import name_folder
    from miai.tuning.engine_games import EngineConditions, EngineGames, describe_tuning
    from miai.tuning.search_space import read_space
    from miai.tuning.tables import make_tables
    from miai.tuning.tuning import TuningPlan

    with refuse_by_usage():
        tuned_player, opponent = read_contestant(player), read_contestant(against)
        options = options.with_game_of([tuned_player, opponent])
        space, own = read_space(parameters, tuned_player)
        choice = choose_openings(options, extent)
        plan = TuningPlan(
            player, space, opponent.label, options.games, extent.points, extent.test_games, own, options.seed
        )
        conditions = EngineConditions(opponent, options.settings, choice.description, options.parallel)
        match = conditions.match_of(player, options.settings, [])
        content = [describe_tuning(plan), match.named()]
        folder = options.output or Path("matches") / name_folder(["tune", player, *space.names], content)
        threads = max(contestant.threads for contestant in match.contestants.values())
        tables = make_tables(options.workers, match.num_tables, threads, folder / "tables")
    conduct_tuning(
        TuningSession(
            plan,
            choice,
            functools.partial(EngineGames, plan, conditions),
            tables,
            folder,
            shlex.join(["miai", "tune", *sys.argv[2:]]),
        )
    )
