"""Folders that only one process may use at a time."""

from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout


def take_lock(path: Path) -> BaseFileLock | None:
    """Hold a lock file until it is released or this process ends, however it ends; None if it is held already.

    Raises:
        OSError: if there can be no such file.
    """
    lock = FileLock(path, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock
