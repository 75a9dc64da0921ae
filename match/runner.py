"""Play the games of a match, several at a time, until all are played or it is stopped."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from miai.engine.interrupts import answer_interrupts
from miai.match.referee import PlayedGame
from miai.match.schedule import ScheduledGame
from miai.match.tables import FailureWatch, MatchTable


class MatchRunner:
    """Keep tables busy; each plays one game at a time."""

    def __init__(self, tables: Sequence[MatchTable]) -> None:
        self._tables = tables
        self._stop = threading.Event()
        self._finished: queue.SimpleQueue[PlayedGame | BaseException] = queue.SimpleQueue()
        self.is_playing = False
        """Whether `play` is under way, so that `interrupt` takes effect."""
        self._failures = FailureWatch()

    def check_engines(self) -> dict[str, str]:
        """Start one engine of each side and try the board's size; return their names and versions by side.

        Raises:
            MatchAborted: if one does not work.
        """
        try:
            return self._tables[0].check()
        except BaseException:
            self.close()
            raise

    def play(self, games: Iterable[ScheduledGame], on_game: Callable[[PlayedGame], bool]) -> None:
        """Play games; `on_game` sees each as it finishes, in this thread, and returns False to stop the match.

        Games under way when the match is stopped, by `on_game` or by an exception such as KeyboardInterrupt, are
        dropped.

        Raises:
            MatchAborted: if an engine fails game after game.
        """
        pending: queue.SimpleQueue[ScheduledGame] = queue.SimpleQueue()
        num_games = 0
        for game in games:
            pending.put(game)
            num_games += 1
        workers = [
            threading.Thread(target=self._work, args=(table, pending), name="match-table", daemon=True)
            for table in self._tables
        ]
        try:
            self.is_playing = True
            for worker in workers:
                worker.start()
            for _ in range(num_games):
                played = self._finished.get()
                if isinstance(played, BaseException):
                    raise played
                if not on_game(played):
                    break
                self._failures.note(played.result)
        finally:
            self.is_playing = False
            self._stop.set()
            if any(worker.is_alive() for worker in workers):
                self._interrupt(workers)
            self.close()

    def interrupt(self) -> None:
        """Let `play` raise KeyboardInterrupt once it has kept what it is keeping. Safe in a signal handler."""
        self._finished.put(KeyboardInterrupt())

    def close(self) -> None:
        """End all engines."""
        for table in self._tables:
            table.close()

    def _work(self, table: MatchTable, pending: queue.SimpleQueue[ScheduledGame]) -> None:
        """Play pending games until there are none; what happens is told through the queue of finished games."""
        while not self._stop.is_set():
            try:
                scheduled = pending.get_nowait()
            except queue.Empty:
                return
            try:
                self._finished.put(table.conduct(scheduled))
            except BaseException as error:
                self._finished.put(error)
                return

    def _interrupt(self, workers: Iterable[threading.Thread]) -> None:
        for table in self._tables:
            table.kill()
        for worker in workers:
            if worker.is_alive():
                worker.join()


@contextlib.contextmanager
def interrupt_safely(runner: MatchRunner | None = None) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt; while the runner plays, never while a result is being written."""

    def interrupt() -> None:
        if runner is None or not runner.is_playing:
            raise KeyboardInterrupt
        runner.interrupt()

    with answer_interrupts(interrupt):
        yield
