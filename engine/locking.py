"""Folders that only one process may use at a time."""

from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from miai.engine.files import remove_leftovers


def take_lock(path: Path, *written: str) -> BaseFileLock | None:
    """Hold a lock file until it is released or this process ends, however it ends; None if it is held already.

    What killed writers left in its folder is removed.

    Args:
        path: of the lock file.
        written: subfolders that only who holds the lock writes to; they are cleaned, too.

    Raises:
        OSError: if there can be no such file, or leftovers cannot be removed.
    """
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
