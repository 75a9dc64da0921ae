"""What waits to be sent to a page: of what comes many times a second only the latest, of all else everything."""

import asyncio
import json
from typing import Any

LATEST = frozenset({"analysis", "watch", "saved", "progress"})
"""Types of messages of which a later one replaces one that waits."""
MAX_WAITING = 2000
"""Messages that may wait; a page that takes none of them is given up."""


class TooSlow(Exception):
    """The page does not read what it is sent."""


class Outbox:
    """Messages for one connection, in order."""

    def __init__(self) -> None:
        self._waiting: dict[object, str] = {}
        self._count = 0
        self._is_full = False
        self._arrived = asyncio.Event()

    def put(self, message: dict[str, Any]) -> None:
        """Add a message."""
        kind = message["type"]
        if kind in LATEST:
            key: object = kind
            self._waiting.pop(key, None)
        else:
            self._count += 1
            key = self._count
        self._waiting[key] = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self._is_full = self._is_full or len(self._waiting) > MAX_WAITING
        self._arrived.set()

    async def take(self) -> str:
        """Wait for the next message and return its text.

        Raises:
            TooSlow: if too many waited.
        """
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        if self._is_full:
            raise TooSlow
        key = next(iter(self._waiting))
        return self._waiting.pop(key)
