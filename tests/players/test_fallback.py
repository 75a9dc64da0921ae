"""Who plays where a network has not learned the size of the board."""

import dataclasses
import threading
from pathlib import Path

import pytest

from miai.engine.go.points import BLACK
from miai.gtp.session import Session
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.options import DEFAULT_NET_SIMULATIONS, DEFAULT_SIMULATIONS, PlayerOptions, resolve_options
from miai.players.player import Budget
from tests.gtp.fake_player import FakePlayer

pytest.importorskip("torch")

from tests.nets.tiny import TINY_LI_LIM, save_tiny


def net_options(path: Path, **changes: object) -> PlayerOptions:
    return dataclasses.replace(resolve_options("net")[0], net=str(path), **changes)


@pytest.fixture
def learned(tmp_path: Path) -> PlayerOptions:
    """Options of a network that has learned 5x5 and 7x7."""
    return net_options(Path(save_tiny(tmp_path / "net.safetensors", sizes=[5, 7])), time=2.0, threads=2)


def test_the_network_plays_what_it_has_learned(learned: PlayerOptions) -> None:
    assert options_on(learned, 5) is learned
    assert options_on(learned, 7) is learned


def test_elsewhere_its_fallback_plays_with_the_same_time(learned: PlayerOptions) -> None:
    other = options_on(learned, 6)
    fuego = resolve_options("fuego")[0]
    for name in ("select", "backup", "evaluator", "policy", "parameters"):
        assert getattr(other, name) == getattr(fuego, name), name
    assert (other.time, other.threads) == (2.0, 2)


def test_without_a_fallback_it_plays_wherever_it_fits(learned: PlayerOptions, tmp_path: Path) -> None:
    alone = dataclasses.replace(learned, fallback=None)
    assert options_on(alone, 6) is alone
    small = net_options(Path(save_tiny(tmp_path / "small.safetensors", TINY_LI_LIM)), fallback=None)
    assert options_on(small, 5) is small
    with pytest.raises(OptionError, match="plays on 5x5 boards only, not 9x9"):
        options_on(small, 9)


def test_a_network_that_names_no_sizes_plays_wherever_it_fits(tmp_path: Path) -> None:
    everywhere = net_options(Path(save_tiny(tmp_path / "net.safetensors")))
    assert options_on(everywhere, 19) is everywhere
    small = net_options(Path(save_tiny(tmp_path / "small.safetensors", TINY_LI_LIM)))
    assert options_on(small, 5) is small
    assert options_on(small, 9).evaluator == "playouts"


def test_a_file_that_gives_no_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="net: .*missing"):
        options_on(net_options(tmp_path / "missing"), 9)


def test_a_session_changes_players_with_the_board(learned: PlayerOptions, capsys: pytest.CaptureFixture[str]) -> None:
    made: list[str] = []

    def make_player(options: PlayerOptions) -> FakePlayer:
        made.append(options.evaluator)
        return FakePlayer(options)

    prepared: list[tuple[str, int]] = []
    session = Session(
        learned, make_player=make_player, prepare=lambda options, size: prepared.append((options.evaluator, size))
    )
    for size, evaluators in ((7, ["mixed"]), (9, ["mixed", "playouts"]), (5, ["mixed", "playouts"])):
        session.start_game(size)
        assert session.player.options == options_on(learned, size)
        assert made == evaluators
    assert prepared == [("mixed", 7), ("playouts", 9), ("mixed", 5)]
    assert capsys.readouterr().err == "miai: the network has not learned 9x9; fuego plays\n"


def test_a_fallback_has_its_own_number_of_simulations(learned: PlayerOptions) -> None:
    player = FakePlayer()
    session = Session(dataclasses.replace(learned, simulations=None, time=None), make_player=lambda options: player)
    for size in (7, 9):
        session.start_game(size)
        session.choose(BLACK, threading.Event())
    assert player.budgets == [Budget(DEFAULT_NET_SIMULATIONS, None), Budget(DEFAULT_SIMULATIONS, None)]
