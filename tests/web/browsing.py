"""What tests do with the page in Chromium."""

import re
from types import ModuleType

from playwright.sync_api import Page, expect

from tests.commands import load_script

SHOTS: ModuleType = load_script("make_screenshots")
PATIENCE = 120_000


class Complaints(list[str]):
    """What the console of a page says, and what it asked of other machines."""

    def listen(self, page: Page, address: str) -> Page:
        page.on(
            "console", lambda one: self.append(f"{one.type}: {one.text}") if one.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda one: self.append(str(one)))
        own = address.split("?")[0]
        page.on("request", lambda one: None if one.url.startswith((own, "blob:", "data:")) else self.append(one.url))
        return page


def begin(page: Page, opponent: str = "preset:uct-random", size: str = "5", color: str = "black") -> None:
    page.click("#tab-play")
    page.select_option("[name=opponent]", opponent)
    page.select_option("[name=size]", size)
    page.select_option("[name=color]", color)
    page.click("#start")
    expect(page.locator("svg.board")).to_have_attribute("aria-label", re.compile(f"{size} by {size}"), timeout=PATIENCE)
    status(page, r"to play")


def status(page: Page, words: str) -> None:
    expect(page.locator("#status")).to_have_text(re.compile(words), timeout=PATIENCE)


def stones(page: Page) -> int:
    return page.locator("svg.board .stone:not(.gone)").count()


def number(page: Page, words: str) -> None:
    expect(page.locator("#number")).to_have_text(re.compile(words), timeout=PATIENCE)
