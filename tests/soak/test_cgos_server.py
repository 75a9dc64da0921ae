"""`miai cgos` against the real server, with cut connections: no game is lost for a cut.

The server is https://github.com/zakki/cgos, not part of miai; it needs the package `passlib`.
`MIAI_CGOS_SERVER=cgos/server-python pytest -m slow tests/soak/test_cgos_server.py -s` plays `MIAI_CGOS_GAMES` games,
200 at first, and cuts one connection in ten games.
"""

import collections
import contextlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = os.environ.get("MIAI_CGOS_SERVER", "")
GAMES = int(os.environ.get("MIAI_CGOS_GAMES", "200"))
CUTS = GAMES // 10
ACCOUNTS = 8
"""Players; half as many games are played at a time."""
PATIENCE = 300.0
"""Seconds without a finished game after which the server counts as hanging."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SERVER, reason="MIAI_CGOS_SERVER names no server"),
]

SETTINGS = """[cgos-server]
adminPassword = unused
serverName = soak
htmlInfoMsg = soak
portNumber = {port}
boardsize = 9
komi = 7.0
ko = POSITIONAL
rule = Chinese
level = 120
timeGift = 0.25
handiElo = 100
database_state_file = state.db
cgi_database = cgi.db
web_data_file = web.txt
defaultRating = 1800.0
minK = 3.0
maxK = 200.0
htmlDir = html
sgfDir = html/SGF
moveIntervalBetweenSave = 1
provisionalAge = 0.04
establishedAge = 31.0
killFile = stop
tools_dir = tools
bin_dir = bin
bad_users_file =
"""
LOGGING = """[loggers]
keys=root
[handlers]
keys=file
[formatters]
keys=
[logger_root]
level=INFO
handlers=file
[handler_file]
class=FileHandler
args=("server.log",)
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Line:
    """A player's connection on its way to the server and back."""

    def __init__(self, player: socket.socket, server: socket.socket) -> None:
        self._ends = (player, server)
        self.is_in_game = False
        """Whether the server has set up a game that goes on."""
        self.is_open = True
        for source, target in ((player, server), (server, player)):
            threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if source is self._ends[1]:
                    self._listen(data)
                target.sendall(data)
        self.end()

    def _listen(self, said: bytes) -> None:
        for word in re.findall(rb"^(setup|gameover)\b", said, re.MULTILINE):
            self.is_in_game = word == b"setup"

    def cut(self, stream: random.Random) -> None:
        """End it, at times with a reset."""
        if stream.random() < 0.5:
            for end in self._ends:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end()

    def end(self) -> None:
        self.is_open = False
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Cable:
    """What lies between the players and the server."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._lines: list[Line] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                player, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._server_port))
                except OSError:
                    player.close()
                    continue
                self._lines.append(Line(player, server))

    def cut_one(self, stream: random.Random) -> bool:
        """Cut a line in the midst of a game, and tell whether there was one."""
        self._lines = [line for line in self._lines if line.is_open]
        if in_game := [line for line in self._lines if line.is_in_game]:
            stream.choice(in_game).cut(stream)
        return bool(in_game)

    def close(self) -> None:
        self._listener.close()
        for line in self._lines:
            line.end()


@contextlib.contextmanager
def real_server(folder: Path) -> Iterator[int]:
    """Run the server in a folder; yield its port."""
    folder.mkdir()
    port = free_port()
    (folder / "cgos.ini").write_text(SETTINGS.format(port=port))
    (folder / "log.ini").write_text(LOGGING)
    program = [sys.executable, str(Path(SERVER).resolve() / "cgos" / "server.py"), "cgos.ini"]
    with open(folder / "output.log", "wb") as output:
        server = subprocess.Popen(program, cwd=folder, stdout=output, stderr=output)
        try:
            while True:
                assert server.poll() is None, (folder / "output.log").read_text()
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            yield port
        finally:
            server.kill()
            server.wait()


@contextlib.contextmanager
def players(folder: Path, port: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Run every account's `miai cgos`."""
    folder.mkdir()
    (folder / "password").write_text("Tr0ub4dor-3\n")
    (folder / "password").chmod(0o600)
    running = []
    try:
        for number in range(ACCOUNTS):
            values = {"server": "127.0.0.1", "port": port, "name": f"soak-{number}", "password_file": "password"}
            values |= {"player": "fuego:simulations=500,memory=16", "folder": f"games-{number}"}
            config = folder / f"{number}.toml"
            config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
            with open(folder / f"{number}.log", "wb") as log:
                program = [sys.executable, "-m", "miai.cli.main", "cgos", config.name]
                running.append(subprocess.Popen(program, cwd=folder, stdout=log, stderr=log))
        yield running
    finally:
        for player in running:
            player.kill()
            player.wait()


def results_in(folder: Path) -> list[dict[str, Any]]:
    """Return what every account noted of every game."""
    return [json.loads(line) for path in folder.glob("*/results.jsonl") for line in path.read_text().splitlines()]


def test_no_game_is_lost_for_a_cut_connection(tmp_path: Path) -> None:
    stream = random.Random(1)
    cut_after = collections.deque(sorted(stream.randrange(GAMES * 9 // 10) for _ in range(CUTS)))
    with real_server(tmp_path / "server") as port, contextlib.closing(Cable(port)) as cable:
        with players(tmp_path / "players", cable.port) as running:
            finished, since = 0, time.monotonic()
            while finished < GAMES:
                time.sleep(stream.random())
                assert all(player.poll() is None for player in running), "a player left"
                if cut_after and finished >= cut_after[0] and cable.cut_one(stream):
                    cut_after.popleft()
                if (now := len(results_in(tmp_path / "players")) // 2) > finished:
                    finished, since = now, time.monotonic()
                    print(f"{finished} games, {CUTS - len(cut_after)} cuts", flush=True)
                assert time.monotonic() - since < PATIENCE, "no game ended"
            for player in running:
                player.send_signal(signal.SIGTERM)
            assert [player.wait(PATIENCE) for player in running] == [0] * ACCOUNTS
    with contextlib.closing(sqlite3.connect(tmp_path / "server" / "state.db")) as state:
        of_server = dict(state.execute("SELECT CAST(gid AS TEXT), res FROM games"))
    noted = results_in(tmp_path / "players")
    print(f"{len(of_server)} games, {sum(note['reconnections'] for note in noted)} reconnections in games:", end=" ")
    how = [re.sub(r"[0-9.]+", "points", re.sub(r"^[BW]\+", "", result)) for result in of_server.values()]
    print(dict(collections.Counter(how)))
    assert not cut_after and len(of_server) >= GAMES
    assert set(how) <= {"points", "Draw", "Resign"}
    assert all(note["result"] == of_server[note["game"]] for note in noted)
    seen = collections.Counter(note["game"] for note in noted)
    assert seen.keys() <= of_server.keys() and max(seen.values()) == 2
    # A cut after the last move: the server does not say again how the game ended.
    logs = "".join(path.read_text() for path in (tmp_path / "players").glob("*/cgos.log"))
    untold = logs.count("; the server knows its result")
    print(f"{untold} cuts after the last move")
    assert len(noted) + untold == 2 * len(of_server) and untold <= CUTS
