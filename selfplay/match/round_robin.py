"""`miai round-robin`: let several players play each other, and rate them."""

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import click
from tqdm import tqdm

from gtp.client import Client
from gtp.option_values import OptionError, unknown_name
from gtp.options import read_value
from selfplay.match.contestants import Contestant, read_contestant
from selfplay.match.engines import Engine
from selfplay.match.match import Match, name_folder
from selfplay.match.opening_choice import OpeningChoice
from selfplay.match.options import MatchOptions, take_match_options
from selfplay.match.referee import GameSettings, PlayedGame
from selfplay.match.results import MatchFolder, MatchFolderError
from selfplay.match.runner import MatchAborted, check_engine, interrupt_safely
from selfplay.match.schedule import build_schedule
from selfplay.match.standings import Pairing, Standings, add_up
from selfplay.match.standings_report import render_standings, shorten, write_report


@dataclass
class RoundRobin:
    """All pairings of the contestants, and what is known of them."""

    contestants: list[Contestant]
    settings: GameSettings
    anchor: int | None
    """Whose rating is to be zero; None for the mean."""
    matches: dict[tuple[int, int], Match]
    """By the places of their sides in `contestants`."""
    folders: dict[tuple[int, int], MatchFolder] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The engines' own names and versions, by the contestants' labels."""

    @property
    def labels(self) -> list[str]:
        """The contestants as the user named them."""
        return [contestant.label for contestant in self.contestants]

    @property
    def conditions(self) -> str:
        """A line that tells what is played."""
        return next(iter(self.matches.values())).conditions()

    def folder_name(self) -> str:
        """Return a name with a digest of everything that decides the results."""
        return name_folder(["round-robin"], [match.describe() for match in self.matches.values()])

    def add_up(self) -> Standings:
        """Return the standings."""
        pairings = [
            Pairing(*places, len(match.schedule), match.scheduled(self.folders[places].results))
            for places, match in self.matches.items()
        ]
        return add_up(self.labels, self.names, pairings, self.anchor)


@click.command(short_help="Let several players play each other, and rate them.")
@click.argument("texts", metavar="A B C …", nargs=-1, required=True)
@take_match_options("Games of each two players; even, as colours are swapped.")
@click.option("--simulations", metavar="NUMBER", help="Most simulations a move, for all of miai's players.")
@click.option("--time", metavar="SECONDS", help="Most seconds a move, for all of miai's players.")
@click.option("--anchor", metavar="PLAYER", help="Whose rating is 0; how it begins will do [the mean of all].")
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
    that speaks GTP. Options of miai's players can follow a colon. --simulations and --time take the place of both
    limits in presets and config files, so that all have the same; an option after a colon overrides them.

    All pairs play the same openings, each twice, with colours swapped. The folder gets tables, counts and a plot of
    the ratings, and a folder for each pair. The same command again continues an interrupted round robin; more --games
    make it longer, more players with the same --output add theirs. Void and forfeited games are counted apart.
    """
    try:
        settings = options.settings
        contestants = _read_contestants(texts, _read_budget(simulations, time))
        place = None if anchor is None else _find_anchor(anchor, [contestant.label for contestant in contestants])
        choice = OpeningChoice(options)
        matches = {
            (first, second): Match(
                {"A": contestants[first], "B": contestants[second]}, settings, choice.description, options.parallel, []
            )
            for first, second in combinations(range(len(contestants)), 2)
        }
        tournament = RoundRobin(contestants, settings, place, matches)
        folder = options.output or Path("matches") / tournament.folder_name()
        schedule = build_schedule(options.games, choice.draw(folder))
        for match in matches.values():
            match.schedule = schedule
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with contextlib.ExitStack() as stack:
        try:
            for places, match in matches.items():
                labels = list(match.labels.values())
                path = folder / name_folder(labels, labels)
                tournament.folders[places] = stack.enter_context(MatchFolder(path, match.describe()))
            choice.save(folder)
            given_up, interrupted = _play(tournament, folder)
        except (MatchAborted, MatchFolderError) as error:
            raise click.ClickException(str(error)) from None
        standings = tournament.add_up()
        files = _report(tournament, standings, folder)
    click.echo(json.dumps(standings.to_json()) if as_json else render_standings(standings, tournament.conditions))
    click.echo(f"wrote {', '.join(files)} to {folder}", err=True)
    for reason in given_up:
        click.echo(f"Error: {reason}", err=True)
    if interrupted:
        click.echo("interrupted: the same command continues the round robin", err=True)
        sys.exit(130)
    if given_up:
        sys.exit(1)


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


