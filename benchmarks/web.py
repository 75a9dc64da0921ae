"""`miai bench web`: what a page that watches costs a search, and how soon the page is painted."""

import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from miai.benchmarks.figures import Figure
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.report import SearchReport
from miai.players.options import resolve_options
from miai.players.player import Player

PRESETS = ("fuego", "net")
_OPTIONS = {"threads": 1, "memory": 128, "seed": 1}
_ROUNDS = 3
_CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]
_PATIENCE = 300.0
"""Seconds for what may have to be compiled first."""
_PAINT = "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]"


@contextlib.contextmanager
def serve(preset: str) -> Iterator[str]:
    """Run `miai web` with a preset; yields its address."""
    flags = [word for name, value in _OPTIONS.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "miai", "web", "--no-browser", "--port", "0", "--preset", preset, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http\S+", process.stdout.readline())
        if found is None:
            raise RuntimeError("miai web did not start")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


def measure_alone(preset: str, seconds: float) -> float:
    """Return the simulations per second of an analysis that nobody sees."""
    player = Player(resolve_options(preset, None, dict(_OPTIONS))[0])
    player.search_root(Game(9), BLACK, 100, early_stop=False)
    player.new_game()
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    report = player.analyze(Game(9), BLACK, _ignore, 2.0 * seconds, stop)
    player.close()
    return report.simulations / report.seconds


def _ignore(_: SearchReport) -> None:
    """See nothing."""


def measure_watched(address: str, seconds: float) -> tuple[float, float]:
    """Return simulations and updates per second of an analysis that a page of its own is sent.

    Counted from the first update on: a new engine's first batches of a network take a second.
    """
    from websockets.sync.client import connect
    from websockets.typing import Origin

    parts = urlsplit(address)
    headers = {"Cookie": f"miai-{parts.port}={parse_qs(parts.query)['token'][0]}"}
    origin = Origin(f"http://{parts.netloc}")
    with connect(
        f"ws://{parts.netloc}/socket", additional_headers=headers, origin=origin, max_size=1 << 24, proxy=None
    ) as page:
        page.send(json.dumps({"type": "hello", "session": None, "saved": None}))
        page.send(json.dumps({"type": "analyze", "on": True}))
        updates: list[tuple[int, float]] = []
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            message = json.loads(page.recv(timeout=_PATIENCE))
            if message["type"] == "analysis":
                updates.append((message["simulations"], message["seconds"]))
                (first, begun), (last, ended) = updates[0], updates[-1]
                if ended - begun >= seconds:
                    return (last - first) / (ended - begun), (len(updates) - 1) / (ended - begun)
    raise RuntimeError("miai web does not analyze")


def measure_paint(address: str) -> float | None:
    """Return the milliseconds until Chromium paints the page; None where playwright or chromium are missing."""
    if importlib.util.find_spec("playwright") is None or not _CHROMIUM.exists():
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(_CHROMIUM), args=_FLAGS)
        page = browser.new_page()
        page.goto(address)
        page.locator("#start").wait_for(timeout=1000 * _PATIENCE)
        painted = float(page.evaluate(_PAINT))
        browser.close()
    return painted


def run(seconds: float) -> Iterator[Figure]:
    """Yield the figures; the searches take turns, each the fastest of three rounds."""
    for preset in PRESETS:
        alone, watched = [], []
        with serve(preset) as address:
            measure_watched(address, 0.5)
            for _ in range(_ROUNDS):
                alone.append(measure_alone(preset, seconds))
                watched.append(measure_watched(address, seconds))
            if preset == PRESETS[-1] and (painted := measure_paint(address)) is not None:
                yield Figure("web.first-paint", painted, "ms")
        yield Figure(f"web.{preset}.alone", max(alone), "simulations/s")
        yield Figure(f"web.{preset}.watched", max(speed for speed, _ in watched), "simulations/s")
        yield Figure(f"web.{preset}.watched-to-alone", max(speed for speed, _ in watched) / max(alone), "")
        yield Figure(f"web.{preset}.updates", max(updates for _, updates in watched), "/s")
