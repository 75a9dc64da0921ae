"""`miai match`: let two players play a match."""

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from engine.go.rules import RULES
from gtp.options import GameOptions
from selfplay.match.clock import TimeSettings
from selfplay.match.contestants import Contestant, read_contestant, start_engine
from selfplay.match.fairness import OPENINGS_FILE, WINDOW, OpeningJudge, Window, describe_window, takes_all
from selfplay.match.game_record import record_game
from selfplay.match.openings import Opening, OpeningError, generate_openings, load_openings
from selfplay.match.referee import GameSettings, PlayedGame
from selfplay.match.results import MatchFolder, MatchFolderError
from selfplay.match.runner import MatchAborted, MatchRunner
from selfplay.match.schedule import ScheduledGame, build_schedule, count_pairs
from selfplay.match.statistics import SequentialTest
from selfplay.match.summary import Summary, summarise
from selfplay.match.table import render_progress, render_table


@dataclass
class Match:
    """All that the command line asked for."""

    contestants: dict[str, Contestant]
    settings: GameSettings
    openings: str
    """What the openings are, in words."""
    parallel: int
    test: SequentialTest | None
    schedule: list[ScheduledGame] = field(default_factory=list)

    @property
    def labels(self) -> dict[str, str]:
        """The sides as the user named them."""
        return {side: contestant.label for side, contestant in self.contestants.items()}

    def describe(self) -> dict[str, Any]:
        """Return whatever decides the results, for JSON; the number of games may grow later."""
        return {
            "sides": {side: contestant.describe() for side, contestant in self.contestants.items()},
            "game": json.loads(json.dumps(dataclasses.asdict(self.settings))),
            "openings": self.openings,
        }

    def default_folder(self) -> Path:
        """Return a folder named after the sides and a digest of everything that decides the results."""
        digest = hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()[:8]
        names = [re.sub(r"[^A-Za-z0-9.]+", "-", label)[:24].strip("-.") for label in self.labels.values()]
        return Path("matches") / f"{names[0]}_{names[1]}_{digest}"

    def conditions(self) -> str:
        """Return a line that tells what is played."""
        settings = self.settings
        told = f", time_settings {settings.told_time}" if settings.told_time else ""
        return f"{settings.size}x{settings.size}, komi {settings.komi:g}, {settings.rules}, {self.openings}{told}"


