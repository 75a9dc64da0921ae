"""`miai round-robin`: let several players play each other, and rate them."""

import shlex
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import click

from miai.cli.match_flags import take_match_options
from miai.cli.tournament_run import run_tournament
from miai.match.contestants import Contestant, read_contestant
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.schedule import build_schedule
from miai.match.tournament import Tournament
from miai.players.option_kinds import OptionError, unknown_name
from miai.players.options import read_value


@click.command()
@click.argument("texts", metavar="A B C …", nargs=-1, required=True)
@take_match_options("Games of each two players; even, as colours are swapped.")
@click.option("--simulations", metavar="N", help="Maximum simulations per move for all of miai's players.")
@click.option("--time", metavar="SECONDS", help="Maximum seconds per move for all of miai's players.")
@click.option("--anchor", metavar="PLAYER", help="Player rated 0; the start of its name is enough [the mean of all].")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    texts: tuple[str, ...],
    options: MatchOptions,
    simulations: str | None,
    time: str | None,
    anchor: str | None,
    as_json: bool,
) -> None:
    """Let players A, B, C … play each other, and rate them by all games together.

    A player is what it is for `miai match`: a preset of miai's (`fuego`), a config file (`mine.toml`), or any program
    that speaks GTP. Options of miai's players can follow a colon. What a file says of the game holds for all.
    --simulations and --time take the place of both limits in presets and config files, so that all have the same; an
    option after a colon overrides them.

    All pairs play the same openings, each twice, with colours swapped. The folder gets tables, counts and a plot of
    the ratings, and a folder for each pair. The same command again continues an interrupted round robin; more --games
    make it longer, more players with the same --output add theirs. Void and forfeited games are counted apart.
    """
    try:
        contestants = _read_contestants(texts, _read_budget(simulations, time))
        options = options.with_game_of(contestants)
        settings = options.settings
        place = None if anchor is None else find_anchor(anchor, [contestant.label for contestant in contestants])
        choice = OpeningChoice(options)
        matches = {
            (first, second): Match(
                {"A": contestants[first], "B": contestants[second]},
                settings,
                choice.description,
                options.parallel,
                [],
                options.workers,
            )
            for first, second in combinations(range(len(contestants)), 2)
        }
        tournament = Tournament(contestants, settings, place, matches)
        folder = options.output or Path("matches") / tournament.folder_name()
        schedule = build_schedule(options.games, choice.draw(folder))
        for match in matches.values():
            match.schedule = schedule
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    shown = shlex.join(["miai", "round-robin", *sys.argv[2:]])
    run_tournament(tournament, folder, choice, "Round robin", shown, as_json)


def _read_budget(simulations: str | None, time: str | None) -> dict[str, object]:
    """Return the limits that all share: either both, one of them perhaps None, or none."""
    given = {"simulations": simulations, "time": time}
    if simulations is None and time is None:
        return {}
    return {name: read_value(name, value) for name, value in given.items()}


def _read_contestants(texts: Sequence[str], budget: dict[str, object]) -> list[Contestant]:
    """Return the contestants in an order that does not depend on that of the command line."""
    if len(texts) < 2:
        raise OptionError("a round robin needs two players at least")
    if twice := next((text for text in texts if texts.count(text) > 1), None):
        raise OptionError(f"{twice!r} is named twice: a player plays against others only")
    return sorted((read_contestant(text, budget) for text in texts), key=lambda contestant: contestant.label)


def find_anchor(text: str, labels: Sequence[str]) -> int:
    """Return the contestant with this label, or the only one whose label begins so.

    Raises:
        OptionError: if there is none, or more than one.
    """
    found = [place for place, label in enumerate(labels) if label == text]
    found = found or [place for place, label in enumerate(labels) if label.startswith(text)]
    if not found:
        raise unknown_name(text, labels, "player")
    if len(found) > 1:
        raise OptionError(
            f"--anchor: several players begin with {text!r} ({', '.join(labels[place] for place in found)})"
        )
    return found[0]
