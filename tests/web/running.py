"""`miai web` as a process, and pages that talk to it."""

import contextlib
import json
import re
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

OPTIONS = ["--preset", "uct-random", "--simulations", "60", "--memory", "16", "--size", "5", "--seed", "1"]
PATIENCE = 200.0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def children_of(process: int) -> list[int]:
    """Return the processes that a process has started and that live."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == process and state != "Z":
                found.append(int(path.parent.name))
    return found


class Talk:
    """A page's WebSocket."""

    def __init__(self, address: str, session: str | None = None, saved: Any = None) -> None:
        self._stack = contextlib.ExitStack()
        self.socket = self._stack.enter_context(open_socket(address))
        self.send("hello", session=session, saved=saved)
        self.session = ""
        self.saved: Any = None
        """What a page would have kept of the messages so far."""

    def __enter__(self) -> "Talk":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave."""
        self._stack.close()

    def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps({"type": kind, **fields}))

    def wait(self, kind: str, **values: Any) -> dict[str, Any]:
        """Return the next message of this kind with these values."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message["type"] == "welcome":
                self.session = message["session"]
            if message["type"] == "saved":
                self.saved = message["saved"]
            if message["type"] == kind and values.items() <= message.items():
                return message
        raise AssertionError(f"no {kind} {values}")


def open_socket(address: str, origin: str | None = "", token: str | None = None) -> ClientConnection:
    """Return a WebSocket to the server with this address, to be entered; by default as a page of its own opens it."""
    parts = urlsplit(address)
    found = re.search(r"token=(.*)", parts.query)
    assert found is not None
    cookie = f"miai-{parts.port}={found[1] if token is None else token}"
    return connect(
        f"ws://{parts.netloc}/socket",
        additional_headers={"Cookie": cookie},
        origin=f"http://{parts.netloc}" if origin == "" else origin,  # type: ignore[arg-type]
        max_size=1 << 24,
        proxy=None,
    )
