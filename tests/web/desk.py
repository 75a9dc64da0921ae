"""A workbench without a server, with what it says."""

import base64
import queue
import time
from collections.abc import Callable
from typing import Any

from miai.players.options import resolve_options
from miai.web.messages import make_messages
from miai.web.workbench import Workbench

PATIENCE = 120.0
MESSAGES = make_messages()
GAME = {"size": 5, "komi": 7.0, "rules": "tromp-taylor"}


class Desk:
    """A workbench, with what it says."""

    def __init__(self) -> None:
        self.calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self.said: list[dict[str, Any]] = []
        self.saved: dict[str, Any] = {}
        """What a page would have kept of the messages so far."""
        options, games = resolve_options("uct-random", None, {"simulations": 60, "seed": 1, "memory": 16})
        self.workbench = Workbench(options, games, self.said.append, self.calls.put)

    def do(self, kind: str, **fields: Any) -> None:
        """Hand over a page's message, checked as the server does."""
        self.workbench.handle({"type": kind, **MESSAGES[kind].read(fields)})

    def wait(self, kind: str, **values: Any) -> dict[str, Any]:
        """Return the next message of this kind with these values, and forget those before it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for number, one in enumerate(self.said):
                if one["type"] == "saved":
                    self.saved = one["saved"]
                if one["type"] == kind and values.items() <= one.items():
                    del self.said[: number + 1]
                    return one
            try:
                self.calls.get(timeout=0.05)()
            except queue.Empty:
                continue
        raise AssertionError(f"no {kind} {values} among {[one['type'] for one in self.said]}")

    def load(self, sgf: str) -> dict[str, Any]:
        self.do("load-sgf", sgf=base64.b64encode(sgf.encode()).decode())
        return self.wait("position", node=0)

    def restored(self) -> "Desk":
        """Return a workbench of another process that goes on from what a page has kept of this one, checked."""
        again = Desk()
        again.workbench.handle({"type": "restore", "saved": MESSAGES["hello"].read({"saved": self.saved})["saved"]})
        again.workbench.handle({"type": "refresh"})
        return again

    def new_game(self, **settings: Any) -> dict[str, Any]:
        self.do("new-game", settings={**GAME, "preset": "uct-random", **settings})
        return self.wait("position", node=0)