def _find_anchor(text: str, labels: Sequence[str]) -> int:
    """Return the contestant with this label, or the only one whose label begins so."""
    found = [place for place, label in enumerate(labels) if label == text]
    found = found or [place for place, label in enumerate(labels) if label.startswith(text)]
    if not found:
        raise unknown_name(text, labels, "player")
    if len(found) > 1:
        raise OptionError(
            f"--anchor: several players begin with {text!r} ({', '.join(labels[place] for place in found)})"
        )
    return found[0]


def _play(tournament: RoundRobin, path: Path) -> tuple[list[str], bool]:
    """Play what is left; return why pairings were given up, and whether all was interrupted."""
    total = sum(len(match.schedule) for match in tournament.matches.values())
    remaining = {
        places: games
        for places, match in tournament.matches.items()
        if (games := match.remaining(tournament.folders[places].results))
    }
    num_finished = total - sum(map(len, remaining.values()))
    given_up: list[str] = []
    if not remaining:
        return given_up, False
    click.echo(f"results go to {path}" + (f", which holds {num_finished} games" if num_finished else ""), err=True)
    try:
        with interrupt_safely():
            _check_engines(tournament, list(remaining))
            with tqdm(total=total, initial=num_finished, unit="game") as bar:
                for places in remaining:
                    try:
                        _play_pairing(tournament, places, bar)
                    except MatchAborted as error:
                        first, second = tournament.matches[places].labels.values()
                        given_up.append(f"the games of {first} (A) and {second} (B) were given up: {error}")
                    _report(tournament, tournament.add_up(), path)
    except KeyboardInterrupt:
        return given_up, True
    return given_up, False


def _check_engines(tournament: RoundRobin, pairings: Sequence[tuple[int, int]]) -> None:
    """Start every contestant once, so that one that cannot play is told before any game."""
    starters: dict[str, Callable[[], Client]] = {}
    for places in pairings:
        match = tournament.matches[places]
        for side, start in match.prepare(tournament.folders[places].path).items():
            starters[match.labels[side]] = start
    with tqdm(starters.items(), desc="starting players", unit="player", delay=3.0, leave=False) as bar:
        for label, start in bar:
            engine = Engine(label, start)
            try:
                tournament.names[label] = check_engine(engine, tournament.settings)
            finally:
                engine.close()


def _play_pairing(tournament: RoundRobin, places: tuple[int, int], bar: tqdm) -> None:
    """Play what is left of one pairing.

    Raises:
        MatchAborted: if an engine fails game after game.
    """
    match, folder = tournament.matches[places], tournament.folders[places]
    remaining = match.remaining(folder.results)
    runner = match.prepare_runner(folder.path, len(remaining))
    first, second = (shorten(label, 16) for label in match.labels.values())
    bar.set_postfix_str(f"{first} – {second}")

    def keep_game(played: PlayedGame) -> bool:
        match.keep(folder, played)
        bar.update()
        return True

    with interrupt_safely(runner):
        runner.play(remaining, keep_game)


def _report(tournament: RoundRobin, standings: Standings, folder: Path) -> list[str]:
    """Write the files of the standings; return their names."""
    shown = shlex.join(["miai", "round-robin", *sys.argv[2:]])
    return write_report(standings, tournament.conditions, shown, folder)
