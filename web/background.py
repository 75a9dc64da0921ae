"""Searches beside the main loop of a session's process: at most one at a time, which can be ended at any moment."""

import threading
from collections.abc import Callable
from typing import Any

Job = Callable[[threading.Event], Any]
"""Runs until it is done or the event is set; returns what it found."""


class Background:
    """At most one job in a thread of its own."""

    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        """Take what hands a call over to the main loop."""
        self._post = post
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._ticket = 0

    @property
    def is_busy(self) -> bool:
        """Whether a job is under way, or its outcome still to be taken."""
        return self._thread is not None

    def begin(self, job: Job, then: Callable[[Any], None], otherwise: Callable[[Exception], None]) -> None:
        """End the present job and begin another.

        Args:
            job: what to do.
            then: called in the main loop with what it returned, unless it was ended before.
            otherwise: called in the main loop with what it raised.
        """
        self.end()
        self._stop = threading.Event()
        self._ticket += 1
        arguments = (job, self._stop, self._ticket, then, otherwise)
        self._thread = threading.Thread(target=self._run, args=arguments, name="search", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the job, if there is one, and drop its outcome; waits some milliseconds, or while a player compiles."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None
            self._ticket += 1

    def _run(
        self,
        job: Job,
        stop: threading.Event,
        ticket: int,
        then: Callable[[Any], None],
        otherwise: Callable[[Exception], None],
    ) -> None:
        try:
            outcome = job(stop)
        except Exception as error:
            failure = error
            self._post(lambda: self._finish(ticket, lambda: otherwise(failure)))
        else:
            self._post(lambda: self._finish(ticket, lambda: then(outcome)))

    def _finish(self, ticket: int, act: Callable[[], None]) -> None:
        if ticket == self._ticket and self._thread is not None:
            self._thread.join()
            self._thread = None
            act()
