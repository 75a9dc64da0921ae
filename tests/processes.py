"""Commands of miai's that run beside a test and never outlive it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def running_miai(*words: str, **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """Run a command as the first of a group of processes, which is killed at the end.

    Args:
        words: the command line, without `miai`.
        options: of `subprocess.Popen`.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "miai.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    ) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
