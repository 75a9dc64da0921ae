"""Judge openings by a search: a match says little from positions that are decided before its players move.

The search is the same whoever plays, on one thread with a fixed seed and a tree of its own for every opening. So an
opening's value depends on the opening, the board's size, komi and rules alone, and lists of openings can be repeated.

Playouts compress values, so the window is narrow. The openings of 2 to 4 plies that were judged to find 100 fair ones,
on 9x9 with komi 7 and seed 1, have values of 0.39 to 0.62, half of them 0.47 to 0.52; 100 of 324 (31 %) fall into 0.485
to 0.515. That took 24 s of one core. With 20,000 simulations instead, values differ by 0.02 (root mean square of 30
openings). Repeat it with

    miai match fuego fuego --games 200 --output FOLDER

The values are in FOLDER/openings.json; the match itself may be interrupted.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from miai.engine.files import write_file
from miai.engine.go.points import BLACK, opponent, vertex_of
from miai.match.openings import Opening, OpeningError
from miai.players.options import GameOptions, PlayerOptions

Window = tuple[float, float]
"""Expected results for Black, from lowest to highest, of the openings that are taken."""
SIMULATIONS = 2000
WINDOW: Window = (0.485, 0.515)
"""What counts as fair unless the user says otherwise."""
OPENINGS_FILE = "openings.json"
"""Name of the file in a match's folder that keeps the values."""

_PLAYER = PlayerOptions(select="rave", policy="fuego", seed=1, threads=1, memory=256)


def takes_all(window: Window) -> bool:
    """Tell whether no opening can be outside the window, so that none need be evaluated."""
    return window[0] <= 0.0 and window[1] >= 1.0


def describe_window(window: Window) -> str:
    """Return the condition that the window sets for openings, in words.

    Raises:
        OpeningError: if nothing lies in it.
    """
    low, high = window
    if not low < high:
        raise OpeningError(f"--opening-window: the first number must be below the second, not {low:g} and {high:g}")
    return "" if takes_all(window) else f" that {SIMULATIONS} simulations give Black {low:g} to {high:g}"


class OpeningEvaluator:
    """Expected results of openings for Black; each opening is searched once, and what was found can be kept."""

    def __init__(self, game: GameOptions, search: Callable[[Opening], float] | None = None) -> None:
        """Judge openings of games with these options; `search` takes the place of the search."""
        self._game = game
        self._search = search or self._search_opening
        self._values: dict[str, float] = {}
        self._num_kept = 0

    def value(self, opening: Opening) -> float:
        """Return Black's expected result after the opening, from 0 to 1."""
        name = " ".join(vertex_of(move, self._game.size) for move in opening)
        if name not in self._values:
            self._values[name] = round(self._search(opening), 4)
        return self._values[name]

    def describe(self) -> dict[str, Any]:
        """Return what the values depend on, for JSON."""
        game = self._game
        return {"size": game.size, "komi": game.komi, "rules": game.rules, "simulations": SIMULATIONS}

    def load(self, file: Path) -> None:
        """Remember what `save` kept; a file that is missing, damaged or of other games is left aside."""
        try:
            found = json.loads(file.read_text())
        except (OSError, ValueError):
            return
        if isinstance(found, dict) and found.get("judge") == self.describe():
            values = found.get("values")
            if isinstance(values, Mapping) and all(isinstance(value, float) for value in values.values()):
                self._values.update(values)
                self._num_kept = len(self._values)

    def save(self, file: Path) -> None:
        """Keep the values that are not kept yet."""
        if len(self._values) > self._num_kept:
            write_file(file, json.dumps({"judge": self.describe(), "values": self._values}, indent=1) + "\n")
            self._num_kept = len(self._values)

    def _search_opening(self, opening: Opening) -> float:
        # Imported here because it takes a second, and `miai match --help` must not wait for it.
        try:
            from miai.engine.go.game import Game
            from miai.engine.go.rules import RULES
            from miai.players.compiling import compile_if_cold
            from miai.players.player import Budget, Player
        except ImportError as error:
            raise OpeningError(f"openings cannot be evaluated ({error}): take all with --opening-window 0 1") from error
        compile_if_cold(_PLAYER, self._game.size)
        game = Game(self._game.size, self._game.komi, RULES[self._game.rules])
        color = BLACK
        for move in opening:
            game.play(color, move)
            color = opponent(color)
        player = Player(_PLAYER)
        try:
            report = player.choose(game, color, Budget(simulations=SIMULATIONS)).report
        finally:
            player.close()
        value = report.moves[0].value
        return value if color == BLACK else 1.0 - value
