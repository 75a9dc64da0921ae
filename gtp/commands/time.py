"""Time settings and what is left."""

import time

from engine.search.clock import System, TimeSettings
from gtp.arguments import read_color, read_number
from gtp.commands import Handler
from gtp.protocol import Exchange, SyntaxFault
from gtp.session import Session


def set_time(session: Session, exchange: Exchange) -> str:
    """Take main time, overtime and stones; `0 1 0` means no limit."""
    main, overtime = read_number(exchange.argument(0)), read_number(exchange.argument(1))
    stones = exchange.integer(2)
    try:
        session.clock.set(TimeSettings.from_gtp(main, overtime, stones))
    except ValueError:
        raise SyntaxFault from None
    return ""


def set_kgs_time(session: Session, exchange: Exchange) -> str:
    """Take `none`, `absolute M`, `byoyomi M T PERIODS` or `canadian M T STONES`."""
    system = exchange.argument(0).lower()
    try:
        if system == "none":
            settings = TimeSettings()
        elif system == "absolute":
            settings = TimeSettings("absolute", read_number(exchange.argument(1)))
        elif system in ("byoyomi", "canadian"):
            main, overtime = read_number(exchange.argument(1)), read_number(exchange.argument(2))
            named: System = "byoyomi" if system == "byoyomi" else "canadian"
            settings = TimeSettings(named, main, overtime, exchange.integer(3))
        else:
            raise SyntaxFault
    except ValueError:
        raise SyntaxFault from None
    session.clock.set(settings)
    return ""


def set_time_left(session: Session, exchange: Exchange) -> str:
    """Take what a player has left: seconds of main time with 0 stones, else of the period and its stones or periods."""
    color = read_color(exchange.argument(0))
    seconds, count = read_number(exchange.argument(1)), exchange.integer(2)
    if count < 0:
        raise SyntaxFault
    session.clock.set_time_left(color, seconds, count)
    return ""


def answer_cpu_time(session: Session, exchange: Exchange) -> str:
    """Tell the seconds of processor time used by this process."""
    return f"{time.process_time():.3f}"


HANDLERS: dict[str, Handler] = {
    "time_settings": set_time,
    "kgs-time_settings": set_kgs_time,
    "time_left": set_time_left,
    "cputime": answer_cpu_time,
}
