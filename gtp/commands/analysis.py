"""Continuous analysis, and moves with an analysis, for clients such as Sabaki, Lizzie and CGOS."""

from typing import TYPE_CHECKING

from miai.engine.go.points import vertex_of
from miai.gtp.analysis import DEFAULT_INTERVAL, AnalysisRequest, Dialect, format_json, format_line, read_request
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import Disconnected, Exchange
from miai.gtp.session import Session

if TYPE_CHECKING:
    from miai.engine.search.report import SearchReport


class _LiveLines:
    """Send a line for every report; a client that went away stops the search instead of breaking it."""

    def __init__(self, exchange: Exchange, size: int, dialect: Dialect, request: AnalysisRequest) -> None:
        self._exchange, self._size, self._dialect, self._request = exchange, size, dialect, request
        self.num_sent = 0

    def send(self, report: "SearchReport") -> None:
        line = format_line(report, self._size, self._dialect, self._request)
        if not line:
            return
        try:
            self._exchange.send_line(line)
            self.num_sent += 1
        except Disconnected:
            for event in (self._exchange.superseded, self._exchange.interrupted, self._exchange.hurried):
                event.set()


def _analyze(session: Session, exchange: Exchange, dialect: Dialect) -> None:
    """Tell what the search finds until any line arrives."""
    request = read_request(exchange.arguments)
    size = session.game.size
    color = session.game.to_play if request.color is None else request.color
    live = _LiveLines(exchange, size, dialect, request)
    exchange.send_line("")
    every = DEFAULT_INTERVAL if request.interval is None else request.interval
    report = session.analyze(color, exchange.superseded, live.send, every)
    if live.num_sent == 0:
        live.send(report)


def _generate(session: Session, exchange: Exchange, dialect: Dialect) -> None:
    """Choose a move and play it, telling meanwhile what the search finds.

    A line that arrives does not stop it, but the end of input does: who watches a search keeps the line open.
    """
    request = read_request(exchange.arguments)
    size = session.game.size
    color = session.game.to_play if request.color is None else request.color
    live = _LiveLines(exchange, size, dialect, request)
    exchange.send_line("")
    on_report = None if request.interval is None else live.send
    choice = session.choose(color, exchange.hurried, on_report, request.interval or 0.0)
    live.send(choice.report)
    session.commit(color, choice.move)
    exchange.send_line(f"play {vertex_of(choice.move, size)}")


@gtp_command("lz-analyze")
def analyze_in_ten_thousandths(session: Session, exchange: Exchange) -> None:
    """Analyze as Leela Zero does."""
    _analyze(session, exchange, "lz")


@gtp_command("kata-analyze")
def analyze_in_floats(session: Session, exchange: Exchange) -> None:
    """Analyze as KataGo does."""
    _analyze(session, exchange, "kata")


@gtp_command("lz-genmove_analyze")
def generate_in_ten_thousandths(session: Session, exchange: Exchange) -> None:
    """Choose and play a move with an analysis as Leela Zero's."""
    _generate(session, exchange, "lz")


@gtp_command("kata-genmove_analyze")
def generate_in_floats(session: Session, exchange: Exchange) -> None:
    """Choose and play a move with an analysis as KataGo's."""
    _generate(session, exchange, "kata")


@gtp_command("cgos-genmove_analyze")
def generate_with_json(session: Session, exchange: Exchange) -> None:
    """Choose and play a move with an analysis as CGOS shows it."""
    request = read_request(exchange.arguments)
    size = session.game.size
    color = session.game.to_play if request.color is None else request.color
    choice = session.choose(color, exchange.interrupted)
    exchange.send_line(format_json(choice.report, size, request))
    session.commit(color, choice.move)
    exchange.send_line(f"play {vertex_of(choice.move, size)}")


@gtp_command("stop")
def stop_thinking(session: Session, exchange: Exchange) -> str:
    """End thinking on the opponent's time; an analysis has ended when this line was read (`stop`)."""
    session.stop_pondering()
    return ""
