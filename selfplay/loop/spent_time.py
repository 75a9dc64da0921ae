"""The time that all starts of a loop took together, in a small file that outlives each of them."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

from miai.engine.files import write_file

_SAVE_EVERY = 60.0
"""Seconds that a kill may leave uncounted while games are played."""


class SpentTime:
    """The time spent up to now; `close` ends this start."""

    def __init__(self, path: Path, clock: Callable[[], float], known: float) -> None:
        """Read what the starts before took.

        Args:
            path: of the file; a missing or damaged one counts nothing.
            clock: returns the time in seconds.
            known: seconds that were spent at least.
        """
        self._path = path
        self._clock = clock
        self._before = max(known, _read(path))
        self._started = self._saved = clock()

    @property
    def seconds(self) -> float:
        """Of all starts, this one included."""
        return self._before + self._clock() - self._started

    def save(self) -> None:
        """Write the file; if it cannot be written, the time since the last one is not counted."""
        self._saved = self._clock()
        with contextlib.suppress(OSError):
            write_file(self._path, json.dumps(self.seconds))

    def save_now_and_then(self) -> None:
        """Write the file unless that was done just now."""
        if self._clock() - self._saved >= _SAVE_EVERY:
            self.save()

    def close(self) -> None:
        """Write the file."""
        self.save()


def _read(path: Path) -> float:
    try:
        return max(0.0, float(json.loads(path.read_text())))
    except (OSError, ValueError, TypeError):
        return 0.0