class Plies(click.ParamType):
    """A number of moves, or a range of it: `4` or `2-4`."""

    name = "plies"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Read the text."""
        found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", str(value))
        if found:
            fewest, most = int(found.group(1)), int(found.group(2) or found.group(1))
            if 1 <= fewest <= most:
                return fewest, most
        self.fail(f"{value!r} is not allowed (allowed: a number such as 4, or a range such as 2-4)", param, ctx)


@click.command(short_help="Let two players play a match.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--games", default=100, show_default=True, help="Games to play; even, as colours are swapped.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder of the results [matches/… in this folder].")
@click.option("--parallel", type=click.IntRange(1, 256), help="Games at a time [cores / threads of a player].")
@click.option("--size", type=click.IntRange(2, 19), default=9, show_default=True, help="Size of the board.")
@click.option("--komi", default=7.0, show_default=True, help="Points for White.")
@click.option("--rules", type=click.Choice(tuple(RULES)), default="tromp-taylor", show_default=True, help="Rules.")
@click.option("--seed", default=1, show_default=True, help="Seed of the openings and of engines that take one.")
@click.option(
    "--openings",
    "opening_files",
    metavar="FILE|none",
    multiple=True,
    help="SGF files to open with; none = empty board.",
)
@click.option("--opening-plies", type=Plies(), help="Moves of an opening: 4, or 2-4 [default: 2-4; all of a file].")
@click.option(
    "--opening-window",
    type=(click.FloatRange(0.0, 1.0), click.FloatRange(0.0, 1.0)),
    default=WINDOW,
    show_default=True,
    metavar="LOW HIGH",
    help="Generate only openings that a search gives Black such an expected result; 0 1 takes all.",
)
@click.option("--time-per-move", type=click.IntRange(1), metavar="SECONDS", help="Tell the engines this time a move.")
@click.option(
    "--time-settings",
    type=(int, int, int),
    metavar="MAIN BYOYOMI STONES",
    help="Clock of each side, in seconds; overstepping it forfeits the game.",
)
@click.option(
    "--move-timeout",
    type=click.FloatRange(0.1),
    default=300.0,
    show_default=True,
    help="Forfeit after so many seconds.",
)
@click.option("--max-moves", type=click.IntRange(1), help="A longer game is void [3 x points of the board].")
@click.option(
    "--sprt", type=(float, float), metavar="ELO0 ELO1", help="Stop when one of these differences is accepted."
)
@click.option("--alpha", default=0.05, show_default=True, help="Chance of accepting ELO1 where ELO0 is true.")
@click.option("--beta", default=0.05, show_default=True, help="Chance of accepting ELO0 where ELO1 is true.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    a: str,
    b: str,
    games: int,
    output: Path | None,
    parallel: int | None,
    size: int,
    komi: float,
    rules: str,
    seed: int,
    opening_files: tuple[str, ...],
    opening_plies: tuple[int, int] | None,
    opening_window: tuple[float, float],
    time_per_move: int | None,
    time_settings: tuple[int, int, int] | None,
    move_timeout: float,
    max_moves: int | None,
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    as_json: bool,
) -> None:
    """Let players A and B play a match and print how they compare.

    A player is a preset of miai's (`fuego`), a config file (`mine.toml`), or any program that speaks GTP
    (`"gnugo --mode gtp --level 10"`). Options of miai's players can follow a colon:
    `fuego:simulations=1000,select=uct,rave.equivalence=500`.

    Every opening is played twice, with colours swapped. The same command again continues an interrupted match, with
    a larger --games it makes the match longer. Void and forfeited games are counted apart.
    """
    try:
        game_options = GameOptions(size, komi, rules)
        contestants = {"A": read_contestant(a), "B": read_contestant(b)}
        settings = GameSettings(
            size=game_options.size,
            komi=game_options.komi,
            rules=game_options.rules,
            max_moves=max_moves or 3 * size * size,
            move_timeout=move_timeout,
            time_per_move=time_per_move,
            time_settings=TimeSettings(*time_settings) if time_settings else None,
            seed=seed,
        )
        num_openings = count_pairs(games)
        plies = opening_plies or (2, 4)
        if opening_files:
            described, openings = _read_openings(opening_files, opening_plies, num_openings, size)
        else:
            described = f"generated openings of {plies[0]}-{plies[1]} plies" + describe_window(opening_window)
        match = Match(
            contestants=contestants,
            settings=settings,
            openings=described,
            parallel=parallel or _default_parallel(contestants.values()),
            test=SequentialTest(*sprt, alpha=alpha, beta=beta) if sprt else None,
        )
        folder = output or match.default_folder()
        judge = OpeningJudge(game_options)
        judge.load(folder / OPENINGS_FILE)
        if not opening_files:
            openings = _generate_openings(num_openings, plies, opening_window, settings, judge)
        match.schedule = build_schedule(games, openings)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        summary, interrupted = _play(match, folder, judge)
    except (MatchAborted, MatchFolderError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary.to_json()) if as_json else render_table(summary, match.conditions(), match.test))
    if interrupted:
        click.echo("interrupted: the same command continues the match", err=True)
        sys.exit(130)


def _read_openings(
    files: tuple[str, ...], plies: tuple[int, int] | None, count: int, size: int
) -> tuple[str, list[Opening]]:
    if "none" in files:
        if len(files) > 1:
            raise OpeningError("--openings is either none or SGF files, not both")
        return "no openings", []
    openings = load_openings(map(Path, files), size, plies[1] if plies else None)
    if count > len(openings):
        raise OpeningError(f"{2 * count} games need {count} openings, and --openings has {len(openings)}")
    digest = hashlib.sha256(repr(openings).encode()).hexdigest()[:8]
    return f"{len(openings)} openings of files ({digest})", openings


def _generate_openings(
    count: int, plies: tuple[int, int], window: Window, settings: GameSettings, judge: OpeningJudge
) -> list[Opening]:
    """Draw openings, with a progress bar if it takes long."""
    if takes_all(window):
        return generate_openings(count, settings.size, plies, settings.seed)
    with tqdm(total=count, desc="judging openings", unit="opening", delay=3.0, leave=False) as bar:

        def is_fair(opening: Opening) -> bool:
            fair = window[0] <= judge.value(opening) <= window[1]
            bar.update(fair)
            return fair

        return generate_openings(count, settings.size, plies, settings.seed, is_fair)


def _default_parallel(contestants: Iterable[Contestant]) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // max(contestant.threads for contestant in contestants))


def _play(match: Match, path: Path, judge: OpeningJudge) -> tuple[Summary, bool]:
    """Play what is left of a match; return its summary and whether it was interrupted."""
    names: dict[str, str] = {}
    with MatchFolder(path, match.describe()) as folder:
        judge.save(path / OPENINGS_FILE)

        def summarise_now() -> Summary:
            wanted = [result for result in folder.results if result.number <= len(match.schedule)]
            return summarise(wanted, len(match.schedule), match.labels, names, match.test)

        finished = {result.number for result in folder.results}
        remaining = [game for game in match.schedule if game.number not in finished]
        if not remaining or _is_decided(summarise_now()):
            return summarise_now(), False
        click.echo(f"results go to {path}" + (f", which holds {len(finished)} games" if finished else ""), err=True)
        options = GameOptions(match.settings.size, match.settings.komi, match.settings.rules)
        commands = {side: who.prepare(path / f"{side}.toml", options) for side, who in match.contestants.items()}
        starters = {side: functools.partial(start_engine, words) for side, words in commands.items()}
        runner = MatchRunner(starters, match.settings, min(match.parallel, len(remaining)))
        interrupted = False
        with _interrupt_safely(runner), tqdm(total=len(match.schedule), initial=len(finished), unit="game") as bar:

            def keep_game(played: PlayedGame) -> bool:
                folder.append(played.result, record_game(played, match.settings.rules, match.labels))
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


@contextlib.contextmanager
def _interrupt_safely(runner: MatchRunner) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the match between two results, never while one is being written."""

    def interrupt(*_: object) -> None:
        if not runner.is_playing:
            raise KeyboardInterrupt
        runner.interrupt()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
