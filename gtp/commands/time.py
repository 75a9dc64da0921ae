"""Time settings and what is left."""

import time

from miai.engine.search.time_management import System, TimeSettings
from miai.gtp.arguments import read_color, read_number
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange, SyntaxFault
from miai.gtp.session import Session

_SYSTEMS: tuple[System, ...] = ("none", "absolute", "byoyomi", "canadian")


@gtp_command("time_settings")
def set_time(session: Session, exchange: Exchange) -> str:
    """Take main time, overtime and stones; `0 1 0` means no limit."""
    main, overtime = read_number(exchange.argument(0)), read_number(exchange.argument(1))
    stones = exchange.integer(2)
    try:
        session.clock.set(TimeSettings.from_gtp(main, overtime, stones))
    except ValueError:
        raise SyntaxFault from None
    return ""


@gtp_command("kgs-time_settings")
def set_kgs_time(session: Session, exchange: Exchange) -> str:
    """Take `none`, `absolute M`, `byoyomi M T PERIODS` or `canadian M T STONES`."""
    if exchange.argument(0).lower() not in _SYSTEMS:
        raise SyntaxFault
    session.clock.set(_read_settings(exchange))
    return ""


@gtp_command("kata-time_settings")
def set_named_time(session: Session, exchange: Exchange) -> str:
    """Take the same as `kgs-time_settings`, and name what there is where a client wants something else."""
    system = exchange.argument(0)
    if system.lower() not in _SYSTEMS:
        raise CommandError(f"there is no time system {system[:40]!r} (allowed: {', '.join(_SYSTEMS)})")
    session.clock.set(_read_settings(exchange))
    return ""


@gtp_command("kata-list_time_settings")
def list_time_systems(session: Session, exchange: Exchange) -> str:
    """List the systems that `kata-time_settings` takes."""
    return " ".join(_SYSTEMS)


def _read_settings(exchange: Exchange) -> TimeSettings:
    system = exchange.argument(0).lower()
    try:
        if system == "none":
            return TimeSettings()
        main = read_number(exchange.argument(1))
        if system == "absolute":
            return TimeSettings("absolute", main)
        named: System = "byoyomi" if system == "byoyomi" else "canadian"
        return TimeSettings(named, main, read_number(exchange.argument(2)), exchange.integer(3))
    except ValueError:
        raise SyntaxFault from None


@gtp_command("time_left")
def set_time_left(session: Session, exchange: Exchange) -> str:
    """Take what a player has left: seconds of main time with 0 stones, else of the period and its stones or periods."""
    color = read_color(exchange.argument(0))
    seconds, count = read_number(exchange.argument(1)), exchange.integer(2)
    try:
        TimeSettings("absolute", max(0.0, seconds), count=count)
    except ValueError:
        raise SyntaxFault from None
    session.clock.set_time_left(color, seconds, count)
    return ""


@gtp_command("cputime")
def answer_cpu_time(session: Session, exchange: Exchange) -> str:
    """Tell the seconds of processor time used by this process."""
    return f"{time.process_time():.3f}"
