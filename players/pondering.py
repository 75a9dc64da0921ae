"""Pondering: a search in the background on the opponent's time, which the player's next search continues."""

import threading
from typing import TYPE_CHECKING

from miai.engine.log import log

if TYPE_CHECKING:
    from miai.engine.go.game import Game
    from miai.players.player import Player


class Pondering:
    """At most one search in the background."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def begin(self, player: "Player", game: "Game") -> None:
        """Let a player search a position as it is now, for who is to move, until `end`; nothing else may use it."""
        self.end()
        self._stop.clear()
        self._thread = threading.Thread(target=self._search, args=(player, game.copy()), name="pondering", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the search, if there is one; wait until the player is free: some milliseconds, or while it compiles."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None

    def _search(self, player: "Player", game: "Game") -> None:
        try:
            player.analyze(game, game.to_play, lambda report: None, 0.0, self._stop)
        except Exception as error:  # the search for the next move will say so too
            log(f"miai: cannot think on the opponent's time: {type(error).__name__}: {error}")
