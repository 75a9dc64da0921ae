"""What the commands of all experiments share: their options, and how they run their pieces."""

import contextlib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from miai.cli.match_flags import take_workers
from miai.engine.files import discard_if_failed
from miai.engine.processes import count_cores
from miai.experiments.matches.game_rows import RULES_NAME
from miai.experiments.running.pieces import ExperimentPlan, check_folder, lock_run
from miai.experiments.running.progress import Interrupted, run_with_bar
from miai.experiments.running.workers import PiecesFailed, make_workers

if TYPE_CHECKING:
    from miai.match.openings import Opening

Command = TypeVar("Command", bound=Callable[..., Any])

_JUDGED_SIZE = 13
"""Boards on which openings are judged."""

take_output: Callable[[Any], Any] = click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results. [default: one in the working directory, named after the experiment and its options]",
)


take_parallel: Callable[[Any], Any] = click.option(
    "--parallel", type=click.IntRange(1), default=count_cores, help="Processes on this machine. [default: all cores]"
)


def take_seed(what: str) -> Callable[[Any], Any]:
    """Return `--seed` of what is random."""
    return click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help=f"Random seed of {what}.")


class RunInterrupted(click.ClickException):
    """A run that the user stopped; says how to go on."""


class Runner:
    """Where the pieces of an experiment are done and its results go."""

    def __init__(self, workers: str, parallel: int, output: Path | None, until_end: contextlib.ExitStack) -> None:
        """Run pieces for a command.

        Args:
            workers: who does them, as `make_workers` takes it.
            parallel: processes on this machine.
            output: where the results go; None = where the command says.
            until_end: closed when the command ends, however it does.
        """
        self._workers = workers
        self.parallel = parallel
        """Processes on this machine."""
        self._output = output
        self._until_end = until_end
        self._begun: set[Path] = set()

    @property
    def words(self) -> list[str]:
        """The options that make another command run as this one does, but for its folder."""
        return ["--workers", self._workers, "--parallel", str(self.parallel)]

    def folder(self, default: str) -> Path:
        """Return the folder of the results."""
        return self._output or Path(default)

    def begin(self, plan: ExperimentPlan, folder: Path) -> None:
        """Make the folder, or end the command if it holds another experiment or another process uses it.

        A new folder is gone if the command fails before there is a piece or openings are judged.
        """
        try:
            if folder not in self._begun:
                self._until_end.enter_context(discard_if_failed(folder, "*.npz", "openings.json"))
                self._until_end.enter_context(lock_run(folder))
                self._begun.add(folder)
            check_folder(plan, folder)
        except ValueError as error:
            raise click.UsageError(str(error)) from None

    def draw_openings(
        self, plan: ExperimentPlan, folder: Path, games: int, size: int, komi: float, seed: int, rules: str = RULES_NAME
    ) -> "tuple[Opening, ...]":
        """Return an opening for each pair of games, fair ones on small boards; keep in the folder how they were judged.

        On large boards a few moves decide nothing, and the judge is slow.

        Args:
            plan: whose folder it is.
            folder: begun if it is new.
            games: an even number.
            size: of the board.
            komi: of the games.
            seed: of the openings.
            rules: by name.
        """
        from miai.match.match_options import MatchOptions
        from miai.match.opening_choice import OpeningChoice
        from miai.match.opening_evaluation import WINDOW

        game = {"size": size, "komi": komi, "rules": rules}
        window = WINDOW if size <= _JUDGED_SIZE else (0.0, 1.0)
        self.begin(plan, folder)
        try:
            choice = OpeningChoice(MatchOptions(games=games, game_settings=game, seed=seed, opening_window=window))
            openings = tuple(choice.draw(folder))
            choice.save(folder)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return openings

    def run(self, plan: ExperimentPlan, folder: Path, unit: str) -> None:
        """Run what is missing of an experiment; when it cannot go on, say why and end the command."""
        self.begin(plan, folder)
        try:
            run_with_bar(plan, folder, make_workers(self._workers, self.parallel), unit)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        except Interrupted as reason:
            raise RunInterrupted(str(reason)) from None
        except PiecesFailed as reason:
            raise click.ClickException(str(reason)) from None


def take_runner(command: Command) -> Command:
    """Give a click command the options `--workers`, `--parallel` and `--output`, as `runner: Runner`."""

    @functools.wraps(command)
    def make_and_run(*args: Any, **named: Any) -> Any:
        with contextlib.ExitStack() as until_end:
            runner = Runner(named.pop("workers"), named.pop("parallel"), named.pop("output"), until_end)
            return command(*args, runner=runner, **named)

    decorated: Any = make_and_run
    for option in (
        take_output,
        take_parallel,
        take_workers,
    ):
        decorated = option(decorated)
    return decorated
