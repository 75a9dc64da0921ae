"""Hints for a person: the best moves of a real search, whatever level the player has."""

import dataclasses
from typing import TYPE_CHECKING

from miai.engine.go.points import PASS, vertex_of
from miai.players.options import PlayerOptions

if TYPE_CHECKING:
    from miai.engine.go.game import Game
    from miai.engine.search.report import MoveReport, SearchReport
    from miai.players.player import Player

NUM_SIMULATIONS = 1000
"""What a hint is searched with; levels for people search less, or not at all."""
_NUM_MOVES = 5
_LINE_LENGTH = 5
"""Moves of a variation that are shown after its first."""


class Adviser:
    """Searches with a tree of its own, so that a weak player does not go on from what a hint found."""

    def __init__(self, options: PlayerOptions) -> None:
        """Take the options of the player whose opponent is advised; all but the budget apply."""
        self._options = dataclasses.replace(options, simulations=NUM_SIMULATIONS, time=None)
        self._player: Player | None = None

    def judge(self, game: "Game", color: int) -> "SearchReport":
        """Search the position for `color` and report; the game stays as it is."""
        from miai.players.player import Player

        if self._player is None:
            self._player = Player(self._options)
        return self._player.search(game, color)


def choose_hints(report: "SearchReport") -> list["MoveReport"]:
    """Return the moves to show, best first; those that were not searched say nothing."""
    return [move for move in report.moves if move.visits > 0][:_NUM_MOVES]


def mark_hints(hints: list["MoveReport"]) -> dict[int, str]:
    """Return the numbers that the board shows, by point."""
    return {hint.move: str(number) for number, hint in enumerate(hints, start=1) if hint.move != PASS}


def list_hints(hints: list["MoveReport"], size: int) -> str:
    """Return a table: number, move, expected result, visits, points, and how the game may go on."""
    lines = ["   move   wins  visits  points  then"]
    for number, hint in enumerate(hints, start=1):
        then = " ".join(vertex_of(move, size) for move in hint.variation[1 : _LINE_LENGTH + 1])
        vertex = vertex_of(hint.move, size)
        lines.append(f"{number}  {vertex:<5}{hint.value:>6.0%}{hint.visits:>8d}{hint.score:>+8.1f}  {then}".rstrip())
    return "\n".join(lines)
