"""A tournament as a file says it, for `miai match FILE.toml`."""

import contextlib
import dataclasses
import shlex
import sys
from pathlib import Path

from miai.cli.tournament_run import OnPairing, run_tournament
from miai.match.forms import Pairing, gauntlet_pairs, round_robin_pairs
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.schedule import build_schedule
from miai.match.swiss import play_swiss
from miai.match.tournament import Tournament
from miai.match.tournament_file import TournamentFile, read_tournament

_TITLES = {"round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss tournament"}


def play_tournament(path: Path, given: MatchOptions, as_json: bool) -> None:
    """Play what is left of a file's tournament, and print how it stands.

    Args:
        path: the file.
        given: whose folder, games at a time and workers take the place of the file's.
        as_json: whether to print JSON.

    Raises:
        ValueError: naming what is wrong in the file.
    """
    file = read_tournament(path)
    options = file.options
    match_options = dataclasses.replace(
        file.match_options,
        output=given.output or file.match_options.output,
        parallel=given.parallel or file.match_options.parallel,
        workers=given.workers,
    )
    file = dataclasses.replace(file, match_options=match_options)
    count = len(file.contestants)
    pairs = {
        "round-robin": round_robin_pairs(count),
        "gauntlet": gauntlet_pairs(count, options.challengers),
        "swiss": [],
    }[options.form]
    choice = OpeningChoice(match_options)
    tournament = Tournament(
        file.contestants,
        match_options.settings,
        file.anchor,
        {pair: _make_match(file, pair, choice) for pair in pairs},
        options.test,
    )
    folder = match_options.output or Path("matches") / _name_folder(tournament, file, choice)
    schedule = build_schedule(options.games, choice.draw(folder))
    for match in tournament.matches.values():
        match.schedule = schedule
    play = None
    if options.form == "swiss":

        def play(stack: contextlib.ExitStack, on_pairing: OnPairing) -> tuple[list[str], bool]:
            def meet(pair: Pairing, games: int) -> None:
                longer = OpeningChoice(dataclasses.replace(match_options, games=games))
                match = tournament.matches.setdefault(pair, _make_match(file, pair, choice))
                match.schedule = build_schedule(games, longer.draw(folder))
                tournament.open_folders(folder, stack)
                longer.save(folder)

            return play_swiss(tournament, options.rounds, options.games, file.seeds, meet, on_pairing)

    shown = shlex.join(["miai", *sys.argv[1:]])
    run_tournament(tournament, folder, choice, _TITLES[options.form], shown, as_json, play)


def _make_match(file: TournamentFile, pair: Pairing, choice: OpeningChoice) -> Match:
    sides = {side: file.contestants[place] for side, place in zip("AB", pair, strict=True)}
    options = file.match_options
    return Match(sides, options.settings, choice.description, options.parallel, [], options.workers)


def _name_folder(tournament: Tournament, file: TournamentFile, choice: OpeningChoice) -> str:
    """Return a folder's name, the same for whoever meets whom."""
    pairs = round_robin_pairs(len(file.contestants))
    everyone = {pair: _make_match(file, pair, choice) for pair in pairs}
    return dataclasses.replace(tournament, matches=everyone).folder_name(file.options.form)
