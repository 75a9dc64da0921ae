"""Work on a Ray cluster; miai must be installed on all its machines, in the same version."""

import functools
import hashlib
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from miai.engine.files import write_file

Task = TypeVar("Task")

_MAX_LOSSES = 20
"""Tasks that may be lost in a row without one done between."""


def connect(address: str, error: type[Exception]) -> None:
    """Connect to a cluster.

    Args:
        address: `auto`, `local` for one of this machine that ends with the program, or `HOST:PORT`.
        error: what to raise if there is none.
    """
    try:
        ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
    except (ConnectionError, ValueError, RuntimeError) as failure:
        raise error(f"cannot connect to a Ray cluster at {address!r}: {failure}") from failure


def count_processors() -> int:
    """Return how many processors the cluster has now."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def run_tasks(
    tasks: Iterable[Task], submit: Callable[[Task], Any], error: type[Exception], unit: str, num_cpus: int = 1
) -> Iterator[tuple[Task, Any]]:
    """Yield each task with its result as it is done, and disconnect in the end; tasks of a lost machine are done again.

    Twice as many are handed out as the cluster can do at a time, as machines come and go.

    Args:
        tasks: what to do.
        submit: hands a task to the cluster; returns Ray's reference to the result.
        error: what to raise if a task fails by an error, or tasks are lost again and again.
        unit: what tasks are called then, in the plural.
        num_cpus: that a task takes.
    """
    waiting = deque(tasks)
    under_way: dict[Any, Task] = {}
    num_lost = 0
    try:
        while waiting or under_way:
            while waiting and len(under_way) < 2 * max(1, count_processors() // num_cpus):
                task = waiting.popleft()
                under_way[submit(task)] = task
            done, _ = ray.wait(list(under_way), num_returns=1, timeout=5.0)
            for reference in done:
                task = under_way.pop(reference)
                try:
                    result = ray.get(reference)
                except RayTaskError as failure:
                    raise error(str(failure.cause)) from failure
                except RayError as failure:
                    num_lost += 1
                    if num_lost >= _MAX_LOSSES:
                        raise error(f"{unit} were lost {num_lost} times in a row, the last by {failure}") from failure
                    waiting.appendleft(task)
                    continue
                num_lost = 0
                yield task, result
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)
        ray.shutdown()


@functools.lru_cache(maxsize=2)
def local_copy(name: str, content: bytes) -> Path:
    """Return a file of this machine with this content, of the same format by its name; it stays from task to task."""
    path = Path(tempfile.gettempdir()) / f"miai-{hashlib.sha256(content).hexdigest()[:16]}-{Path(name).name}"
    if not path.exists():
        write_file(path, content)
    return path
