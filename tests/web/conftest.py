"""A running `miai web`, and its page in Chromium. Playwright may be missing, hence the late imports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.web.browsing import Complaints


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}


@pytest.fixture(scope="module")
def address(state: dict[str, str]) -> Iterator[str]:
    from tests.web.browsing import SHOTS
    from tests.web.running import OPTIONS

    with SHOTS.serve(["--port", "0", *OPTIONS], state) as (_, found):
        yield found


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from tests.web.browsing import SHOTS

    with SHOTS.open_browser() as one:
        yield one


@pytest.fixture
def complaints() -> "Iterator[Complaints]":
    from tests.web.browsing import Complaints

    found = Complaints()
    yield found
    assert found == []


@pytest.fixture
def page(browser: "Browser", address: str, complaints: "Complaints") -> "Iterator[Page]":
    from tests.web.browsing import PATIENCE, SHOTS

    context = browser.new_context(viewport=SHOTS.WIDE)
    context.set_default_timeout(PATIENCE)
    one = complaints.listen(context.new_page(), address)
    one.goto(address)
    one.locator("#start").wait_for()
    yield one
    context.close()
