"""What the page does with keys, a mouse and a server in special cases, in Chromium."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from miai.web.messages import MAX_BYTES
from tests.web.browsing import PATIENCE, SHOTS, begin, number, status
from tests.web.running import OPTIONS, Talk, free_port

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(not SHOTS.CHROMIUM.exists(), reason="chromium is not installed"),
]


def test_a_move_that_failed_can_be_asked_for_again(page: Page) -> None:
    sockets: list[WebSocketRoute] = []

    def join(route: WebSocketRoute) -> None:
        route.connect_to_server()
        sockets.append(route)

    page.route_web_socket(re.compile("/socket$"), join)
    page.reload()
    begin(page)
    status(page, "Your turn")
    retry = page.locator("#do-retry")
    expect(retry).to_be_hidden()
    failed = {"phase": "playing", "to_play": "white", "thinking": "", "node": 0, "size": 5, "board": "." * 25}
    rest = {
        "captured": {"black": 0, "white": 0},
        "illegal": [],
        "dead": [],
        "comment": "",
        "result": "",
        "clocks": None,
    }
    sockets[-1].send(json.dumps({"type": "position", **failed, **rest}))
    retry.click()
    status(page, "Your turn")
    expect(retry).to_be_hidden()
