"""The settings of a player on CGOS: what is wrong is named, and the password stays with its owner."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from miai.cgos.settings import PASSWORD_VARIABLE, read_settings
from tests.cgos.house import House
from tests.cgos.test_client import cgos, fake, houses, surroundings, write_config
from tests.commands import ROOT

__all__ = ["houses", "surroundings"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"port": 0}, "port: '0' is not allowed (allowed: a whole number from 1 to 65535)"),
        ({"name": "1x"}, "name: '1x' is not allowed (allowed: 3 to 18 letters"),
        ({"name": None}, "cgos.toml names no name (needed: server, port, name)"),
        ({"pasword_file": "x"}, "there is no setting 'pasword_file' – did you mean 'password_file'?"),
        ({"password": "x"}, "a password does not stand in the settings"),
        ({"password_file": "nowhere"}, "cannot read the password in nowhere: No such file or directory"),
        ({"password_file": None}, f"there is no password (allowed: password_file, or {PASSWORD_VARIABLE})"),
        ({"player": "fuegoo"}, "did you mean 'fuego'?"),
        ({"size": 25}, "size: '25' is not allowed"),
        ({"server": "no such host"}, "server: 'no such host' is not allowed"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], words: str) -> None:
    ended = cgos(write_config(None, settings.pop("player", fake()), **settings))
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())


def test_a_password_that_others_can_read_is_refused() -> None:
    Path("password").chmod(0o644)
    ended = cgos(write_config(None, fake()))
    assert ended.exit_code == 2
    assert "chmod 600 password" in ended.stderr


def test_the_settings_of_the_page_are_settings() -> None:
    page = (ROOT / "docs" / "how-to" / "cgos.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    Path("shown.toml").write_text(text)
    settings = read_settings(Path("shown.toml"))
    assert (settings.player, settings.name) == ("net:threads=2", "miai-test")
    table = re.findall(r"^\| `(\w+)` \|.*\| `?([^|`]+)`? \|$", page, re.MULTILINE)
    shown = {name: str(getattr(settings, name)).lower().removesuffix(".0") for name, _ in table}
    assert shown == {name: default.strip() for name, default in table} and len(shown) == 5


def test_a_server_that_is_not_there_ends_it_at_the_start() -> None:
    ended = cgos(write_config(None, fake()))
    assert ended.exit_code == 1
    assert "cannot connect to 127.0.0.1 port 1: Connection refused" in ended.stderr


def test_a_player_that_cannot_play_is_told_before_any_connection(houses: list[House]) -> None:
    houses.append(house := House())
    ended = cgos(write_config(house, shlex.join([sys.executable, "-c", "import sys; sys.exit('no licence')"])))
    assert ended.exit_code == 1
    assert "cannot play" in ended.stderr and "no licence" in ended.stderr
    assert house.received == []
