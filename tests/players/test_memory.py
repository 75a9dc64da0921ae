"""A player that nobody holds gives its memory back at once: it leaves nothing to the garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from miai.engine.go.game import Game
from miai.players.options import resolve_options
from miai.players.player import Budget, Player


@contextmanager
def uncollected() -> Iterator[list[object]]:
    """Yield what only the collector would have freed of what is dropped meanwhile, once it has run."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def search_and_drop(preset: str, threads: int) -> None:
    player = Player(resolve_options(preset, given={"seed": 1, "memory": 16, "threads": threads})[0])
    game = Game(5)
    player.choose(game, game.to_play, Budget(100))
    player.judge_stones(game)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("preset", ["uct-random", "fuego", "net"])
def test_a_dropped_player_leaves_no_garbage(preset: str, threads: int) -> None:
    if preset == "net":
        pytest.importorskip("torch")
    search_and_drop(preset, threads)  # compiles what it needs
    with uncollected() as garbage:
        search_and_drop(preset, threads)
        gc.collect()
        assert [one for one in garbage if type(one).__module__.startswith("miai.")] == []
