"""The options of a match or a round robin."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from miai.match.contestants import Contestant, agree_on_game
from miai.match.match_clock import MatchTimeSettings
from miai.match.opening_evaluation import WINDOW, Window
from miai.match.referee import GameSettings
from miai.match.tables import read_workers
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions


@dataclass(frozen=True)
class MatchOptions:
    """The games, and how many."""

    games: int = 100
    """Games between two contestants."""
    output: Path | None = None
    parallel: int | None = None
    game_settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `GameOptions` by name; those missing have their defaults."""
    seed: int = 1
    opening_files: tuple[str, ...] = ()
    opening_plies: tuple[int, int] | None = None
    opening_window: Window = WINDOW
    time_per_move: int | None = None
    time_settings: tuple[int, int, int] | None = None
    move_timeout: float = 300.0
    max_moves: int | None = None
    adjudicate: bool = False
    workers: str = "local"

    def __post_init__(self) -> None:
        read_workers(self.workers)

    @property
    def game(self) -> GameOptions:
        """What is played; raises OptionError if it is not allowed."""
        return GameOptions(**self.game_settings)

    def with_game_of(self, contestants: Iterable[Contestant]) -> "MatchOptions":
        """Return the options with what contestants say of the game; raises OptionError if they say different things."""
        game = agree_on_game(self.game_settings, contestants)
        return dataclasses.replace(self, game_settings=dataclasses.asdict(game))

    @property
    def settings(self) -> GameSettings:
        """What all games have in common; raises ValueError if it is not allowed."""
        game = self.game
        if self.time_per_move is not None and self.time_settings is not None:
            raise OptionError("time-per-move: time-settings tells the engines their time (allowed: one of the two)")
        return GameSettings(
            size=game.size,
            komi=game.komi,
            rules=game.rules,
            max_moves=self.max_moves or 3 * game.size * game.size,
            move_timeout=self.move_timeout,
            time_per_move=self.time_per_move,
            time_settings=MatchTimeSettings(*self.time_settings) if self.time_settings else None,
            seed=self.seed,
            adjudicate=self.adjudicate,
        )
