"""Handicap stones."""

from miai.engine.go.game import BoardNotEmpty, Game, fixed_handicap_points, free_handicap_points
from miai.engine.go.points import PASS
from miai.gtp.arguments import VertexFault, read_move, write_vertices
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange, SyntaxFault
from miai.gtp.session import Session


@gtp_command("fixed_handicap")
def place_fixed_handicap(session: Session, exchange: Exchange) -> str:
    """Place a number of stones where custom wants them."""
    count = exchange.integer(0)
    try:
        points = fixed_handicap_points(session.game.size, count)
    except ValueError as error:
        raise CommandError(f"invalid number of stones ({error})") from None
    return _place(session, points)


@gtp_command("place_free_handicap")
def place_free_handicap(session: Session, exchange: Exchange) -> str:
    """Place a number of stones where we like."""
    count = exchange.integer(0)
    try:
        points = free_handicap_points(session.game.size, count)
    except ValueError as error:
        raise CommandError(f"invalid number of stones ({error})") from None
    return _place(session, points)


@gtp_command("set_free_handicap")
def set_free_handicap(session: Session, exchange: Exchange) -> str:
    """Place stones where the client says."""
    if not exchange.arguments:
        raise SyntaxFault
    points = [read_move(vertex, session.game.size) for vertex in exchange.arguments]
    if PASS in points:
        raise VertexFault
    if len(set(points)) < len(points):
        raise CommandError("repeated vertex")
    if not 2 <= len(points) < session.game.size**2:
        raise CommandError(f"invalid number of stones (allowed: 2 to {session.game.size**2 - 1})")
    _place(session, points)
    return ""


def _place(session: Session, points: list[int]) -> str:
    """Place the stones and return their vertices."""

    def place(game: Game) -> None:
        game.place_handicap(points)

    try:
        session.change_game(place)
    except BoardNotEmpty:
        raise CommandError("board not empty") from None
    return write_vertices(points, session.game.size)
