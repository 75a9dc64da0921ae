"""What `miai tune` and `miai experiment tune-backup` share: options, and a tuning from begin to report."""

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from miai.engine.files import discard_if_failed
from miai.experiments.li_lim.published import TEST_GAMES, TUNING_POINTS
from miai.match.match_options import MatchOptions

if TYPE_CHECKING:
    from miai.match.opening_choice import OpeningChoice
    from miai.match.openings import Opening
    from miai.tuning.points import PublishedPoint
    from miai.tuning.search_space import Values
    from miai.tuning.tables import Tables
    from miai.tuning.tuning import TunedGames, TuningPlan

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Extent:
    """How much is played, and where."""

    points: int
    test_games: int


def take_extent(command: Command) -> Command:
    """Give a click command the options `--points` and `--test-games`, as `extent: Extent`."""

    @functools.wraps(command)
    def run_with_extent(*args: Any, **named: Any) -> Any:
        names = [one.name for one in dataclasses.fields(Extent)]
        return command(*args, extent=Extent(**{name: named.pop(name) for name in names}), **named)

    decorated: Any = run_with_extent
    for option in (
        click.option(
            "--test-games",
            type=click.IntRange(0),
            default=TEST_GAMES,
            show_default=True,
            help="Fresh games of the optimum against the opponent; even, or 0.",
        ),
        click.option(
            "--points", type=click.IntRange(2, 1000), default=TUNING_POINTS, show_default=True, help="Points to try."
        ),
    ):
        decorated = option(decorated)
    return decorated


@dataclass(frozen=True)
class TuningSession:
    """A tuning that is about to begin or to go on."""

    plan: "TuningPlan"
    choice: "OpeningChoice"
    open_games: "Callable[[Sequence[Opening], Path, contextlib.ExitStack], TunedGames]"
    """Opens the games in the folder with the openings; the stack closes them."""
    tables: "Tables"
    folder: Path
    """Of the results."""
    command: str
    """That makes them, for the report."""
    published: "Sequence[PublishedPoint]" = ()
    draw: "Callable[[Values, Path], object] | None" = None
    """Draws more of the optimum into the folder."""


def choose_openings(options: MatchOptions, extent: Extent) -> "OpeningChoice":
    """Return openings for the games of a point and those of the test.

    Raises:
        ValueError: if a number of games is odd, or openings cannot be had.
    """
    from miai.match.opening_choice import OpeningChoice

    for name, games in (("games", options.games), ("test-games", extent.test_games)):
        if games % 2 or (name == "games" and games < 2):
            raise ValueError(f"{name}: {games} is not allowed (allowed: an even number: openings are played twice)")
    return OpeningChoice(dataclasses.replace(options, games=options.games + extent.test_games))


@contextlib.contextmanager
def refuse_by_usage() -> Iterator[None]:
    """End the command with what is wrong with its options, or with the cluster that they name."""
    from miai.experiments.running.workers import PiecesFailed

    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except PiecesFailed as error:
        raise click.ClickException(str(error)) from None


def conduct_tuning(session: TuningSession) -> None:
    """Play what is missing of a tuning, print its report and write it into its folder.

    Raises:
        click.ClickException: if it cannot be done; says why.
    """
    import matplotlib  # noqa: F401  (before anything is played)

    from miai.experiments.running.workers import PiecesFailed
    from miai.match.results import MatchFolderError
    from miai.match.tables import MatchAborted
    from miai.tuning.progress import play_tuning
    from miai.tuning.report import write_report
    from miai.tuning.tuning import Tuning

    folder = session.folder
    try:
        with discard_if_failed(folder, "results.jsonl", "*.npz"), contextlib.ExitStack() as stack:
            with refuse_by_usage():
                games = session.open_games(session.choice.draw(folder), folder, stack)
                tuning = Tuning(session.plan, games, folder)
            session.choice.save(folder)
            click.echo(f"results go to {folder}", err=True)

            def report() -> str:
                return write_report(tuning, folder, session.command, session.published)

            is_done = play_tuning(tuning, session.tables, report)
            if not tuning.tally.games:
                click.echo("interrupted before a game was finished", err=True)
                sys.exit(130)
            if session.draw and (model := tuning.fit_model()):
                session.draw(tuning.find_optimum(model), folder)
            click.echo(report())
    except (MatchAborted, MatchFolderError, PiecesFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"wrote table.md, points.csv and scores.svg to {folder}", err=True)
    if not is_done:
        click.echo("interrupted: the same command continues the tuning", err=True)
        sys.exit(130)
