"""`miai gtp`: the engine as GUIs and other programs run it.

Replies go to the standard output as it was at the start; whatever else this process or its libraries print there goes
to stderr. Compiled code is loaded in the background once the first command is answered, so that `name` never waits for
it and the first `genmove` hardly.
"""

import os
import signal
import sys
import threading
from typing import BinaryIO

import click

from miai.cli.player_flags import take_options
from miai.engine.log import log
from miai.gtp.commands import handler_of, needs_engine
from miai.gtp.protocol import Exchange, serve
from miai.gtp.session import Session
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.options import GameOptions, PlayerOptions


class SessionLoader:
    """Load a session's game and player in a background thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to load, unless that was begun before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, name="loader", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until everything is loaded."""
        self.start()
        assert self._thread is not None
        self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def _load(self) -> None:
        try:
            self._session.load()
        except Exception as error:  # the command that needs what is missing will say so too
            log(f"miai: cannot load the player: {type(error).__name__}: {error}")


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output for the protocol alone, and make everything else print to stderr."""
    replies = os.fdopen(os.dup(1), "wb")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    os.dup2(sys.stderr.fileno(), 1)
    sys.stdout = sys.stderr
    return open(0, "rb", buffering=0, closefd=False), replies


@click.command()
@take_options
def command(player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Serve a GUI or another program over GTP on standard input and output.

    Reads commands until quit or the end of input. In Sabaki, GoGui or a match, this is the command line of the engine.
    """
    check_parameters(player_options, game_options.size)
    # An interrupt ends the process at once. As an exception it would be missed if it came just before a read.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    requests, replies = take_standard_streams()
    session = Session(player_options, game_options, prepare=compile_if_cold)
    loader = SessionLoader(session)

    def carry_out(exchange: Exchange) -> str | None:
        if needs_engine(exchange.name):
            loader.wait()
        return handler_of(exchange.name)(session, exchange)

    serve(requests, replies, carry_out, on_first_reply=loader.start)
    session.close()
    if loader.is_busy:
        # Python cannot end a thread that compiles, and must not tear down the interpreter under it.
        sys.stderr.flush()
        os._exit(0)
