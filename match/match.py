"""A match: its two sides, what they play, and which games are left."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miai.engine.processes import count_cores
from miai.gtp.client import Client
from miai.match.contestants import Contestant
from miai.match.game_record import record_game
from miai.match.referee import GameSettings, PlayedGame
from miai.match.results import GameResult, MatchFolder
from miai.match.runner import MatchRunner
from miai.match.schedule import ScheduledGame
from miai.match.tables import LocalTable, MatchAborted, prepare_starters, read_workers


@dataclass
class Match:
    """Two contestants and the games between them."""

    contestants: dict[str, Contestant]
    settings: GameSettings
    openings: str
    """What the openings are, in words."""
    parallel: int | None
    """Games at a time; None for as many as there are cores for."""
    schedule: list[ScheduledGame]
    workers: str = "local"
    """Where the games are played: `local`, or `ray` and perhaps `:ADDRESS` for a cluster."""

    @property
    def labels(self) -> dict[str, str]:
        """The sides as the user named them."""
        return {side: contestant.label for side, contestant in self.contestants.items()}

    def describe(self) -> dict[str, Any]:
        """Return whatever decides the results, for JSON; the number of games may grow later."""
        digests = {side: contestant.network_digest() for side, contestant in self.contestants.items()}
        return self.named() | {"networks": digests}

    def named(self) -> dict[str, Any]:
        """Return what `describe` does, networks by their names only."""
        rules = {side: own for side, contestant in self.contestants.items() if (own := contestant.own_rules())}
        return {
            "sides": {side: contestant.describe() for side, contestant in self.contestants.items()},
            "game": json.loads(json.dumps(dataclasses.asdict(self.settings))),
            "openings": self.openings,
        } | ({"own_rules": rules} if rules else {})

    def folder_name(self) -> str:
        """Return a name made of the sides and a digest of what `named` returns."""
        return name_folder(list(self.labels.values()), self.named())

    def conditions(self) -> str:
        """Return a line that tells what is played."""
        settings = self.settings
        told = f", time_settings {settings.told_time}" if settings.told_time else ""
        return f"{settings.size}x{settings.size}, komi {settings.komi:g}, {settings.rules}, {self.openings}{told}"

    def scheduled(self, results: list[GameResult]) -> list[GameResult]:
        """Return the results that belong to the schedule: a folder may hold those of a longer match."""
        return [result for result in results if result.number <= len(self.schedule)]

    def remaining(self, results: list[GameResult]) -> list[ScheduledGame]:
        """Return the games that are still to be played."""
        finished = {result.number for result in results}
        return [game for game in self.schedule if game.number not in finished]

    def prepare(self, folder: Path) -> dict[str, Callable[[], Client]]:
        """Return what starts an engine of each side, after writing config files to the folder."""
        return prepare_starters(self.contestants, self.settings, folder)

    def prepare_runner(self, folder: Path, num_games: int) -> MatchRunner:
        """Return a runner for so many games.

        Raises:
            MatchAborted: if there is no such cluster.
        """
        address = read_workers(self.workers)
        if address is None:
            parallel = min(self.num_tables, num_games)
            starters = self.prepare(folder)
            return MatchRunner([LocalTable(starters, self.settings) for _ in range(parallel)])
        from miai.engine.ray_cluster import connect, count_processors
        from miai.match.ray_tables import RayTable

        connect(address, MatchAborted)
        parallel = min(self.parallel or self._default_parallel(count_processors()), num_games)
        return MatchRunner([RayTable(self.contestants, self.settings, self._threads) for _ in range(parallel)])

    def keep(self, folder: MatchFolder, played: PlayedGame) -> None:
        """Keep a finished game."""
        folder.append(played.result, record_game(played, self.settings.rules, self.labels))

    @property
    def num_tables(self) -> int:
        """Games at a time on this machine."""
        return self.parallel or self._default_parallel(count_cores())

    @property
    def _threads(self) -> int:
        """Processors of a game: one side thinks at a time."""
        return max(contestant.threads for contestant in self.contestants.values())

    def _default_parallel(self, num_processors: int) -> int:
        return max(1, num_processors // self._threads)


def name_folder(labels: list[str], content: Any) -> str:
    """Return a folder's name from what the user called things and a digest of `content`, which is JSON."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    return "_".join([*(re.sub(r"[^A-Za-z0-9.]+", "-", label)[:24].strip("-.") for label in labels), digest])
