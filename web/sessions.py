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


class TooManySessions(Exception):
    """No further engine may run; the text says how many may."""


class PageSession:
    """A game and who looks at it."""

    def __init__(self, setup: dict[str, Any], seats: "Seats") -> None:
        self.id = secrets.token_urlsafe(18)
        self.outboxes: set[Outbox] = set()
        """Those of the connected pages."""
        self.engine: EngineProcess | None = None
        self.saved: dict[str, Any] | None = None
        """What an engine restores the game from; None = nothing happened yet."""
        self.last_used = time.monotonic()
        self.is_busy = False
        """Whether the engine starts, a clock runs, or miai thinks about its move: then silence is no idleness."""
        self._setup = setup
        self._seats = seats
        self._breakdowns: deque[float] = deque(maxlen=_MAX_RESTARTS)
        self._lock = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Hand a message to the engine, which is started if there is none.

        Raises:
            TooManySessions: if it cannot be started, as others run.
        """
        self.last_used = time.monotonic()
        async with self._lock:
            if self.engine is not None:
                await self.engine.send(message)
                return
            engine = await self._start_engine()
            await engine.send({"type": "restore", "saved": self.saved})
            await engine.send({"type": "refresh"})
            if message["type"] != "refresh":
                await engine.send(message)

    async def _start_engine(self) -> EngineProcess:
        await self._seats.take(self)
        self.is_busy = True  # until its first position
        try:
            self.engine = await EngineProcess.start(self._setup, self._receive, self._engine_ended)
        except BaseException:
            self._seats.give_back(self)
            raise
        return self.engine

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
                try:
                    await engine.close()
                finally:
                    self._seats.give_back(self)

    def _receive(self, message: dict[str, Any]) -> None:
        self.last_used = time.monotonic()
        if message["type"] == "saved":
            self.saved = message["saved"]
        elif message["type"] == "position":
            clocks = message["clocks"]
            self.is_busy = message["thinking"] == "thinking" or (clocks is not None and clocks["running"] is not None)
        for outbox in self.outboxes:
            outbox.put(message)

    def _engine_ended(self) -> None:
        """Note that the engine broke down; the next message starts another with the game as it was."""
        self.engine = None
        self._seats.give_back(self)
        now = time.monotonic()
        self._breakdowns.append(now)
        often = len(self._breakdowns) == _MAX_RESTARTS and now - self._breakdowns[0] < _RESTART_SECONDS
        log("miai: an engine of the web page ended unexpectedly")
        self.tell({"type": "engine-ended", "again": not often})

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to every page."""
        for outbox in self.outboxes:
            outbox.put(message)


class Seats:
    """The engines that may run at once. A session has one from before it starts until it has ended."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: set[PageSession] = set()

    async def take(self, session: PageSession) -> None:
        """Give a session a seat, unless it has one; where all are taken, it is that of an engine nobody looks at.

        Raises:
            TooManySessions: if there is none.
        """
        if session in self._taken:
            return
        if len(self._taken) < self._most:
            self._taken.add(session)
            return
        left = [one for one in self._taken if one.engine is not None and not one.outboxes]
        if not left:
            raise TooManySessions(f"{self._most} sessions are open, as many as may be: close another tab first")
        oldest = min(left, key=lambda one: one.last_used)
        self._taken.remove(oldest)
        self._taken.add(session)
        try:
            await oldest.close_engine()
        except BaseException:
            self.give_back(session)
            raise

    def give_back(self, session: PageSession) -> None:
        """Take a session's seat, if it has one."""
        self._taken.discard(session)


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
        self._seats = Seats(most)
        self._idle_seconds = idle_seconds
        self._sessions: dict[str, PageSession] = {}

    def find(self, name: str | None) -> PageSession | None:
        """Return a session by its id."""
        return self._sessions.get(name or "")

    async def open(self, name: str | None, saved: dict[str, Any] | None) -> PageSession:
        """Return the session of this id, or a new one that goes on from what the page had saved; it has a seat.

        Raises:
            TooManySessions: if as many engines run as may, all of them with a page.
        """
        session = self.find(name)
        if session is None:
            session = PageSession(self._setup, self._seats)
            session.saved = saved
        await self._seats.take(session)
        if session.id not in self._sessions:
            self._forget_oldest()
            self._sessions[session.id] = session
        return session

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
                if one.engine is not None and not one.is_busy and now - one.last_used > self._idle_seconds:
                    await one.close_engine()
                    one.tell({"type": "engine-asleep"})

    async def close(self) -> None:
        """End all engines."""
        await asyncio.gather(*(one.close_engine() for one in self._sessions.values()))
