"""`miai match`: let two players play a match."""

import json
import sys
from pathlib import Path

import click
from tqdm import tqdm

from miai.cli.match_flags import take_match_options
from miai.engine.files import discard_if_failed
from miai.match.contestants import read_contestant
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.referee import PlayedGame
from miai.match.results import MatchFolder, MatchFolderError
from miai.match.runner import MatchAborted, interrupt_safely
from miai.match.schedule import build_schedule
from miai.match.statistics import SequentialTest
from miai.match.summary import Summary, summarise
from miai.match.table import render_progress, render_table


@click.command(short_help="Let two players play a match.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@take_match_options("Games to play; even, as colours are swapped.")
@click.option(
    "--sprt", type=(float, float), metavar="ELO0 ELO1", help="Stop when one of these differences is accepted."
)
@click.option(
    "--alpha", default=0.05, show_default=True, help="Type I error: probability of accepting ELO1 if ELO0 is true."
)
@click.option(
    "--beta", default=0.05, show_default=True, help="Type II error: probability of accepting ELO0 if ELO1 is true."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    a: str,
    b: str,
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
    """
    try:
        contestants = {"A": read_contestant(a), "B": read_contestant(b)}
        options = options.with_game_of(contestants.values())
        choice = OpeningChoice(options)
        test = SequentialTest(*sprt, alpha=alpha, beta=beta) if sprt else None
        match = Match(contestants, options.settings, choice.description, options.parallel, schedule=[])
        folder = options.output or Path("matches") / match.folder_name()
        match.schedule = build_schedule(options.games, choice.draw(folder))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        with discard_if_failed(folder, "results.jsonl"):
            summary, interrupted = _play(match, folder, choice, test)
    except (MatchAborted, MatchFolderError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary.to_json()) if as_json else render_table(summary, match.conditions(), test))
    if interrupted:
        click.echo("interrupted: the same command continues the match", err=True)
        sys.exit(130)


def _play(match: Match, path: Path, choice: OpeningChoice, test: SequentialTest | None) -> tuple[Summary, bool]:
    """Play what is left of a match; return its summary and whether it was interrupted."""
    names: dict[str, str] = {}
    with MatchFolder(path, match.describe()) as folder:
        choice.save(path)

        def summarise_now() -> Summary:
            return summarise(match.scheduled(folder.results), len(match.schedule), match.labels, names, test)

        num_finished = len(folder.results)
        remaining = match.remaining(folder.results)
        if not remaining or _is_decided(summarise_now()):
            return summarise_now(), False
        click.echo(f"results go to {path}" + (f", which holds {num_finished} games" if num_finished else ""), err=True)
        runner = match.prepare_runner(path, len(remaining))
        interrupted = False
        with interrupt_safely(runner), tqdm(total=len(match.schedule), initial=num_finished, unit="game") as bar:

            def keep_game(played: PlayedGame) -> bool:
                match.keep(folder, played)
                summary = summarise_now()
                bar.set_postfix_str(render_progress(summary), refresh=False)
                bar.update()
                return not _is_decided(summary)

            try:
                names.update(runner.check_engines())
                runner.play(remaining, keep_game)
            except KeyboardInterrupt:
                interrupted = True
        return summarise_now(), interrupted


def _is_decided(summary: Summary) -> bool:
    return summary.verdict is not None and summary.verdict.accepted is not None
