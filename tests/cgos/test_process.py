"""`miai cgos` as a process: killed, left by signals, cut off, and what others on the machine see of it."""

import signal
import subprocess
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from miai.engine.go.sgf import load_game
from tests.cgos.house import PASSWORD, House, HouseGame, at_random
from tests.cgos.test_client import MIAI, cgos, check_records, fake, houses, surroundings, write_config
from tests.processes import running_miai

__all__ = ["houses", "surroundings"]


def running_client(house: House, player: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run the command as a process of its own."""
    return running_miai("cgos", str(write_config(house, player)))


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it does not come to that")


def test_a_second_client_in_the_same_folder_is_refused(houses: list[House]) -> None:
    houses.append(house := House())
    with running_client(house, fake(delay=30)):
        wait_for(lambda: house.received[3:] or len(house.games) == 1)
        ended = cgos(write_config(house, fake()))
        assert ended.exit_code == 1
        assert "cgos is in use by another miai cgos" in ended.stderr


def test_a_killed_client_goes_on_when_it_is_started_again(houses: list[House]) -> None:
    houses.append(house := House(policy=at_random(6)))
    with running_client(house, fake("C3 B2 D4 A1", delay=0.3)):
        wait_for(lambda: house.games and len(house.games[0].moves) >= 4)
    assert load_game(Path("cgos/games/1.sgf"))[1].result == "?"
    ended = cgos(write_config(house, MIAI), "--games", 1)
    assert ended.exit_code == 0, ended.output
    assert len(house.games) == 1
    assert "moves made" in ended.stderr
    check_records(house)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_after_the_game(number: int, houses: list[House]) -> None:
    houses.append(house := House(num_games=9))
    with running_client(house, fake("C3 B2 D4 A1", delay=0.2)) as process:
        wait_for(lambda: house.games and len(house.games[0].moves) >= 2)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert "leaving after this game" in told and "left after 1 games" in told
    assert house.received[-1] == "quit"
    check_records(house)


def test_a_signal_between_games_leaves_at_once(houses: list[House]) -> None:
    houses.append(house := House(num_games=1))
    with running_client(house, fake()) as process:
        wait_for(house.is_idle.is_set)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 0
    assert house.received[-1] == "quit"


def test_a_signal_while_the_server_is_gone_leaves_when_the_game_is_lost_on_time(houses: list[House]) -> None:
    def shut_down(house: House, game: HouseGame) -> None:
        if len(game.moves) == 2:
            house.close()
            raise OSError

    houses.append(house := House(seconds=4.0, on_move=shut_down))
    with running_client(house, fake("C3 B2")) as process:
        log = Path("cgos/cgos.log")
        wait_for(lambda: log.exists() and "trying again" in log.read_text())
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=20)
    assert process.returncode == 0, told
    assert "cannot connect" in told and "left after 0 games" in told
    assert load_game(Path("cgos/games/1.sgf"))[1].result == "?"


def test_a_second_signal_leaves_at_once(houses: list[House]) -> None:
    houses.append(house := House())
    with running_client(house, fake("C3", delay=60)) as process:
        wait_for(lambda: house.games)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=20)
    assert process.returncode == 130, told
    assert "left at once" in told and "Traceback" not in told


def test_the_password_is_in_no_command_line(houses: list[House]) -> None:
    houses.append(house := House())
    with running_client(house, fake("C3", delay=20)):
        wait_for(lambda: house.games)
        listed = subprocess.run(["ps", "-e", "-o", "args="], capture_output=True, text=True).stdout
        assert "cgos.toml" in listed and PASSWORD not in listed
