"""Searchers: many positions on boards of one size at once, in lockstep or on threads."""

import dataclasses
import threading
from collections.abc import Callable
from typing import Protocol

from miai.analysis.tasks import AnalysisTask, Write
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.search import Budget
from miai.players.net_evaluator import NetEvaluatorSetup, NetworkUsage
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.player import Player

MIN_MEMORY = 16
"""MiB, at least, for the tree of one position; together they have the player's memory."""


class Searcher(Protocol):
    """Analyses positions on boards of one size."""

    needs_steps: bool
    """Whether tasks go on in `step` alone."""

    @property
    def tasks(self) -> list[AnalysisTask]:
        """The tasks under way."""

    def start(self, task: AnalysisTask) -> None:
        """Begin a task."""

    def step(self) -> list[AnalysisTask]:
        """Go on a little; return the tasks that are over."""

    def clear_cache(self) -> None:
        """Forget the network's earlier outputs."""

    def close(self) -> None:
        """Release memory and threads; no task may be under way."""


def make_searcher(
    options: PlayerOptions, size: int, places: int, write: Write, done: Callable[[AnalysisTask], None]
) -> Searcher:
    """Return what analyses so many positions at once.

    Args:
        options: of the player on boards of this size.
        write: takes answers, from any thread.
        done: called from any thread with each task that a thread has finished; tasks in lockstep are returned by
            `step`.

    Raises:
        ValueError: as `miai.players.player.Player`.
    """
    options = dataclasses.replace(options, memory=max(MIN_MEMORY, options.memory // places))
    if options.evaluator in NET_EVALUATORS:
        return LockstepSearcher(options, size, places, write)
    return ThreadSearcher(options, places, write, done)


class LockstepSearcher:
    """Searches whose leaves a network evaluates together."""

    needs_steps = True

    def __init__(self, options: PlayerOptions, size: int, places: int, write: Write) -> None:
        first = Player(options)
        self._players = [first, *(Player(options, first.evaluation) for _ in range(places - 1))]
        searches = [player.search_on(size) for player in self._players]
        self._lockstep = Lockstep(searches, first.evaluate_batches)
        self._places: list[AnalysisTask | None] = [None] * places
        self._write = write

    @property
    def tasks(self) -> list[AnalysisTask]:
        """The tasks under way."""
        return [task for task in self._places if task is not None]

    def start(self, task: AnalysisTask) -> None:
        """Begin a task in a free place."""
        index = self._places.index(None)
        player = self._players[index]
        task.begin(player)
        player.prepare_search(task.game, task.color)
        self._lockstep.begin(index, task.query.visits)
        self._places[index] = task

    def step(self) -> list[AnalysisTask]:
        """Take one batch of every search; answer and return the tasks that are over."""
        finished = set(self._lockstep.step())
        over = []
        for index, task in enumerate(self._places):
            if task is None:
                continue
            is_over = index in finished or task.stop.is_set() or task.is_late
            if is_over or task.report_is_due():
                report = self._players[index].read_report(task.seconds)
                self._write(task.answer(report, not is_over))
            if is_over:
                self._lockstep.stop(index)
                self._places[index] = None
                over.append(task)
        return over

    @property
    def network_usage(self) -> NetworkUsage:
        """What the network has done so far."""
        return self._evaluation.network_usage

    def clear_cache(self) -> None:
        """Forget the network's earlier outputs."""
        self._evaluation.clear_cache()

    @property
    def _evaluation(self) -> NetEvaluatorSetup:
        evaluation = self._players[0].evaluation
        assert isinstance(evaluation, NetEvaluatorSetup)
        return evaluation

    def close(self) -> None:
        """Release memory and threads."""
        for player in self._players:
            player.close()


class ThreadSearcher:
    """Searches with compiled evaluators, each on a thread of its own."""

    needs_steps = False

    def __init__(self, options: PlayerOptions, places: int, write: Write, done: Callable[[AnalysisTask], None]) -> None:
        self._free = [Player(options) for _ in range(places)]
        self._tasks: list[AnalysisTask] = []
        self._write = write
        self._done = done

    @property
    def tasks(self) -> list[AnalysisTask]:
        """The tasks under way."""
        return list(self._tasks)

    def start(self, task: AnalysisTask) -> None:
        """Begin a task on a thread."""
        player = self._free.pop()
        try:
            task.begin(player)
        except Exception:
            self._free.append(player)
            raise
        self._tasks.append(task)
        threading.Thread(target=self._search, args=(task, player), name="analysis", daemon=True).start()

    def step(self) -> list[AnalysisTask]:
        """Do nothing: the threads go on by themselves."""
        return []

    def clear_cache(self) -> None:
        """Do nothing: there is no network."""

    def close(self) -> None:
        """Release memory and threads."""
        for player in self._free:
            player.close()

    def _search(self, task: AnalysisTask, player: Player) -> None:
        budget = Budget(task.query.visits, task.query.seconds)
        try:
            report = player.analyze(
                task.game,
                task.color,
                lambda report: self._write(task.answer(report, True)) if task.report_is_due() else None,
                min(task.query.first_report or 0.0, task.query.report_every or task.query.first_report or 0.0),
                task.stop,
                budget,
            )
            self._write(task.answer(report, False))
        except Exception as error:  # a rule of the user's own may raise anything
            self._write(task.answer_error(error))
        finally:
            self._free.append(player)
            self._tasks.remove(task)
            self._done(task)
