"""What waits to be sent."""

import asyncio
import json

import pytest

from miai.web.outbox import MAX_WAITING, Outbox, TooSlow


def take(outbox: Outbox, number: int) -> list[dict[str, object]]:
    async def take_all() -> list[dict[str, object]]:
        return [json.loads(await asyncio.wait_for(outbox.take(), 5)) for _ in range(number)]

    return asyncio.run(take_all())


def test_of_what_streams_only_the_latest_waits() -> None:
    outbox = Outbox()
    for number in range(100):
        outbox.put({"type": "analysis", "visits": number})
    outbox.put({"type": "position", "node": 1})
    outbox.put({"type": "position", "node": 2})
    outbox.put({"type": "analysis", "visits": 100})
    assert take(outbox, 3) == [
        {"type": "position", "node": 1},
        {"type": "position", "node": 2},
        {"type": "analysis", "visits": 100},
    ]


def test_a_page_that_takes_nothing_is_given_up() -> None:
    outbox = Outbox()
    for number in range(MAX_WAITING + 1):
        outbox.put({"type": "position", "node": number})
    with pytest.raises(TooSlow):
        take(outbox, 1)
