"""Sessions: a game with its engine, kept for a while after its page is gone; bounded in number."""

import asyncio
import secrets
import time
from collections import deque
from typing import Any

from miai.engine.log import log
from miai.web.engine_process import EngineProcess
from miai.web.outbox import Outbox

MAX_KEPT = 64
"""Sessions that are remembered, those without an engine included."""
_MAX_RESTARTS = 3
"""Engines that may break down in `_RESTART_SECONDS` before the session waits for the person."""
_RESTART_SECONDS = 60.0
_NAME_NODES = ("go-to", "delete", "comment")
"""Messages that name nodes: an engine that has just read the game may number them otherwise than the page."""


class TooManySessions(Exception):
    """No further engine may run; the text says how many may."""


class Session:
    """A game and who looks at it."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.id = secrets.token_urlsafe(18)
        self.outboxes: set[Outbox] = set()
        """Those of the connected pages."""
        self.engine: EngineProcess | None = None
        self.saved: dict[str, Any] | None = None
        """What an engine restores the game from; None = nothing happened yet."""
        self.last_used = time.monotonic()
        self._setup = setup
        self._breakdowns: deque[float] = deque(maxlen=_MAX_RESTARTS)
        self._lock = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Hand a message to the engine, which is started if there is none."""
        self.last_used = time.monotonic()
        async with self._lock:
            if self.engine is None:
                engine = await EngineProcess.start(self._setup, self._receive, self._engine_ended)
                self.engine = engine
                await engine.send({"type": "restore", "saved": self.saved})
                await engine.send({"type": "refresh"})
                if message["type"] not in ("refresh", *_NAME_NODES):
                    await engine.send(message)
            else:
                await self.engine.send(message)

    async def leave(self, outbox: Outbox) -> None:
        """Take a page away; an engine that nobody looks at rests."""
        self.outboxes.discard(outbox)
        async with self._lock:
            if not self.outboxes and self.engine is not None:
                await self.engine.send({"type": "away"})

    async def close_engine(self) -> None:
        """End the engine; the game stays."""
        async with self._lock:
            engine, self.engine = self.engine, None
            if engine is not None:
                await engine.close()

    def _receive(self, message: dict[str, Any]) -> None:
        self.last_used = time.monotonic()
        if message["type"] == "saved":
            self.saved = message["saved"]
        for outbox in self.outboxes:
            outbox.put(message)

    def _engine_ended(self) -> None:
        """Note that the engine broke down; the next message starts another with the game as it was."""
        self.engine = None
        now = time.monotonic()
        self._breakdowns.append(now)
        often = len(self._breakdowns) == _MAX_RESTARTS and now - self._breakdowns[0] < _RESTART_SECONDS
        log("miai: an engine of the web page ended unexpectedly")
        self.tell({"type": "engine-ended", "again": not often})

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to every page."""
        for outbox in self.outboxes:
            outbox.put(message)


class SessionTable:
    """All sessions of a server."""

    def __init__(self, setup: dict[str, Any], most: int, idle_seconds: float) -> None:
        """Begin without any.

        Args:
            setup: what each engine is told first.
            most: engines that may run at once.
            idle_seconds: after which an engine that does nothing is ended.
        """
        self._setup = setup
        self._most = most
        self._idle_seconds = idle_seconds
        self._sessions: dict[str, Session] = {}

    def find(self, name: str | None) -> Session | None:
        """Return a session by its id."""
        return self._sessions.get(name or "")

    async def open(self, name: str | None, saved: dict[str, Any] | None) -> Session:
        """Return the session of this id, or a new one that goes on from what the page had saved; make room for its
        engine.

        Raises:
            TooManySessions: if as many engines run as may, all of them with a page.
        """
        session = self.find(name)
        if session is None or session.engine is None:
            await self._make_room()
        if session is None:
            session = Session(self._setup)
            session.saved = saved
            self._forget_oldest()
            self._sessions[session.id] = session
        return session

    async def _make_room(self) -> None:
        running = [one for one in self._sessions.values() if one.engine is not None]
        if len(running) < self._most:
            return
        left = [one for one in running if not one.outboxes]
        if not left:
            raise TooManySessions(f"{self._most} sessions are open, as many as may be: close another tab first")
        await min(left, key=lambda one: one.last_used).close_engine()

    def _forget_oldest(self) -> None:
        """Make room for another session."""
        idle = [one for one in self._sessions.values() if one.engine is None and not one.outboxes]
        for one in sorted(idle, key=lambda one: one.last_used)[: max(0, len(self._sessions) + 1 - MAX_KEPT)]:
            del self._sessions[one.id]

    async def end_idle(self) -> None:
        """End engines that did nothing for long, again and again."""
        while True:
            await asyncio.sleep(min(10.0, self._idle_seconds / 4))
            now = time.monotonic()
            for one in list(self._sessions.values()):
                if one.engine is not None and now - one.last_used > self._idle_seconds:
                    await one.close_engine()
                    one.tell({"type": "engine-asleep"})

    async def close(self) -> None:
        """End all engines."""
        await asyncio.gather(*(one.close_engine() for one in self._sessions.values()))
