"""`miai web` for hours, with a page that stays and others that come and go: memory stays flat.

`MIAI_SOAK_HOURS=10 pytest -m slow tests/soak/test_web.py -s` runs so long, and shows memory and visits now and then.
"""

import contextlib
import os
import random
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("websockets")
pytest.importorskip("playwright")

from tests.commands import load_script
from tests.web.running import Talk, children_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

HOURS = float(os.environ.get("MIAI_SOAK_HOURS", "0.1"))
SESSIONS = 3
OPTIONS = (
    *("--preset", "fuego", "--simulations", "200", "--memory", "32", "--size", "9", "--seed", "1"),
    *("--sessions", str(SESSIONS), "--idle", "1"),
)
GAME = {"size": 9, "komi": 7, "rules": "tromp-taylor", "color": "black"}
GROWTH = 24.0
"""MiB that a process may hold more at the end than after the first third; a new thread's heap alone takes some."""


class Visitor:
    """A page that a person opens, uses for a while and leaves."""

    def __init__(self, address: str, seed: int) -> None:
        self._address = address
        self._random = random.Random(seed)
        self._left: list[tuple[str, object]] = []
        self.visits = 0

    def visit(self) -> None:
        """Come, often to a game that was left before; do something; go, at times in the midst of it."""
        name, saved = self._random.choice(self._left) if self._random.random() < 0.5 and self._left else (None, None)
        with Talk(self._address, name, saved) as page:
            page.wait("welcome")
            for _ in range(self._random.randrange(4)):
                self._do_something(page)
            self._left = [*self._left[-20:], (page.session, page.saved)]
        self.visits += 1

    def _do_something(self, page: Talk) -> None:
        kind = self._random.choice(("play", "analyze", "undo", "unheeded"))
        if kind == "play":
            play_moves(page, self._random.randrange(1, 6))
        elif kind == "analyze":
            page.send("analyze", on=True)
            for _ in range(self._random.randrange(1, 8)):
                page.wait("analysis")
            if self._random.random() < 0.7:
                page.send("analyze", on=False)
        elif kind == "undo":
            page.send("undo")
        else:
            page.send("analyze", on=True)
            page.send("undo")


def play_moves(page: Talk, number: int) -> None:
    """Begin a game and play some moves, each answered by the engine."""
    page.send("new-game", settings=GAME)
    position = page.wait("position", node=0, phase="playing")
    for _ in range(number):
        points = [f"{column}{row}" for row in range(9, 0, -1) for column in "ABCDEFGHJ"]
        empty = [point for point, stone in zip(points, position["board"], strict=True) if stone == "."]
        free = sorted({*empty} - {*position["illegal"]})
        page.send("play", move=random.choice(free))
        page.wait("position", to_play="white")
        position = page.wait("position", thinking="")
        while position["to_play"] == "white" and position["phase"] == "playing":
            position = page.wait("position", thinking="")
        if position["phase"] != "playing":
            break


def resident(process: int) -> float:
    """Return a process's resident memory in MiB, 0 if it has ended."""
    with contextlib.suppress(OSError):
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0


def test_memory_stays_flat_while_pages_come_and_go(tmp_path: Path) -> None:
    serve = load_script("make_screenshots").serve
    with serve(["--port", "0", *OPTIONS], {"XDG_STATE_HOME": str(tmp_path)}) as (server, address):
        begin = time.monotonic()
        visitor = Visitor(address, 1)
        with Talk(address) as stays:
            play_moves(stays, 2)
            (engine,) = children_of(server.pid)
            samples: list[tuple[float, float, float]] = []
            next_line = 0.0
            while (passed := time.monotonic() - begin) < 3600.0 * HOURS:
                visitor.visit()
                play_moves(stays, 2)
                time.sleep(random.uniform(0.0, 3.0))
                processes = children_of(server.pid)
                assert engine in processes and len(processes) <= SESSIONS
                samples.append((passed, resident(server.pid), resident(engine)))
                if passed > next_line:
                    next_line = passed + 3600.0 * HOURS / 20.0
                    of_server, of_engine = samples[-1][1:]
                    told = f"{visitor.visits} visits, server {of_server:.0f} MiB, engine {of_engine:.0f} MiB"
                    print(f"{passed / 60:.0f} min: {told}, {len(processes)} engines", flush=True)
        early = [sample for sample in samples if sample[0] > 1200.0 * HOURS][:5]
        for place, name in ((1, "server"), (2, "engine")):
            before, after = (max(sample[place] for sample in some) for some in (early, samples[-5:]))
            print(f"{name}: {before:.0f} MiB after a third, {after:.0f} MiB after {visitor.visits} visits")
            assert after < before + GROWTH, f"the {name} grew from {before:.0f} to {after:.0f} MiB"
