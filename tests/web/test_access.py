"""Who may talk to the server."""

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.cli.web import command
from miai.web.access import Access, load_token

TOKEN = "t" * 43
ACCESS = Access(TOKEN, "127.0.0.1", 8361)


def test_the_token_is_taken_from_the_address_or_the_cookie() -> None:
    assert ACCESS.has_token({}, f"token={TOKEN}")
    assert ACCESS.has_token({"cookie": f"a=b; miai-8361={TOKEN}"}, "")
    assert not ACCESS.has_token({}, "")
    assert not ACCESS.has_token({}, f"token={TOKEN[:-1]}")
    assert not ACCESS.has_token({"cookie": f"miai-9999={TOKEN}"}, "token=")
    assert not ACCESS.has_token({"cookie": "\x00=;;=\u00fc"}, "token=%ff&token=%C3%BC")


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1:8361", True),
        ("localhost:8361", True),
        ("evil.example:8361", False),
        ("127.0.0.1:80", False),
        ("", False),
    ],
)
def test_another_name_for_this_machine_is_refused(host: str, is_own: bool) -> None:
    assert ACCESS.is_own_host({"host": host}) == is_own


@pytest.mark.parametrize(
    ("host", "is_own"),
    [("127.0.0.1", True), ("127.0.0.1:80", True), ("[::1]", True), ("127.0.0.1:8361", False), ("evil.example", False)],
)
def test_on_port_80_browsers_name_no_port(host: str, is_own: bool) -> None:
    access = Access(TOKEN, "127.0.0.1", 80)
    assert access.is_own_host({"host": host}) == is_own
    assert access.is_own_origin({"host": host, "origin": f"http://{host}"})


@pytest.mark.parametrize(
    ("origin", "is_own"),
    [
        ("http://127.0.0.1:8361", True),
        ("http://localhost:8361", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_pages_of_other_sites_are_refused(origin: str, is_own: bool) -> None:
    assert ACCESS.is_own_origin({"origin": origin, "host": "127.0.0.1:8361"}) == is_own
    assert not ACCESS.is_own_origin({"host": "127.0.0.1:8361"})


def test_beyond_loopback_any_name_will_do() -> None:
    assert Access(TOKEN, "0.0.0.0", 8361).is_own_host({"host": "my-machine.local:8361"})


@pytest.mark.parametrize(("host", "is_warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_listening_beyond_this_machine_is_warned_of(
    host: str, is_warned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("miai.web.server.serve", lambda options, token, listener, announce: listener.close())
    outcome = CliRunner().invoke(command, ["--host", host, "--port", "0", "--no-browser", "--preset", "uct-random"])
    assert outcome.exit_code == 0
    assert ("can be reached from other machines" in outcome.stderr) == is_warned


def test_the_token_stays_and_nobody_else_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    token = load_token()
    assert len(token) == 43 and load_token() == token
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("damaged")
    assert load_token() != token


def test_a_token_that_cannot_be_kept_serves_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert len(load_token()) == 43
    assert "cannot keep the token" in capsys.readouterr().err
