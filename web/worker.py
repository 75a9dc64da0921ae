"""The process that plays and searches for one page: JSON lines on standard input and output.

The first line is the setup: `options`, a config file's text, and `komi`, `size` and `rules` among them. All others are
messages that the server has checked. Whatever else this process prints goes to stderr.
"""

import functools
import json
import os
import queue
import sys
import threading
import tomllib
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from miai.engine.log import log
from miai.players.options import resolve_options


def _take_standard_output() -> BinaryIO:
    """Return the standard output for messages alone, and make everything else print to stderr."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


class Sender:
    """Writes messages, from any thread."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._lock = threading.Lock()

    def __call__(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with self._lock:
            try:
                self._output.write(line)
                self._output.flush()
            except OSError:
                os._exit(0)  # the server is gone


def main() -> None:
    """Serve until the input ends."""
    send = Sender(_take_standard_output())
    setup = json.loads(sys.stdin.readline())
    options, game_options = resolve_options(config=tomllib.loads(setup["options"]))
    calls: queue.Queue[Callable[[], None] | None] = queue.Queue()
    send({"type": "loading"})
    from miai.web.workbench import Workbench

    workbench = Workbench(options, game_options, send, calls.put)

    def read() -> None:
        for line in sys.stdin:
            calls.put(functools.partial(workbench.handle, json.loads(line)))
        calls.put(None)

    threading.Thread(target=read, name="reader", daemon=True).start()
    while True:
        try:
            call = calls.get(timeout=workbench.seconds_to_wait())
        except queue.Empty:
            call = workbench.flag
        if call is None:
            break
        try:
            call()
        except Exception:
            log(traceback.format_exc())
            send({"type": "error", "text": "something went wrong inside miai; its window or terminal says what"})
    # A search or a compilation may be under way, which Python must not be torn down under.
    os._exit(0)


if __name__ == "__main__":
    main()
