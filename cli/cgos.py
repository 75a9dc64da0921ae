"""`miai cgos`: play on CGOS, the Computer Go Server."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from miai.engine.interrupts import answer_interrupts
from miai.engine.log import log

if TYPE_CHECKING:
    from miai.cgos.engine import CgosEngine


@click.command()
@click.argument("config", metavar="CONFIG.toml", type=click.Path(path_type=Path))
@click.option("--games", type=click.IntRange(1), metavar="N", help="Leave after this many games [play on].")
def command(config: Path, games: int | None) -> None:
    """Play on CGOS, the Computer Go Server, with the settings in CONFIG.toml.

    A lost connection is made anew, and the game goes on. Ctrl-C or SIGTERM leaves after the game that is played; a
    second one at once. Games are kept as SGF files, and all that was said in a log.
    """
    from miai.cgos.client import CgosClient, CgosError
    from miai.cgos.conversation_log import ConversationLog
    from miai.cgos.engine import CgosEngine, make_starter
    from miai.cgos.record import FolderInUse, GameFolder
    from miai.cgos.settings import read_password, read_settings
    from miai.match.contestants import read_contestant
    from miai.match.engines import EngineFailed

    try:
        settings = read_settings(config)
        password = read_password(settings)
        engine = CgosEngine(make_starter(read_contestant(settings.player), settings))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with contextlib.ExitStack() as stack:
        leave = stack.enter_context(_leave_on_signal(engine))
        try:
            folder = stack.enter_context(GameFolder(settings))
            stack.callback(engine.close)
            name = engine.connect()
            engine.begin(settings.size, 7.0, None, seed=1)
            conversation = ConversationLog(folder.path / "cgos.log", password)
            stack.callback(conversation.close)
            conversation.tell(f"{settings.name} is {settings.player} ({name}); games go to {folder.path}")
            client = CgosClient(settings, password, engine, folder, conversation, leave, games)
            client.run()
            conversation.tell(f"left after {client.num_played} games")
        except EngineFailed as failure:
            raise click.ClickException(f"{settings.player} cannot play: {failure}") from None
        except (CgosError, FolderInUse) as error:
            raise click.ClickException(str(error)) from None


@contextlib.contextmanager
def _leave_on_signal(engine: "CgosEngine") -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C or SIGTERM sets; the second ends engine and process where they are."""
    leave = threading.Event()

    def handle() -> None:
        if leave.is_set():
            log("left at once: the server waits for the player until its time is over")
            engine.kill()
            os._exit(130)
        leave.set()
        log("leaving after this game; a second signal leaves at once")

    with answer_interrupts(handle):
        yield leave
