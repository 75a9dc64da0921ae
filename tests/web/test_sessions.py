"""How many engines run at once, and when they end; without processes."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from miai.web import sessions
from miai.web.outbox import Outbox
from miai.web.sessions import PageSession, SessionTable, TooManySessions

PATIENCE = 60.0


class Engine:
    """Stands in for an engine's process: starts and ends slowly, and takes every message."""

    running = 0
    most = 0
    """That ran at once."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], tell_end: Callable[[], None]) -> None:
        self.tell = tell
        self.tell_end = tell_end
        self.taken: list[str] = []

    @classmethod
    async def start(
        cls, setup: dict[str, Any], on_message: Callable[[dict[str, Any]], None], on_end: Callable[[], None]
    ) -> "Engine":
        Engine.running += 1
        Engine.most = max(Engine.most, Engine.running)
        await asyncio.sleep(0.01)
        return cls(on_message, on_end)

    async def send(self, message: dict[str, Any]) -> None:
        self.taken.append(message["type"])

    async def close(self) -> None:
        await asyncio.sleep(0.01)
        Engine.running -= 1

    def break_down(self) -> None:
        Engine.running -= 1
        self.tell_end()


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "EngineProcess", Engine)
    monkeypatch.setattr(Engine, "running", 0)
    monkeypatch.setattr(Engine, "most", 0)


async def connect(table: SessionTable, name: str | None = None) -> PageSession:
    """Do what the server does for a page."""
    session = await table.open(name, None)
    session.outboxes.add(Outbox())
    await session.send({"type": "refresh"})
    return session


def engine_of(session: PageSession) -> Engine:
    assert session.engine is not None
    return cast(Engine, session.engine)


def position(thinking: str = "", running: int | None = None) -> dict[str, Any]:
    return {"type": "position", "thinking": thinking, "clocks": {"running": running}}


def test_pages_that_come_all_at_once_get_no_more_engines_than_allowed() -> None:
    async def act() -> list[PageSession | BaseException]:
        table = SessionTable({}, 4, 600)
        return await asyncio.gather(*(connect(table) for _ in range(10)), return_exceptions=True)

    outcomes = asyncio.run(act())
    assert sum(isinstance(one, TooManySessions) for one in outcomes) == 6
    assert Engine.most == 4


def test_an_engine_that_rests_wakes_up_only_if_there_is_room() -> None:
    async def act() -> None:
        table = SessionTable({}, 1, 600)
        first = await connect(table)
        await first.close_engine()
        second = await connect(table)
        with pytest.raises(TooManySessions, match="1 sessions are open"):
            await first.send({"type": "undo"})
        await second.close_engine()
        await first.send({"type": "undo"})
        assert engine_of(first).taken == ["restore", "refresh", "undo"]

    asyncio.run(act())
    assert Engine.most == 1


def test_an_engine_nobody_looks_at_makes_room_for_pages_that_come_at_once() -> None:
    async def act() -> list[PageSession | BaseException]:
        table = SessionTable({}, 2, 600)
        left = await connect(table)
        await connect(table)
        left.outboxes.clear()
        outcomes = await asyncio.gather(*(connect(table) for _ in range(3)), return_exceptions=True)
        assert left.engine is None
        return outcomes

    assert sum(isinstance(one, TooManySessions) for one in asyncio.run(act())) == 2
    assert Engine.most == 2


def test_an_engine_that_broke_down_leaves_room() -> None:
    async def act() -> None:
        table = SessionTable({}, 1, 600)
        first = await connect(table)
        engine_of(first).break_down()
        await connect(table)

    asyncio.run(act())
    assert Engine.most == 1


def test_an_engine_that_cannot_be_started_leaves_room(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> Engine:
        raise OSError("no more processes")

    async def act() -> None:
        table = SessionTable({}, 1, 600)
        with monkeypatch.context() as patch, pytest.raises(OSError, match="no more processes"):
            patch.setattr(Engine, "start", fail)
            await connect(table)
        await connect(table)

    asyncio.run(act())


@pytest.mark.parametrize("busy", [None, position(running=1), position(thinking="thinking")])
def test_a_start_a_running_clock_and_a_thought_are_not_idle(busy: dict[str, Any] | None) -> None:
    async def act() -> None:
        table = SessionTable({}, 1, 0.05)
        session = await connect(table)
        engine = engine_of(session)
        if busy is not None:
            engine.tell(busy)
        watcher = asyncio.create_task(table.end_idle())
        await asyncio.sleep(0.2)
        assert session.engine is not None
        engine.tell(position())
        async with asyncio.timeout(PATIENCE):
            while session.engine is not None:
                await asyncio.sleep(0.01)
        watcher.cancel()

    asyncio.run(act())
