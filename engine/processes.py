"""Processes that work for this one: for how many there are cores, and how they begin and end."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Any


def count_cores() -> int:
    """Return how many cores this process may use, which are fewer than all where it is bound to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_work() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    if driver is not None:
        wait([driver.sentinel])
        os._exit(1)


def start_pool(
    num_processes: int, prepare: Callable[..., object] | None = None, *arguments: Any
) -> ProcessPoolExecutor:
    """Return processes that start when there is something to do.

    They are not forked: a network that this process has used has threads, which would be missing in a copy of it, and
    so the copy would hang or break when it lets go of the network.

    Args:
        num_processes: how many, at most.
        prepare: what each does first.
        arguments: of that.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(num_processes, context, _begin, (prepare, arguments))


def kill_pool(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once; what they are doing is lost."""
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool.shutdown(cancel_futures=True)


def _begin(prepare: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    begin_work()
    if prepare is not None:
        prepare(*arguments)
