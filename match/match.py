"""A match: its two sides, what they play, and which games are left."""

import dataclasses
import functools
import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miai.gtp.client import Client
from miai.match.contestants import Contestant, start_engine
from miai.match.game_record import record_game
from miai.match.referee import GameSettings, PlayedGame
from miai.match.results import GameResult, MatchFolder
from miai.match.runner import MatchRunner
from miai.match.schedule import ScheduledGame
from miai.players.options import GameOptions


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

    @property
    def labels(self) -> dict[str, str]:
        """The sides as the user named them."""
        return {side: contestant.label for side, contestant in self.contestants.items()}

    def describe(self) -> dict[str, Any]:
        """Return whatever decides the results, for JSON; the number of games may grow later."""
        return {
            "sides": {side: contestant.describe() for side, contestant in self.contestants.items()},
            "game": json.loads(json.dumps(dataclasses.asdict(self.settings))),
            "openings": self.openings,
        }

    def folder_name(self) -> str:
        """Return a name made of the sides and a digest of everything that decides the results."""
        return name_folder(list(self.labels.values()), self.describe())

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
        options = GameOptions(self.settings.size, self.settings.komi, self.settings.rules)
        return {
            side: functools.partial(start_engine, contestant.prepare(folder / f"{side}.toml", options))
            for side, contestant in self.contestants.items()
        }

    def prepare_runner(self, folder: Path, num_games: int) -> MatchRunner:
        """Return a runner for so many games."""
        return MatchRunner(self.prepare(folder), self.settings, min(self.num_tables, num_games))

    def keep(self, folder: MatchFolder, played: PlayedGame) -> None:
        """Keep a finished game."""
        folder.append(played.result, record_game(played, self.settings.rules, self.labels))

    @property
    def num_tables(self) -> int:
        """Games at a time on this machine."""
        if self.parallel:
            return self.parallel
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return max(1, cores // max(contestant.threads for contestant in self.contestants.values()))


def name_folder(labels: list[str], content: Any) -> str:
    """Return a folder's name from what the user called things and a digest of `content`, which is JSON."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    return "_".join([*(re.sub(r"[^A-Za-z0-9.]+", "-", label)[:24].strip("-.") for label in labels), digest])
