"""What `miai tune` and `miai experiment tune-backup` share: options, and a tuning from begin to report."""

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from miai.engine.files import discard_if_failed
from miai.experiments.li_lim.published import TEST_GAMES, TUNING_POINTS
from miai.match.contestants import Contestant
from miai.match.match_options import MatchOptions

if TYPE_CHECKING:
    from miai.tuning.report import PublishedPoint
    from miai.tuning.search_space import SearchSpace, Values
    from miai.tuning.tuning import Tuning

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
class Tuned:
    """What is tuned against whom."""

    player: str
    space: "SearchSpace"
    first: "Values | None"
    opponent: Contestant
    published: Sequence["PublishedPoint"] = ()


def conduct_tuning(
    tuned: Tuned,
    options: MatchOptions,
    extent: Extent,
    folder: Path | None,
    shown: str,
    draw: Callable[["Values", Path], object] | None = None,
    keep: Callable[["Tuning", Path], object] | None = None,
) -> None:
    """Play what is missing of a tuning, print its report and write it into its folder.

    Args:
        tuned: what is tuned.
        options: of the games; they agree with what players say of the game.
        extent: how much is played.
        folder: of the results; None for one in `matches/`.
        shown: the command, for the report.
        draw: draws more of the optimum into the folder.
        keep: keeps more of the games in the folder, with each report.

    Raises:
        click.ClickException: if it cannot be done; says why.
    """
    import matplotlib  # noqa: F401  (before anything is played)

    from miai.experiments.running.workers import PiecesFailed
    from miai.match.match import name_folder
    from miai.match.opening_choice import OpeningChoice
    from miai.match.results import MatchFolderError
    from miai.match.tables import MatchAborted
    from miai.tuning.progress import play_tuning
    from miai.tuning.report import write_report
    from miai.tuning.tables import make_tables
    from miai.tuning.tuning import Tuning, TuningPlan

    try:
        for name, games in (("games", options.games), ("test-games", extent.test_games)):
            if games % 2 or (name == "games" and games < 2):
                raise ValueError(f"{name}: {games} is not allowed (allowed: an even number: openings are played twice)")
        choice = OpeningChoice(dataclasses.replace(options, games=options.games + extent.test_games))
        plan = TuningPlan(
            tuned.player,
            tuned.space,
            tuned.opponent,
            options.settings,
            choice.description,
            options.parallel,
            options.games,
            extent.points,
            extent.test_games,
            tuned.first,
            options.seed,
        )
        content = [plan.describe(), tuned.opponent.describe(), dataclasses.asdict(options.settings)]
        folder = folder or Path("matches") / name_folder(["tune", tuned.player, *tuned.space.names], content)
        match = plan.match_of(plan.player, plan.settings, [])
        threads = max(contestant.threads for contestant in match.contestants.values())
        tables = make_tables(options.workers, match.num_tables, threads, folder / "tables")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except PiecesFailed as error:
        raise click.ClickException(str(error)) from None
    try:
        with discard_if_failed(folder, "results.jsonl"), contextlib.ExitStack() as stack:
            try:
                tuning = Tuning(plan, folder, choice.draw(folder), stack)
            except ValueError as error:
                raise click.UsageError(str(error)) from None
            choice.save(folder)
            click.echo(f"results go to {folder}", err=True)

            def report() -> str:
                if keep:
                    keep(tuning, folder)
                return write_report(tuning, folder, shown, tuned.published)

            is_done = play_tuning(tuning, tables, report)
            if not tuning.all_results:
                click.echo("interrupted before a game was finished", err=True)
                sys.exit(130)
            if draw and (model := tuning.fit_model()):
                draw(tuning.find_optimum(model), folder)
            click.echo(report())
    except (MatchAborted, MatchFolderError, PiecesFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"wrote table.md, points.csv and scores.svg to {folder}", err=True)
    if not is_done:
        click.echo("interrupted: the same command continues the tuning", err=True)
        sys.exit(130)
