"""The server: who gets in, what survives, and that nothing brings it down."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("websockets")
pytest.importorskip("playwright")

from websockets.exceptions import ConnectionClosed, InvalidStatus

from miai.web.messages import MAX_BYTES, make_messages
from tests.commands import load_script
from tests.web.running import OPTIONS, Talk, children_of, free_port, open_socket
from tests.web.test_messages import random_value

SERVE = load_script("make_screenshots").serve
GAME = {"size": 5, "komi": 7, "rules": "tromp-taylor", "color": "both"}


def get(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    response.read()
    return response


def cookie_of(address: str) -> str:
    return f"miai-{urlsplit(address).port}={urlsplit(address).query.partition('=')[2]}"


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/static/main.js", "/socket"])
def test_nothing_is_served_without_the_token(address: str, path: str) -> None:
    assert get(address, path).status == 403


def test_the_address_gives_a_cookie_and_the_cookie_gives_the_page(address: str) -> None:
    first = get(address, "/?" + urlsplit(address).query)
    assert first.status == 303 and first.headers["location"] == "/"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    page = get(address, "/", Cookie=cookie.partition(";")[0])
    assert page.status == 200 and "default-src 'none'" in page.headers["content-security-policy"]
    assert get(address, "/static/main.js", Cookie=cookie_of(address)).status == 200
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/none.js", "/other"):
        assert get(address, path, Cookie=cookie_of(address)).status == 404, path


def test_a_foreign_name_of_this_machine_is_refused(address: str) -> None:
    assert get(address, "/", Cookie=cookie_of(address), Host="evil.example").status == 403


@pytest.mark.parametrize("token", [None, "wrong"])
@pytest.mark.parametrize("origin", ["https://evil.example", None])
def test_a_socket_needs_a_page_of_its_own(address: str, origin: str | None, token: str | None) -> None:
    with pytest.raises(InvalidStatus), open_socket(address, origin, token):
        pass


def test_a_page_whose_token_is_wrong_is_told_nothing_else(address: str) -> None:
    with open_socket(address, token="wrong") as page, pytest.raises(ConnectionClosed) as closed:
        page.recv(timeout=30)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


def test_a_page_that_the_server_has_forgotten_is_asked_for_its_game(address: str) -> None:
    with Talk(address) as page:
        page.send("new-game", settings=GAME)
        page.send("play", move="C3")
        page.wait("position", node=1)
    with Talk(address, "of-another-server") as again:
        assert again.wait("forgotten") == {"type": "forgotten"}
        again.send("hello", saved=page.saved)
        assert again.wait("welcome")["session"] not in ("of-another-server", page.session)
        assert again.wait("position", node=1)["board"].count("X") == 1


def test_a_message_before_hello_and_a_second_hello_are_refused(address: str) -> None:
    with open_socket(address) as socket:
        socket.send('{"type": "undo"}')
        assert "say hello first" in json.loads(socket.recv(timeout=30))["text"]
    with Talk(address) as page:
        page.wait("position")
        page.send("hello")
        assert "has its session already" in page.wait("error")["text"]


def test_a_message_that_is_too_large_ends_only_its_connection(address: str) -> None:
    with Talk(address) as page:
        page.wait("position")
        page.socket.send(" " * (MAX_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            while True:
                page.socket.recv(timeout=30)
    with Talk(address, page.session) as page:
        page.wait("position")


def test_a_page_that_comes_back_finds_its_game_and_two_pages_share_it(address: str) -> None:
    with Talk(address) as first:
        first.wait("welcome")
        first.send("new-game", settings=GAME)
        first.wait("position", phase="playing")
        first.send("play", move="C3")
        first.wait("position", node=1)
        with Talk(address, first.session) as second:
            assert second.wait("position", node=1)["board"].count("X") == 1
            assert second.session == first.session
            second.send("play", move="B2")
            assert first.wait("position", node=2)["last"] == "B2"
    with Talk(address, first.session) as again:
        assert again.wait("position", node=2)["phase"] == "playing"
    with Talk(address) as other:
        assert other.wait("position")["board"].count("X") == 0
        assert other.session != first.session


def test_an_engine_that_is_killed_is_replaced_with_the_game_as_it_was(state: dict[str, str]) -> None:
    with SERVE(["--port", "0", *OPTIONS], state) as (server, address), Talk(address) as page:
        page.wait("position")
        page.send("new-game", settings=GAME)
        page.send("play", move="C3")
        page.wait("position", node=1)
        (engine,) = children_of(server.pid)
        os.kill(engine, signal.SIGKILL)
        assert page.wait("engine-ended")["again"] is True
        page.send("play", move="B2")
        assert page.wait("position", node=2)["board"].count("O") == 1
        assert children_of(server.pid) != [engine]


def test_a_server_that_is_killed_and_comes_back_goes_on_with_what_the_page_saved(state: dict[str, str]) -> None:
    options = ["--port", str(free_port()), *OPTIONS]
    with SERVE(options, state) as (server, address):
        with Talk(address) as page:
            page.wait("position")
            page.send("new-game", settings=GAME)
            page.wait("position", phase="playing")
            page.send("play", move="C3")
            page.wait("position", node=1)
            engines = children_of(server.pid)
            server.kill()
            server.wait()
    until = time.monotonic() + 30
    while any(Path(f"/proc/{engine}/cmdline").exists() for engine in engines) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{engine}/cmdline").exists() for engine in engines)
    with SERVE(options, state) as (_, same):
        assert same == address
        with Talk(address, page.session, page.saved) as again:
            assert again.wait("position", node=1)["phase"] == "playing"


def test_no_more_engines_run_than_allowed_and_an_idle_one_ends(state: dict[str, str]) -> None:
    with SERVE(["--port", "0", "--sessions", "1", "--idle", "0.1", *OPTIONS], state) as (server, address):
        with Talk(address) as first:
            first.send("new-game", settings=GAME)
            first.send("play", move="C3")
            first.wait("position", node=1)
            with Talk(address) as second:
                assert second.wait("error")["code"] == "full"
            first.wait("engine-asleep")
            assert children_of(server.pid) == []
            first.send("comment", node=1, text="a good move")
            assert len(first.wait("tree")["nodes"]) == 2
            assert first.wait("position", comment="a good move")["node"] == 1
            first.send("play", move="B2")
            assert first.wait("position", node=2)["board"].count("O") == 1
        with Talk(address) as second:
            assert second.wait("position")["node"] == 0
            assert len(children_of(server.pid)) == 1


def test_ten_thousand_hostile_frames_crash_nothing(state: dict[str, str]) -> None:
    rng = random.Random(2)
    messages = make_messages()
    with SERVE(["--port", "0", *OPTIONS], state) as (server, address):
        page = Talk(address)
        page.wait("position")
        session, sent = page.session, 0
        engines = children_of(server.pid)
        while sent < 10_000:
            kind = rng.choice(list(messages))
            frame: object = {"type": kind} | {name: random_value(rng) for name in messages[kind].fields}
            text: str | bytes = json.dumps(frame if rng.random() < 0.9 else random_value(rng))
            if rng.random() < 0.1:
                text = rng.randbytes(rng.randrange(200))
            try:
                page.socket.send(text)
                sent += 1
                if sent % 50 == 0:
                    while page.socket.recv(timeout=0.01):
                        pass
            except TimeoutError:
                continue
            except ConnectionClosed:
                page = Talk(address, session)
                page.wait("position")
        page.close()
        assert server.poll() is None
        with Talk(address, session) as page:
            page.send("new-game", settings=GAME)
            page.send("play", move="C3")
            assert page.wait("position", node=1, phase="playing")["board"].count("X") == 1
        assert children_of(server.pid) == engines


def test_a_page_is_told_what_the_command_line_says_of_games(state: dict[str, str]) -> None:
    options = ["--port", "0", *OPTIONS, "--size", "6", "--komi", "5.5", "--rules", "chinese"]
    with SERVE(options, state) as (_, address), Talk(address) as page:
        assert page.wait("welcome")["choices"]["game"] == {"size": 6, "komi": 5.5, "rules": "chinese"}


def test_an_interrupt_ends_the_server_as_it_says(state: dict[str, str]) -> None:
    with SERVE(["--port", "0", *OPTIONS], state) as (server, address):
        with Talk(address) as page:
            page.wait("position")
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0


def test_a_host_of_another_machine_ends_in_one_line() -> None:
    command = [sys.executable, "-m", "miai", "web", "--no-browser", "--host", "192.0.2.1", "--port", "0"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert outcome.returncode == 1
    assert outcome.stderr.strip() == "Error: cannot listen on 192.0.2.1 port 0: Cannot assign requested address"


def test_a_taken_port_ends_in_one_line(address: str) -> None:
    port = str(urlsplit(address).port)
    outcome = subprocess.run(
        [sys.executable, "-m", "miai", "web", "--no-browser", "--port", port], capture_output=True, text=True
    )
    assert outcome.returncode == 1
    assert outcome.stderr.strip() == f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use"


def test_a_rule_that_cannot_be_used_ends_in_one_line(tmp_path: Path) -> None:
    for rule, words in (("uct", "'uct' is not allowed"), (f"{tmp_path}/none.py:rule", "there is no file")):
        command = [sys.executable, "-m", "miai", "web", "--no-browser", "--port", "0", "--own-rule", rule]
        outcome = subprocess.run(command, capture_output=True, text=True)
        assert outcome.returncode == 2 and words in outcome.stderr and "Traceback" not in outcome.stderr


def test_without_the_extra_one_line_says_how_to_install_it() -> None:
    program = "import sys; sys.modules['uvicorn'] = None; from miai.cli.main import main; main(['web', '--no-browser'])"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert outcome.returncode == 1
    assert outcome.stderr == (
        "Error: this needs uvicorn, which is not installed: pip install -c constraints.txt '.[web]'\n"
    )
