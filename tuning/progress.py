"""Play what is missing of a tuning, behind a progress bar."""

import contextlib
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from miai.engine.progress import progress_bar
from miai.match.runner import interrupt_safely
from miai.tuning.tables import Tables
from miai.tuning.tuning import Trial, Tuning


def play_tuning(tuning: Tuning, tables: Tables, on_point: Callable[[], object]) -> bool:
    """Play what is left; return False if the user interrupted it.

    Args:
        tuning: what is played.
        tables: who plays the games; they are closed in the end.
        on_point: called when all games of a point are finished.

    Raises:
        MatchAborted: if an engine does not work.
        MatchFolderError, OSError: if a game cannot be kept.
        PiecesFailed: if the tables cannot play.
    """
    try:
        with contextlib.closing(tables), interrupt_safely():
            _Driver(tuning, tables, on_point).run()
    except KeyboardInterrupt:
        return False
    return True


class _Driver:
    """Keeps all tables busy."""

    def __init__(self, tuning: Tuning, tables: Tables, on_point: Callable[[], object]) -> None:
        self._tuning = tuning
        self._tables = tables
        self._on_point = on_point
        self._under_way: dict[Future[Any], tuple[Trial, Any]] = {}
        self._is_checked = False

    def run(self) -> None:
        """Play until nothing is left."""
        tuning = self._tuning
        with progress_bar(total=tuning.num_games, done=tuning.tally.games, unit="game") as bar:
            while self._hand_out():
                bar.total = tuning.num_games
                bar.set_postfix_str(self._describe())
                done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    trial, job = self._under_way.pop(future)
                    before = trial.tally.games
                    trial.keep(job, self._tables.report_of(future))
                    bar.update(trial.tally.games - before)
                    if trial.is_finished:
                        self._on_point()

    def _hand_out(self) -> bool:
        """Give free tables games; return whether any game is under way."""
        while len(self._under_way) < self._tables.num_tables:
            found = self._tuning.next_job()
            if found is None:
                break
            trial, job = found
            if not self._is_checked:
                self._tables.check(job)
                self._is_checked = True
            self._under_way[self._tables.submit(job)] = trial, job
        return bool(self._under_way)

    def _describe(self) -> str:
        trials = self._tuning.trials
        return "test" if self._tuning.test else f"point {len(trials)} of {self._tuning.plan.points}"
