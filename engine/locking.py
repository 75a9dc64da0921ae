"""Folders that only one process may use at a time."""

import contextlib
import functools
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from miai.engine.files import remove_leftovers

_MOST_FILES = 1 << 14
"""Open files that are enough for anything."""


def take_lock(path: Path, *written: str) -> BaseFileLock | None:
    """Hold a lock file until it is released or this process ends, however it ends; None if it is held already.

    What killed writers left in its folder is removed.

    Args:
        path: of the lock file.
        written: subfolders that only who holds the lock writes to; they are cleaned, too.

    Raises:
        OSError: if there can be no such file, or leftovers cannot be removed.
    """
    _allow_many_files()
    lock = FileLock(path, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    try:
        for folder in (path.parent, *(path.parent / name for name in written)):
            remove_leftovers(folder)
    except BaseException:
        lock.release()
        raise
    return lock


@functools.cache
def _allow_many_files() -> None:
    """Let this process open as many files as the system allows at all: a tournament holds a lock a pairing."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
