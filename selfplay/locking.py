"""Files that only one process may use at a time."""

import sys
from typing import IO


def take_lock(file: IO[bytes]) -> bool:
    """Hold a file until it is closed or this process ends, however it ends; return False if another process holds it.

    Windows has no such lock: there it is always True.
    """
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True
