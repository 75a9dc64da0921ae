"""What a search found, with moves as texts; in a notebook a table beside the board."""

from dataclasses import dataclass
from html import escape
from typing import cast

import numpy as np
from tabulate import tabulate

from miai.engine.go.game import Game as EngineGame
from miai.engine.go.points import color_name, vertex_of
from miai.engine.search.report import MoveReport, SearchReport
from miai.library.games import Color
from miai.library.pictures import draw_svg

_SHOWN = 10
_HEADERS = ("move", "win rate", "points", "visits", "prior", "principal variation")


@dataclass(frozen=True)
class Candidate:
    """A move at the root, from the view of the player who makes it.

    Without visits its win rate, score and lower bound are 0.
    """

    move: str
    """As GTP writes it: `D4`, `pass`."""
    visits: int
    """Simulations that went through it."""
    win_rate: float
    """Expected result, 0 to 1; a draw counts one half."""
    score: float
    """Expected final score in points, komi included."""
    prior: float
    """Probability before the search."""
    lower_bound: float
    """Lower end of the win rate's 95 % interval."""
    variation: tuple[str, ...]
    """Principal variation, from this move on."""


class Report:
    """What a search found out about a position, from the view of the player to move."""

    def __init__(self, game: EngineGame, report: SearchReport) -> None:
        """Take a report of the engine and a copy of the position."""
        self.detail = report
        """The report as the engine gives it, for `miai.engine`."""
        self._game = game.copy()
        self.candidates = tuple(_candidate(move, game.size) for move in report.moves)
        """The moves, best first."""

    @property
    def best(self) -> Candidate:
        """The best move."""
        return self.candidates[0]

    @property
    def to_play(self) -> Color:
        """The player to move."""
        return cast(Color, color_name(self.detail.color))

    @property
    def win_rate(self) -> float:
        """Expected result, 0 to 1; a draw counts one half."""
        return self.detail.value

    @property
    def score(self) -> float:
        """Expected final score in points, komi included."""
        return self.detail.score

    @property
    def simulations(self) -> int:
        """Simulations that this search did."""
        return self.detail.simulations

    @property
    def ownership(self) -> np.ndarray:
        """Expected owners, float32 [size, size], row 0 at the top: 1 the player's to move, -1 the opponent's."""
        return self.detail.ownership.reshape(self._game.size, self._game.size)

    def __str__(self) -> str:
        return tabulate(self._rows(), _HEADERS, disable_numparse=True)

    def __repr__(self) -> str:
        best = self.best
        return f"<Report {self.to_play} to play: {best.move} {best.win_rate:.1%}, {self.simulations} simulations>"

    def _repr_html_(self) -> str:
        table = tabulate(self._rows(), _HEADERS, tablefmt="html", disable_numparse=True)
        picture = draw_svg(self._game, self.detail)
        title = escape(f"{self.to_play.capitalize()} to play, {self.simulations:,} simulations")
        return (
            f'<div style="display:flex;gap:1.5em;align-items:flex-start"><div>{picture}</div>'
            f"<div><b>{title}</b>{table}</div></div>"
        )

    def _rows(self) -> list[tuple[str, str, str, int, str, str]]:
        return [
            (
                one.move,
                f"{one.win_rate:.1%}",
                f"{one.score:+.1f}",
                one.visits,
                f"{one.prior:.1%}",
                " ".join(one.variation[:6]),
            )
            for one in self.candidates[:_SHOWN]
            if one.visits > 0
        ]


def _candidate(move: MoveReport, size: int) -> Candidate:
    return Candidate(
        vertex_of(move.move, size),
        move.visits,
        move.value,
        move.score,
        move.prior,
        move.lower_bound,
        tuple(vertex_of(one, size) for one in move.variation),
    )
