"""Talk to an engine loop of this process byte by byte, so that tests see exactly what it writes."""

import os
import select
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

PATIENCE = 200.0
"""Seconds after which a reply is given up for lost."""


class Conversation:
    """Two pipes to an engine loop that runs in a thread."""

    def __init__(self, run: Callable[[BinaryIO, BinaryIO], None]) -> None:
        engine_reads, self._write_to = os.pipe()
        self._read_from, engine_writes = os.pipe()
        self._rest = b""
        requests, replies = os.fdopen(engine_reads, "rb"), os.fdopen(engine_writes, "wb")

        def run_and_close() -> None:
            with requests, replies:
                run(requests, replies)

        self.thread = threading.Thread(target=run_and_close, daemon=True)
        self.thread.start()

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
        os.close(self._read_from)

    def send(self, data: bytes | str) -> None:
        """Send bytes as they are, or a line of text."""
        data = data if isinstance(data, bytes) else data.encode() + b"\n"
        while data:
            data = data[os.write(self._write_to, data) :]

    def read_reply(self) -> str:
        """Return the next reply with the blank line that ends it."""
        return self._read_until(b"\n\n").decode("utf-8", "replace")

    def read_line(self) -> str:
        """Return the next line, without its newline."""
        return self._read_until(b"\n").decode("utf-8", "replace")[:-1]

    def ask(self, line: str) -> str:
        """Send a line and return the reply."""
        self.send(line)
        return self.read_reply()

    def finish(self) -> str:
        """Close the engine's input and return all it still writes."""
        if self._write_to >= 0:
            os.close(self._write_to)
            self._write_to = -1
        while self._fill():
            pass
        self.thread.join(PATIENCE)
        rest, self._rest = self._rest, b""
        return rest.decode("utf-8", "replace")

    def _read_until(self, end: bytes) -> bytes:
        deadline = time.monotonic() + PATIENCE
        while end not in self._rest:
            assert time.monotonic() < deadline, f"no reply; so far {self._rest!r}"
            assert self._fill(), f"the engine ended; so far {self._rest!r}"
        reply, _, self._rest = self._rest.partition(end)
        return reply + end

    def _fill(self) -> bool:
        assert select.select([self._read_from], [], [], PATIENCE)[0], f"no reply; so far {self._rest!r}"
        chunk = os.read(self._read_from, 1 << 16)
        self._rest += chunk
        return bool(chunk)
