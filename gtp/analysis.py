"""Analysis commands: their arguments, and reports as `lz`, `kata` or `cgos` text.

    lz     info move E5 visits 812 winrate 5234 scoreLead 1.20 prior 310 lcb 5101 order 0 pv E5 C3 info move …
    kata   the same with floats from 0 to 1 for winrate, prior and lcb, and on request at the end of the line
           rootInfo visits … winrate … scoreLead … ownership 0.113 …
    cgos   one line of JSON

Everything is from the view of the player to move. Sabaki tells the two scales apart by the decimal point.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from miai.engine.go.points import vertex_of
from miai.gtp.arguments import is_color, read_color, write_vertices
from miai.gtp.protocol import CommandError, SyntaxFault

if TYPE_CHECKING:
    from miai.engine.search.report import MoveReport, SearchReport

Dialect = Literal["lz", "kata"]

DEFAULT_INTERVAL = 0.5
"""Seconds between the lines of an analysis whose client named no interval."""
SHORTEST_INTERVAL = 0.02
"""Seconds between lines even if a client wants more."""

_CGOS_LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+"
"""CGOS's signs of ownership, from -1 to +1."""
_SWITCHES = {"ownership": "ownership", "rootinfo": "root_info", "pvvisits": "variation_visits"}
_TRUTHS = {"true": True, "t": True, "1": True, "yes": True, "false": False, "f": False, "0": False, "no": False}


@dataclass
class AnalysisRequest:
    """What an analysis should tell, and how often."""

    color: int | None = None
    """Whose move to look for; None = the player to move."""
    interval: float | None = None
    """Seconds between lines; None = not said."""
    min_moves: int = 0
    """Tell at least so many moves, also such that were never searched."""
    max_moves: int | None = None
    """Tell at most so many."""
    ownership: bool = False
    root_info: bool = False
    variation_visits: bool = False


def read_request(arguments: tuple[str, ...]) -> AnalysisRequest:
    """Read `[COLOR] [INTERVAL] [KEY VALUE]…`, intervals in hundredths of a second.

    Raises:
        SyntaxFault: if a number or truth value is wrong or missing.
        CommandError: if a key is unknown, or names something that this engine cannot do.
    """
    request = AnalysisRequest()
    words = list(arguments)
    if words and is_color(words[0]):
        request.color = read_color(words.pop(0))
    if words and words[0][:1].isdigit():
        request.interval = _centiseconds(words.pop(0))
    while words:
        key = words.pop(0).lower()
        if key in ("avoid", "allow"):
            raise CommandError(f"{key} is not supported")
        if key not in ("interval", "minmoves", "maxmoves", *_SWITCHES):
            raise CommandError(f"unknown analysis option {key[:40]}")
        if not words:
            raise SyntaxFault
        value = words.pop(0)
        if key == "interval":
            request.interval = _centiseconds(value)
        elif key == "minmoves":
            request.min_moves = _count(value)
        elif key == "maxmoves":
            request.max_moves = _count(value)
        elif value.lower() in _TRUTHS:
            setattr(request, _SWITCHES[key], _TRUTHS[value.lower()])
        else:
            raise SyntaxFault
    return request


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SyntaxFault
    return int(text)


def _centiseconds(text: str) -> float:
    whole, _, fraction = text.partition(".")
    if fraction and not (fraction.isascii() and fraction.isdigit()):
        raise SyntaxFault
    return max(_count(whole) / 100, SHORTEST_INTERVAL)


def format_line(report: "SearchReport", size: int, dialect: Dialect, request: AnalysisRequest) -> str:
    """Return one line about all moves, the best first; empty if nothing was searched yet."""
    moves = moves_to_tell(report, request)
    words = [_format_move(move, order, size, dialect, request) for order, move in enumerate(moves)]
    if not words:
        return ""
    if request.root_info:
        winrate = _fraction(report.value, dialect)
        words.append(f"rootInfo visits {report.visits} winrate {winrate} scoreLead {report.score:.3f}")
    if request.ownership:
        words.append("ownership " + " ".join(f"{value:.3f}" for value in report.ownership))
    return " ".join(words)


def moves_to_tell(report: "SearchReport", request: AnalysisRequest) -> "list[MoveReport]":
    """Return the searched moves, filled up to the least and cut at the most that were asked for."""
    moves = [move for move in report.moves if move.visits > 0]
    missing = max(0, request.min_moves - len(moves))
    moves += [move for move in report.moves if move.visits == 0][:missing]
    return moves[: request.max_moves]


def _format_move(move: "MoveReport", order: int, size: int, dialect: Dialect, request: AnalysisRequest) -> str:
    text = (
        f"info move {vertex_of(move.move, size)} visits {move.visits} winrate {_fraction(move.value, dialect)}"
        f" scoreLead {move.score:.3f} prior {_fraction(move.prior, dialect)} lcb {_fraction(move.lower_bound, dialect)}"
        f" order {order} pv {write_vertices(move.variation or (move.move,), size)}"
    )
    if request.variation_visits and move.variation_visits:
        text += " pvVisits " + " ".join(map(str, move.variation_visits))
    return text


def _fraction(fraction: float, dialect: Dialect) -> str:
    """Return a probability as text: an integer out of 10000, or with a decimal point."""
    fraction = min(1.0, max(0.0, fraction))
    return str(round(10_000 * fraction)) if dialect == "lz" else f"{fraction:.6f}"


def format_json(report: "SearchReport", size: int, request: AnalysisRequest) -> str:
    """Return a report as the line of JSON that CGOS shows to its visitors."""
    content: dict[str, object] = {
        "winrate": round(report.value, 4),
        "score": round(report.score, 3),
        "visits": report.visits,
        "moves": [
            {
                "move": vertex_of(move.move, size),
                "winrate": round(move.value, 4),
                "score": round(move.score, 3),
                "prior": round(move.prior, 4),
                "pv": write_vertices(move.variation or (move.move,), size),
                "visits": move.visits,
            }
            for move in moves_to_tell(report, request)
        ],
    }
    if request.ownership:
        levels = (round(31.0 * (float(value) + 1.0)) for value in report.ownership)
        content["ownership"] = "".join(_CGOS_LEVELS[min(max(level, 0), 62)] for level in levels)
    return json.dumps(content, separators=(",", ":"), allow_nan=False)
