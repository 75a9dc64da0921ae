"""Who may talk to the server: a token in the address, then in a cookie; and no other site's pages."""

import hmac
import os
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import platformdirs

from miai.engine.files import write_file
from miai.engine.log import log

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names by which only this machine is reached."""
_HTTP_PORT = 80
"""A browser leaves it out of the host."""
_LENGTH = 43
"""Characters of a token."""


def url_host(host: str) -> str:
    """Return a host as addresses write it."""
    return f"[{host}]" if ":" in host else host


def load_token() -> str:
    """Return this user's token, kept in a file that nobody else reads, so that pages find a server that comes back."""
    folder = Path(platformdirs.user_state_dir("miai"))
    path = folder / "web-token"
    try:
        token = path.read_text(encoding="ascii").strip()
        if len(token) == _LENGTH and token.isascii():
            return token
    except (OSError, ValueError):
        pass
    token = secrets.token_urlsafe(32)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        path.chmod(0o600)
        write_file(path, token + "\n")
    except OSError as error:
        log(f"miai: cannot keep the token in {path}: {error.strerror}; open pages will not find a restarted server")
    return token


class Access:
    """What a request must bring."""

    def __init__(self, token: str, host: str, port: int) -> None:
        self._token = token
        self.cookie = f"miai-{port}"
        """The cookie's name."""
        self._hosts: set[str] | None = None
        if host in LOOPBACK:
            names = [url_host(name) for name in LOOPBACK]
            self._hosts = {f"{name}:{port}" for name in names}
            if port == _HTTP_PORT:
                self._hosts.update(names)

    def has_token(self, headers: Mapping[str, str], query: str) -> bool:
        """Tell whether a request brings the token, in its address or in the cookie."""
        given = [*parse_qs(query).get("token", []), self._cookie_of(headers)]
        return any(hmac.compare_digest(one.encode(), self._token.encode()) for one in given)

    def is_own_host(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request was sent to a name of this server; else another site's name leads here."""
        return self._hosts is None or headers.get("host", "") in self._hosts

    def is_own_origin(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a page of this server sent a request."""
        origin = urlsplit(headers.get("origin", ""))
        return origin.scheme in ("http", "https") and origin.netloc == headers.get("host", "-")

    def _cookie_of(self, headers: Mapping[str, str]) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return "" if cookie is None else cookie.value
