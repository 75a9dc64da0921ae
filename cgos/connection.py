"""Lines to and from a server over TCP."""

import contextlib
import socket
import time

_CONNECT_TIMEOUT = 30.0
_SEND_TIMEOUT = 30.0
_MAX_LINE = 1 << 16
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""Seconds of silence before the system asks whether the other end is there, between such questions, and how many."""


class ConnectionLost(Exception):
    """There is no connection, or it makes no sense to go on with it; the text says why."""


class Connection:
    """A connection to a server."""

    def __init__(self, host: str, port: int) -> None:
        """Connect.

        Raises:
            ConnectionLost: if nobody answers there.
        """
        try:
            self._socket = socket.create_connection((host, port), _CONNECT_TIMEOUT)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ConnectionLost(f"cannot connect to {host} port {port}: {reason}") from None
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                self._socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._pending = b""
        self.last_heard = time.monotonic()
        """When the server last said something."""

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_line(self, seconds: float) -> str | None:
        """Return the next line without its newline, or None if none comes within so many seconds.

        Raises:
            ConnectionLost: if the server is gone or the line does not end.
        """
        self._socket.settimeout(seconds)
        while b"\n" not in self._pending:
            if len(self._pending) > _MAX_LINE:
                raise ConnectionLost(f"the server sent a line of more than {_MAX_LINE} bytes")
            try:
                chunk = self._socket.recv(1 << 14)
            except TimeoutError:
                return None
            except OSError as error:
                raise ConnectionLost(f"the connection broke: {error.strerror or error}") from None
            if not chunk:
                raise ConnectionLost("the server closed the connection")
            self.last_heard = time.monotonic()
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return "".join(sign for sign in line.decode("utf-8", "replace") if sign.isprintable())

    def send(self, line: str) -> None:
        """Send a line.

        Raises:
            ConnectionLost: if it cannot be sent.
        """
        self._socket.settimeout(_SEND_TIMEOUT)
        try:
            self._socket.sendall(line.encode() + b"\n")
        except OSError as error:
            raise ConnectionLost(f"the connection broke: {error.strerror or error}") from None

    def close(self) -> None:
        """End the connection, after what was sent has gone."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        self._socket.close()
