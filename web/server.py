"""The web server: the page's files, and a WebSocket that joins a page to its session."""

import asyncio
import contextlib
import importlib.metadata
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from miai.players.options import GameOptions
from miai.web.access import Access
from miai.web.choices import describe_choices
from miai.web.fields import MessageError
from miai.web.messages import MAX_BYTES, make_messages, read_message
from miai.web.outbox import Outbox, TooSlow
from miai.web.sessions import PageSession, SessionTable, TooManySessions

STATIC = Path(__file__).resolve().parent / "static"
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
_NO_TOKEN = "This address lacks its token. Open the address that `miai web` has printed.\n"
_CODE_NOT_ALLOWED = 4403
"""Why a WebSocket was closed: its page has no token, or an old one."""
_CODE_TOO_SLOW = 4408


@dataclass(frozen=True)
class ServerOptions:
    """How the server runs."""

    host: str = "127.0.0.1"
    max_sessions: int = 4
    """Engines that may run at once."""
    idle_seconds: float = 600.0
    """After which an engine that does nothing ends."""
    setup: dict[str, Any] = field(default_factory=dict)
    """What each engine is told first, see `miai.web.worker`."""
    game: GameOptions = field(default_factory=GameOptions)
    """What the form of a new game offers first."""
    own_selections: tuple[str, ...] = ()
    """Selection rules in files that the command line named."""
    own_backups: tuple[str, ...] = ()


class _Guard:
    """Refuse requests without the token or to another host's name, and add the security headers to all answers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [(name, value) for name, value in message["headers"] if name.decode() not in _HEADERS]
                message["headers"] = headers + [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            await send(message)

        request = HTTPConnection(scope)
        allowed = self._access.is_own_host(request.headers) and self._access.has_token(
            request.headers, request.url.query
        )
        app: ASGIApp = self._app if allowed else PlainTextResponse(_NO_TOKEN, 403)
        await app(scope, receive, send_with_headers)


def make_app(options: ServerOptions, access: Access, token: str) -> Starlette:
    """Return the application."""
    table = SessionTable(options.setup, options.max_sessions, options.idle_seconds)
    messages = make_messages(options.own_selections, options.own_backups)
    choices = describe_choices(options.game, options.own_selections, options.own_backups)
    page = (STATIC / "index.html").read_text(encoding="utf-8")

    async def show_page(request: HTTPConnection) -> Response:
        if "token" in request.query_params:
            response: Response = RedirectResponse("/", 303)
            response.set_cookie(access.cookie, token, max_age=30 * 86_400, httponly=True, samesite="strict")
            return response
        return Response(page, media_type="text/html")

    async def serve_socket(websocket: WebSocket) -> None:
        headers = websocket.headers
        if not (access.is_own_host(headers) and access.is_own_origin(headers)):
            await websocket.close()
            return
        await websocket.accept()
        if not access.has_token(headers, websocket.url.query):  # accepted, else the page cannot tell why
            await websocket.close(_CODE_NOT_ALLOWED)
            return
        await _Connection(websocket, table, messages, choices).run()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        watcher = asyncio.create_task(table.end_idle())
        yield
        watcher.cancel()
        await table.close()

    routes = [
        Route("/", show_page),
        WebSocketRoute("/socket", serve_socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(_Guard, access=access)])


class _Connection:
    """One page's WebSocket."""

    def __init__(
        self, websocket: WebSocket, table: SessionTable, messages: dict[str, Any], choices: dict[str, Any]
    ) -> None:
        self._websocket = websocket
        self._table = table
        self._messages = messages
        self._choices = choices
        self._outbox = Outbox()
        self._session: PageSession | None = None

    async def run(self) -> None:
        """Serve the page until it leaves."""
        writer = asyncio.create_task(self._write())
        try:
            while True:
                received = await self._websocket.receive()
                if received["type"] == "websocket.disconnect":
                    break
                await self._take(received.get("text") or received.get("bytes") or b"")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page is gone
        finally:
            writer.cancel()
            if self._session is not None:
                await self._session.leave(self._outbox)

    async def _take(self, text: str | bytes) -> None:
        try:
            message = read_message(text, self._messages)
            if message["type"] == "hello":
                await self._open(message)
            elif self._session is None:
                raise MessageError(f"{message['type']}: say hello first")
            else:
                await self._session.send(message)
        except MessageError as error:
            self._outbox.put({"type": "error", "text": str(error)})
        except TooManySessions as error:
            self._outbox.put({"type": "error", "text": str(error), "code": "full"})

    async def _open(self, message: dict[str, Any]) -> None:
        if self._session is not None:
            raise MessageError("hello: this page has its session already")
        if message["session"] is not None and message["saved"] is None and not self._table.find(message["session"]):
            self._outbox.put({"type": "forgotten"})
            return
        session = await self._table.open(message["session"], message["saved"])
        self._session = session
        self._outbox.put({"type": "welcome", "session": session.id, "choices": self._choices, "version": _version()})
        session.outboxes.add(self._outbox)
        await session.send({"type": "refresh"})

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            try:
                while True:
                    await self._websocket.send_text(await self._outbox.take())
            except TooSlow:
                if self._websocket.client_state == WebSocketState.CONNECTED:
                    await self._websocket.close(_CODE_TOO_SLOW)


def _version() -> str:
    return importlib.metadata.version("miai")


def open_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OSError: if the host is not this machine's or the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(64)
    except BaseException:
        listener.close()
        raise
    return listener


def serve(options: ServerOptions, token: str, listener: socket.socket, on_start: Callable[[], None]) -> None:
    """Serve until the process is interrupted.

    Args:
        options: of the server.
        token: what a page must bring.
        listener: a listening socket.
        on_start: called once pages are answered.
    """
    access = Access(token, options.host, listener.getsockname()[1])
    config = uvicorn.Config(
        make_app(options, access, token),
        log_level="error",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        limit_concurrency=100,
        timeout_graceful_shutdown=2,
        lifespan="on",
        server_header=False,
    )
    server = _Server(config, on_start)
    server.run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()
