"""What GoGui draws on its board: text in the form of its `gfx` analysis commands.

A view is a function from a report to lines of `LABEL`, `COLOR`, `INFLUENCE`, `VAR` and `TEXT`. During a search the same
text goes to stderr, where GoGui looks for `gogui-gfx:`.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from miai.engine.go.points import PASS, all_points, color_name, opponent, vertex_of
from miai.engine.log import log

if TYPE_CHECKING:
    from miai.engine.search.report import MoveReport, SearchReport
    from miai.gtp.session import Session

LIVE_INTERVAL = 0.5
"""Seconds between two pictures of a running search."""


def paint_priors(report: "SearchReport", size: int) -> str:
    """Label every point with its prior probability in percent."""
    moves = [move for move in report.moves if move.prior > 0]
    return _paint_fractions(moves, [move.prior for move in moves], size, report)


def paint_visits(report: "SearchReport", size: int) -> str:
    """Label every point with its visits, and colour it by its fraction of them."""
    moves = [move for move in report.moves if move.visits > 0 and move.move != PASS]
    most = max((move.visits for move in moves), default=1)
    lines = [_color_line(move.visits / most, vertex_of(move.move, size)) for move in moves]
    lines.append(_labels((vertex_of(move.move, size), str(move.visits)) for move in moves))
    return _join([*lines, _status(report, size)])


def paint_winrates(report: "SearchReport", size: int) -> str:
    """Label every searched point with the expected result in percent, and colour it from bad to good."""
    moves = [move for move in report.moves if move.visits > 0]
    return _paint_fractions(moves, [move.value for move in moves], size, report)


def paint_ownership(report: "SearchReport", size: int) -> str:
    """Show the expected owner of every point, Black's positive."""
    sign = 1.0 if color_name(report.color) == "black" else -1.0
    pairs = zip(all_points(size), report.ownership, strict=True)
    influence = " ".join(f"{vertex_of(point, size)} {sign * float(value):.2f}" for point, value in pairs)
    return _join([f"INFLUENCE {influence}", _status(report, size)])


def paint_variation(report: "SearchReport", size: int) -> str:
    """Show the principal variation as numbered stones."""
    if not report.moves:
        return _status(report, size)
    words, color = [], report.color
    for move in report.moves[0].variation:
        words += [color_name(color)[0], vertex_of(move, size)]
        color = opponent(color)
    return _join([f"VAR {' '.join(words)}", _status(report, size)])


def _paint_fractions(moves: "list[MoveReport]", fractions: list[float], size: int, report: "SearchReport") -> str:
    pairs_of_move = zip(moves, fractions, strict=True)
    pairs = [(vertex_of(move.move, size), fraction) for move, fraction in pairs_of_move if move.move != PASS]
    lines = [_color_line(fraction, vertex) for vertex, fraction in pairs]
    lines.append(_labels((vertex, f"{100 * fraction:.0f}") for vertex, fraction in pairs))
    return _join([*lines, _status(report, size)])


def _color_line(fraction: float, vertex: str) -> str:
    """Return a colour between red (0) and green (1)."""
    fraction = min(1.0, max(0.0, fraction))
    return f"COLOR #{round(255 * (1 - fraction)):02x}{round(255 * fraction):02x}40 {vertex}"


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    text = " ".join(f"{vertex} {label}" for vertex, label in pairs)
    return f"LABEL {text}" if text else ""


def _status(report: "SearchReport", size: int) -> str:
    best = vertex_of(report.moves[0].move, size) if report.moves else "none"
    name = color_name(report.color).capitalize()
    return f"TEXT {name}: {100 * report.value:.1f}% {report.score:+.1f} points, {report.visits} visits, best {best}"


def _join(lines: list[str]) -> str:
    return "\n".join(line for line in lines if line)


LIVE_VIEWS: dict[str, Callable[["SearchReport", int], str]] = {"visits": paint_visits, "variation": paint_variation}
"""What a running search can show."""


def show_live(session: "Session") -> "tuple[Callable[[SearchReport], None] | None, float]":
    """Return what a search should call and how often, to paint what it finds if the session wants that."""
    view = LIVE_VIEWS.get(session.live_graphics)
    if view is None:
        return None, 0.0
    paint, size = view, session.game.size

    def write(report: "SearchReport") -> None:
        log(f"gogui-gfx:\n{paint(report, size)}\n")

    return write, LIVE_INTERVAL
