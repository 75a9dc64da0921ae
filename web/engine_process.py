"""The process that plays and searches for a session, from the server's side: JSON lines in and out."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

MAX_LINE = 8 << 20
"""Bytes of a line that the process may send."""
_PATIENCE = 3.0
"""Seconds that a process has to end by itself."""


class EngineProcess:
    """A running `miai.web.worker`."""

    def __init__(self, process: asyncio.subprocess.Process, on_message: Callable[[dict[str, Any]], None]) -> None:
        self._process = process
        self._on_message = on_message
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls, setup: dict[str, Any], on_message: Callable[[dict[str, Any]], None], on_end: Callable[[], None]
    ) -> "EngineProcess":
        """Start a process.

        Args:
            setup: its first line, see `miai.web.worker`.
            on_message: called with each of its messages.
            on_end: called when it ends without being asked to.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "miai.web.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
        )
        engine = cls(process, on_message)

        def tell(task: "asyncio.Task[None]") -> None:
            if not task.cancelled():
                on_end()

        engine._reader.add_done_callback(tell)
        await engine.send(setup)
        return engine

    async def send(self, message: dict[str, Any]) -> None:
        """Hand over a message; waits while the process has much to read. One that has ended takes nothing."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            await stdin.drain()

    async def close(self) -> None:
        """End the process: it is asked to, then killed."""
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _PATIENCE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while True:
            try:
                line = await stdout.readline()
            except ValueError:  # longer than any message is
                continue
            if not line:
                return
            self._on_message(json.loads(line))
