"""KaTrain's own engine client and game tree with `miai analysis` at the other end.

KaTrain, https://github.com/sanderland/katrain, is not part of miai: `pip install katrain`, then
`pytest -m slow tests/analysis/test_katrain.py`.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator

import pytest

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1"}
pytest.importorskip("katrain")

from katrain.core.constants import OUTPUT_ERROR
from katrain.core.engine import KataGoEngine
from katrain.core.game_node import GameNode
from pysgf import Move

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="`exec` in the command")]

OPTIONS = "--preset fuego --simulations 100 --memory 32 --seed 1"
PATIENCE = 120.0
SIZE = 9


class Window:
    """What the client sees of KaTrain's window: it notes errors."""

    def __init__(self) -> None:
        self.errors: list[object] = []

    def log(self, message: object, level: int) -> None:
        if level == OUTPUT_ERROR:
            self.errors.append(message)

    def __call__(self, *message: object) -> None:
        self.errors.append(message)


@pytest.fixture
def window() -> Window:
    return Window()


@pytest.fixture
def engine(window: Window) -> Iterator[KataGoEngine]:
    """KaTrain's client as `Custom command` sets it up; no error may have come up in the end."""
    config = {"altcommand": f"exec {sys.executable} -m miai.cli.main analysis {OPTIONS}"}
    config |= {
        "max_visits": 100,
        "fast_visits": 25,
        "max_time": 8.0,
        "wide_root_noise": 0.04,
        "_enable_ownership": True,
    }
    started = KataGoEngine(window, config)
    yield started
    started.shutdown(finish=False)
    assert window.errors == []


def wait(condition: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def game_of(*moves: str) -> GameNode:
    """Return the last node of a game, Black first."""
    node = GameNode(properties={"RU": "chinese", "SZ": SIZE, "KM": 7})
    for number, move in enumerate(moves):
        node = node.play(Move.from_gtp(move, "BW"[number % 2]))
    return node


def test_a_position_is_analysed_as_katrain_shows_it(engine: KataGoEngine) -> None:
    node = game_of("E5", "C3")
    node.analyze(engine)
    wait(lambda: node.analysis_complete)
    assert node.root_visits >= 100 and node.parent.analysis["root"] is None
    assert 0.0 <= node.winrate <= 1.0 and abs(node.score) <= SIZE**2 + 7
    assert len(node.ownership) == SIZE**2 and len(node.policy) == SIZE**2 + 1
    assert node.policy_ranking[0][0] == pytest.approx(max(node.policy))
    best = node.candidate_moves[0]
    assert best["order"] == 0 and best["pv"][0] == best["move"] and best["visits"] > 0
    assert {"winrate", "scoreLead", "prior", "pointsLost", "relativePointsLost"} <= best.keys()


def test_black_wins_in_blacks_eyes_whoever_is_to_move(engine: KataGoEngine) -> None:
    black_leads = game_of("E5", "pass", "C3", "pass", "G7", "pass", "G3", "pass", "C7")
    black_leads.analyze(engine)
    black_leads.parent.analyze(engine)
    wait(lambda: black_leads.analysis_complete and black_leads.parent.analysis_complete)
    assert min(black_leads.winrate, black_leads.parent.winrate) > 0.7
    assert min(black_leads.score, black_leads.parent.score) > 0
    assert sum(black_leads.ownership) > 0


def test_the_moves_of_a_whole_game_are_analysed_fast(engine: KataGoEngine) -> None:
    last = game_of("E5", "G5", "E7", "C5", "F6", "D3", "G6", "C7")
    nodes = last.nodes_from_root
    for node in nodes:
        node.analyze(engine, analyze_fast=True, priority=-100)
    wait(lambda: all(node.analysis_complete for node in nodes))
    assert all(25 <= node.root_visits < 100 for node in nodes)
    assert all(node.points_lost is not None for node in nodes[1:])
    assert engine.is_idle()


def test_a_move_of_ones_own_alternatives_and_a_region_are_looked_at(engine: KataGoEngine) -> None:
    node = game_of("E5")
    node.analyze(engine)
    wait(lambda: node.analysis_complete)
    own = Move.from_gtp("A1", "W")
    node.analyze(engine, refine_move=own)
    wait(lambda: "A1" in node.analysis["moves"])
    assert node.analysis["moves"]["A1"]["pv"][0] == "A1"
    before = set(node.analysis["moves"])
    node.analyze(engine, find_alternatives=True)
    wait(lambda: set(node.analysis["moves"]) > before)
    other = game_of("E5")
    other.analyze(engine, region_of_interest=[0, 3, 0, 3])
    wait(lambda: other.analysis["moves"] and engine.is_idle())
    places = [Move.from_gtp(move).coords for move in other.analysis["moves"]]
    assert all(place is None or max(place) <= 3 for place in places)


def test_pondering_goes_on_until_it_is_stopped(engine: KataGoEngine) -> None:
    node = game_of("E5", "C5")
    node.analyze(engine, ponder=True)
    wait(lambda: node.root_visits > 1000)
    assert not node.analysis["completed"]
    engine.stop_pondering()
    engine.wait_to_finish()
    seen = node.root_visits
    time.sleep(0.5)
    assert node.root_visits == seen and engine.is_idle()


def test_a_new_game_and_a_restart_drop_what_was_asked(engine: KataGoEngine) -> None:
    old, new = game_of("E5"), game_of("C3")
    old.analyze(engine, visits=10_000_000, time_limit=False)
    wait(lambda: engine.queries)
    engine.on_new_game()
    new.analyze(engine)
    wait(lambda: new.analysis_complete)
    assert not old.analysis_complete
    engine.restart()
    newest = game_of("G7")
    newest.analyze(engine)
    wait(lambda: newest.analysis_complete)


def test_no_illegal_move_of_a_sweep_is_an_error(engine: KataGoEngine) -> None:
    node = game_of("E5")
    node.analyze(engine, refine_move=Move.from_gtp("E5", "W"))
    node.analyze(engine)
    wait(lambda: node.analysis_complete and engine.is_idle())
