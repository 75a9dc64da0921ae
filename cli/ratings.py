"""`miai ratings`: results of gogui-twogtp and of matches, added up."""

import json
from pathlib import Path

import click

from miai.cli.round_robin import find_anchor
from miai.match.standings import Pairing, add_up
from miai.match.standings_report import render_standings
from miai.match.twogtp import TWOGTP_FILE
from miai.match.twogtp_reading import TwogtpError, find_incomplete, find_tables, join_results, read_twogtp
from miai.players.option_kinds import OptionError


@click.command()
@click.argument("paths", metavar="FILE…", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--anchor", metavar="PLAYER", help="Player rated 0; the start of its name is enough [the mean of all].")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(paths: tuple[Path, ...], anchor: str | None, as_json: bool) -> None:
    """Add up results of gogui-twogtp, and rate the players by all games together.

    FILE is a table of results (twogtp.dat), a match's folder, or that of a round robin or a tournament, for all its
    pairings. Players are the same where they have the same label. As in gogui-twogtp's own analysis, duplicates and
    games with errors are left out, and the referee's word counts first; a game that it does not know is one on which
    both programs agree. Two games in a row count as of one opening.
    """
    for folder in find_incomplete(paths):
        told = f"miai: {folder} has games that its {TWOGTP_FILE} lacks: the match's command again adds them"
        click.echo(told, err=True)
    try:
        files = [read_twogtp(table) for table in find_tables(paths)]
        labels, games = join_results(files)
        place = None if anchor is None else find_anchor(anchor, labels)
    except TwogtpError as error:
        raise click.ClickException(str(error)) from None
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    pairings = [Pairing(first, second, len(results), results) for (first, second), results in games.items()]
    standings = add_up(labels, {}, pairings, place)
    if as_json:
        click.echo(json.dumps(standings.to_json(), indent=1, ensure_ascii=False))
        return
    conditions = "; ".join(dict.fromkeys(file.conditions for file in files))
    click.echo(render_standings(standings, conditions))
