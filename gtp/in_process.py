"""An engine in a thread of this process, for clients that speak GTP with it.

with connect(engine_loop(Session())) as client:
    print(client.send("genmove b"))
"""

import os
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO

from miai.gtp.client import Client
from miai.gtp.commands import handler_of
from miai.gtp.protocol import Exchange, serve
from miai.gtp.session import Session

EngineLoop = Callable[[BinaryIO, BinaryIO], None]
"""Answers what it reads from the first stream on the second until the first ends."""


def engine_loop(session: Session) -> EngineLoop:
    """Return an engine on a session, to be connected."""

    def carry_out(exchange: Exchange) -> str | None:
        return handler_of(exchange.name)(session, exchange)

    def run(requests: BinaryIO, replies: BinaryIO) -> None:
        serve(requests, replies, carry_out)
        session.close()

    return run


def connect(run: EngineLoop) -> Client:
    """Run an engine loop and connect to it."""
    return Client(InProcessChannel(run))


class InProcessChannel:
    """Run an engine loop in a thread of this process, joined by two pipes."""

    def __init__(self, run: EngineLoop) -> None:
        engine_reads, client_writes = os.pipe()
        client_reads, engine_writes = os.pipe()
        self.requests: BinaryIO = os.fdopen(client_writes, "wb")
        self.replies: BinaryIO = os.fdopen(client_reads, "rb")
        self._engine_reads: BinaryIO = os.fdopen(engine_reads, "rb")
        self._engine_writes: BinaryIO = os.fdopen(engine_writes, "wb")
        self._run = run
        self._failure = ""
        self._thread = threading.Thread(target=self._run_engine, name="gtp-in-process-engine", daemon=True)
        self._thread.start()

    def _run_engine(self) -> None:
        try:
            self._run(self._engine_reads, self._engine_writes)
        except Exception:
            self._failure = traceback.format_exc()
        finally:
            for stream in (self._engine_writes, self._engine_reads):
                try:
                    stream.close()
                except OSError:
                    pass

    def describe_end(self) -> str:
        """Tell that the loop ended, and with which exception."""
        self._thread.join(1.0)
        return "the engine ended" + ("; its last words:\n" + self._failure if self._failure else "")

    def close(self, grace: float) -> None:
        """End a search, close the engine's input and wait for its thread, `grace` seconds at least."""
        try:
            self.requests.write(b"# interrupt\n")
            self.requests.close()
        except (OSError, ValueError):
            pass
        self._thread.join(max(grace, 1.0))
