"""Play a tournament in its folder, and tell how it stands."""

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from miai.engine.files import discard_if_failed
from miai.match.opening_choice import OpeningChoice
from miai.match.results import MatchFolderError
from miai.match.standings_report import render_standings, write_report
from miai.match.tables import MatchAborted
from miai.match.tournament import Tournament

OnPairing = Callable[[], object]
PlayTournament = Callable[[contextlib.ExitStack, OnPairing], tuple[list[str], bool]]
"""Plays what is left, with folders that are open until the stack is closed; calls back after each pairing."""


def run_tournament(
    tournament: Tournament,
    folder: Path,
    choice: OpeningChoice,
    form: str,
    shown: str,
    as_json: bool,
    play: PlayTournament | None = None,
) -> None:
    """Play what is left, write the reports, and print the standings; leave by the exit status of how it went.

    Args:
        tournament: its pairings.
        folder: where its results are.
        choice: where the openings are from.
        form: for the title.
        shown: the command line, for the report.
        as_json: whether to print JSON.
        play: how it is played, where not all pairings are known before.
    """

    def report() -> list[str]:
        return write_report(tournament.add_up(), tournament.conditions, shown, folder, form)

    with discard_if_failed(folder, "results.jsonl"), contextlib.ExitStack() as stack:
        try:
            tournament.open_folders(folder, stack)
            choice.save(folder)
            if play is not None:
                given_up, interrupted = play(stack, report)
            else:
                given_up, interrupted = _play_all(tournament, folder, report)
        except (MatchAborted, MatchFolderError) as error:
            raise click.ClickException(str(error)) from None
        standings = tournament.add_up()
        files = report()
    click.echo(json.dumps(standings.to_json()) if as_json else render_standings(standings, tournament.conditions))
    click.echo(f"wrote {', '.join(files)} to {folder}", err=True)
    for reason in given_up:
        click.echo(f"Error: {reason}", err=True)
    if interrupted:
        click.echo(f"interrupted: the same command continues the {form.lower()}", err=True)
        sys.exit(130)
    if given_up:
        sys.exit(1)


def _play_all(tournament: Tournament, folder: Path, on_pairing: OnPairing) -> tuple[list[str], bool]:
    """Play what is left of the pairings; return why some were given up, and whether all was interrupted."""
    if not tournament.remaining:
        return [], False
    finished = tournament.num_finished
    click.echo(f"results go to {folder}" + (f", which holds {finished} games" if finished else ""), err=True)
    return tournament.play(on_pairing)
