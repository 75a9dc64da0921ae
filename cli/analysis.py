"""`miai analysis`: KataGo's analysis protocol on standard input and output, for tools made for KataGo."""

import functools
import importlib.metadata
import json
import os
import signal
import sys
import threading
from typing import Any

import click

from miai.cli.gtp import take_standard_streams
from miai.cli.player_flags import take_options
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.options import GameOptions, PlayerOptions


@click.command()
@click.option(
    "--positions", type=click.IntRange(1, 256), default=4, show_default=True, help="Positions searched at once."
)
@click.option(
    "--view",
    type=click.Choice(["BLACK", "WHITE", "SIDETOMOVE"], case_sensitive=False),
    default="BLACK",
    show_default=True,
    help="Point of view of win rates, scores and ownership, unless a query names one.",
)
@click.option("--quit-without-waiting", is_flag=True, help="At the end of input, drop what is still queued.")
@functools.partial(take_options, without=("ponder", "size", "komi", "rules"))
def command(
    player_options: PlayerOptions, game_options: GameOptions, positions: int, view: str, quit_without_waiting: bool
) -> None:
    """Analyse positions over KataGo's analysis protocol: JSON on standard input and output.

    In KaTrain and other tools this is the command line of the engine. Queries name board size, komi and rules.
    """
    check_parameters(player_options, game_options.size)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    requests, replies = take_standard_streams()
    from miai.analysis.queries import Defaults
    from miai.analysis.service import Service

    lock = threading.Lock()

    def write(answer: dict[str, Any]) -> None:
        line = json.dumps(answer, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with lock:
            try:
                replies.write(line)
                replies.flush()
            except (OSError, ValueError):
                os._exit(0)  # nobody reads any more

    defaults = Defaults(player_options.simulation_limit or 1_000_000_000, player_options.time, view.upper())
    version = importlib.metadata.version("miai")
    service = Service(player_options, defaults, positions, write, version, prepare=compile_if_cold)
    service.run(os.fdopen(requests.fileno(), "rb", closefd=False), waits_at_end=not quit_without_waiting)
    # Python cannot end threads that search.
    sys.stderr.flush()
    os._exit(0)
