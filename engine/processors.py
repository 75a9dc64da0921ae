"""The processors of this machine."""

import os


def count_cores() -> int:
    """Return how many cores this process may use, which are fewer than all where it is bound to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
