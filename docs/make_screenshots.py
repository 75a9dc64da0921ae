"""Take the pictures of `miai web` that the README and the documentation show; tests/web drives the page with the same.

    python docs/make_screenshots.py

Needs playwright and Debian's chromium.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent / "reference"
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
PATIENCE = 300_000
"""Milliseconds for what may have to be compiled first."""
SGF = (
    "(;GM[1]SZ[9]KM[7]PB[Ann]PW[Ben];B[ee];W[gc];B[cc];W[cf];B[ge];W[dg](;B[fc];W[fb];B[eb];W[gb];B[ec];W[hd];B[bf]"
    ";W[bg];B[be];W[he])(;B[bf];W[cd];B[dd];W[ce]))"
)


@contextlib.contextmanager
def serve(options: Sequence[str], environment: dict[str, str] | None = None) -> Iterator[tuple[subprocess.Popen, str]]:
    """Run `miai web` with these options; yields the process and the address. It is killed at the end."""
    command = [sys.executable, "-m", "miai", "web", "--no-browser", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
    assert process.stdout is not None
    try:
        found = re.search(r"http\S+", process.stdout.readline())
        if found is None:
            raise RuntimeError("miai web did not start")
        yield process, found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """Run Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


def open_page(browser: Browser, address: str, **context: Any) -> Page:
    """Open the page and wait until it can be used."""
    page = browser.new_context(**{"viewport": WIDE, **context}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.locator("#start").wait_for()
    return page


def drop_sgf(page: Page, sgf: str) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """sgf => {
          const data = new DataTransfer();
          data.items.add(new File([sgf], "game.sgf"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }""",
        sgf,
    )
    page.locator("#variations circle").nth(3).wait_for()


def click_point(page: Page, column: int, row: int) -> None:
    """Click a point of the board, both counted from 0 at the top left."""
    board = page.locator("svg.board")
    box = board.bounding_box()
    assert box is not None
    scale = box["width"] / _side(page)
    board.click(position={"x": (34 + 40 * column) * scale, "y": (34 + 40 * row) * scale})


def _side(page: Page) -> float:
    """Return the side of the board in units of its drawing: 40 a line, and 34 at both ends."""
    return float((page.locator("svg.board").get_attribute("viewBox") or "").split()[2])


def _shoot(page: Page, path: Path) -> None:
    page.screenshot(path=path, type="jpeg", quality=85)


def take_screenshots(browser: Browser, address: str, folder: Path, simulations: int = 3000) -> None:
    """Write the pictures `web-analyze.jpg`, `web-watch.jpg`, `web-tree.jpg` and `web-phone.jpg`."""
    page = open_page(browser, address, color_scheme="light")
    drop_sgf(page, SGF)
    page.click("#do-last")
    page.click("#review")
    page.locator("ol.worst, .card p.quiet >> nth=0").first.wait_for()
    page.locator("#review", has_text="Review").wait_for()
    page.click("#analyze")
    page.locator(".candidates tbody tr >> nth=3").wait_for()
    page.wait_for_timeout(4000)
    page.mouse.move(0, 0)
    _shoot(page, folder / "web-analyze.jpg")
    page.click("#analyze")
    page.click("#tab-watch")
    page.check("[name=compare]")
    page.fill("[name=simulations]", str(simulations))
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=finished]").wait_for()
    page.locator(".search.first .twist").first.click()
    page.locator(".search.first [aria-level='2']").first.wait_for()
    page.wait_for_timeout(500)
    _shoot(page, folder / "web-watch.jpg")
    page.context.close()
    page = open_page(browser, address, color_scheme="dark")
    page.click("#tab-watch")
    page.select_option("[name=domain]", "simulated")
    page.check("[name=compare]")
    page.fill("[name=simulations]", str(simulations))
    page.click("#watch-start")
    page.locator("#panel-watch[data-state=finished]").wait_for()
    page.wait_for_timeout(500)
    _shoot(page, folder / "web-tree.jpg")
    page.context.close()
    page = open_page(browser, address, viewport=PHONE, color_scheme="dark", has_touch=True)
    page.locator("svg.board.playable").wait_for()
    last = round((_side(page) - 68) / 40)
    for column, row in ((last // 2, last // 2), (last // 4, last // 4), (last - last // 4, last // 4)):
        click_point(page, column, row)
        page.wait_for_timeout(400)
    page.click("#do-hint")
    page.locator("#panel-play tbody tr").first.wait_for()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)
    _shoot(page, folder / "web-phone.jpg")
    page.context.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as state, open_browser() as chromium:
        with serve(["--port", "0", "--seed", "1"], {"XDG_STATE_HOME": state}) as (_, url):
            take_screenshots(chromium, url, FOLDER)
