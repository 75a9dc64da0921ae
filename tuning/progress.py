"""Play what is missing of a tuning, behind a progress bar."""

import contextlib
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from miai.engine.progress import progress_bar
from miai.match.engines import Engine
from miai.match.runner import interrupt_safely
from miai.match.tables import FailureWatch, check_engine
from miai.tuning.tables import GameReport, Tables
from miai.tuning.tuning import Trial, Tuning


def play_tuning(tuning: Tuning, tables: Tables, on_point: Callable[[], object]) -> bool:
    """Play what is left; return False if the user interrupted it.

    Args:
        tuning: what is played.
        tables: who plays the games; they are closed in the end.
        on_point: called when all games of a point are finished.

    Raises:
        MatchAborted: if an engine does not work.
        MatchFolderError: if a game cannot be kept.
        WorkersFailed: if the tables cannot play.
    """
    try:
        with contextlib.closing(tables), interrupt_safely():
            _Driver(tuning, tables, on_point).run()
    except KeyboardInterrupt:
        return False
    return True


def _check_engines(trial: Trial) -> None:
    """Start both engines, so that one that cannot play is told before any game, and what they need is compiled once."""
    for side, start in trial.match.prepare(trial.folder.path).items():
        engine = Engine(side, start)
        try:
            check_engine(engine, trial.match.settings)
        finally:
            engine.close()


class _Driver:
    """Keeps all tables busy."""

    def __init__(self, tuning: Tuning, tables: Tables, on_point: Callable[[], object]) -> None:
        self._tuning = tuning
        self._tables = tables
        self._on_point = on_point
        self._under_way: dict[Future[GameReport], Trial] = {}
        self._failures = FailureWatch()
        self._is_checked = False

    def run(self) -> None:
        """Play until nothing is left."""
        tuning = self._tuning
        with progress_bar(total=tuning.num_games, done=len(tuning.all_results), unit="game") as bar:
            while self._hand_out():
                bar.total = tuning.num_games
                bar.set_postfix_str(self._describe())
                done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    trial = self._under_way.pop(future)
                    report = self._tables.report_of(future)
                    tuning.keep(trial, report)
                    bar.update()
                    self._failures.note(report.result)
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
                _check_engines(trial)
                self._is_checked = True
            self._under_way[self._tables.submit(job)] = trial
        return bool(self._under_way)

    def _describe(self) -> str:
        trials = self._tuning.trials
        return "test" if self._tuning.test else f"point {len(trials)} of {self._tuning.plan.points}"
