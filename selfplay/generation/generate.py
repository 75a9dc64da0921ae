"""A run of self-play: which games are left to play, who plays them, and where they are kept."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from miai.engine.go.sgf import SgfError, save_game
from miai.selfplay.data.format import GameRecord
from miai.selfplay.data.sgf import game_of_record, info_of_record
from miai.selfplay.data.store import GameStore
from miai.selfplay.generation.game import game_seed
from miai.selfplay.generation.generator import FinishedGame


class Workers(Protocol):
    """Plays games by their numbers, wherever."""

    def play(self, numbers: Sequence[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished, in any order."""


@dataclass
class RunSummary:
    """What a run has played so far."""

    games: int = 0
    positions: int = 0
    targets: int = 0
    """Positions with a policy target."""
    simulations: int = 0
    black_wins: int = 0
    draws: int = 0
    scored: int = 0
    """Games played to their end."""
    seconds: float = 0.0
    players_seconds: float = 0.0
    """Of all processes together."""
    evaluations: int = 0
    """Positions that networks evaluated."""
    network_seconds: float = 0.0
    """What that took, of the processes' time."""

    def add(self, finished: FinishedGame) -> None:
        """Count a game."""
        record = finished.record
        self.games += 1
        self.positions += len(record.moves)
        self.targets += sum(target is not None for target in record.targets)
        self.simulations += finished.simulations
        self.black_wins += record.result == 1.0
        self.draws += record.result == 0.5
        self.scored += record.is_scored
        self.players_seconds += finished.seconds
        self.evaluations += finished.evaluations
        self.network_seconds += finished.network_seconds

    @property
    def games_an_hour(self) -> float:
        """By the clock."""
        return 3600.0 * self.games / self.seconds if self.seconds > 0 else 0.0

    @property
    def network_share(self) -> float:
        """Share of the players' time that they waited for a network."""
        return self.network_seconds / self.players_seconds if self.players_seconds else 0.0

    @property
    def mean_length(self) -> float:
        """Moves of a game."""
        return self.positions / self.games if self.games else 0.0

    def progress(self) -> str:
        """Return the running figures in a few characters."""
        return f"{self.games_an_hour:,.0f} games/h, {self.positions:,} positions, {self.mean_length:.0f} moves a game"

    def lines(self) -> list[str]:
        """Return all figures for people."""
        if not self.games:
            return ["no game was left to play"]
        network = (
            f"the network evaluated {self.evaluations:,} positions, "
            f"{self.evaluations / max(self.seconds, 1e-9):,.0f}/s, in {self.network_share:.0%} of the players' time"
        )
        return [
            f"played {self.games:,} games in {self.seconds:,.0f} s: {self.games_an_hour:,.0f} games/h, "
            f"{self.simulations / max(self.seconds, 1e-9):,.0f} simulations/s",
            f"{self.positions:,} positions, {self.targets:,} with a policy target; {self.mean_length:.1f} moves a game",
            f"Black won {self.black_wins / self.games:.1%}, drawn {self.draws / self.games:.1%}, "
            f"played to the end {self.scored / self.games:.1%}",
            *([network] if self.evaluations else []),
        ]


@dataclass(frozen=True)
class Samples:
    """Which games are also kept as SGF."""

    every: int
    """Every so many; 0 = none."""
    player: str
    """Who played them."""
    prefix: str = ""
    """Of their files' names: another for each run of a folder."""

    def save(self, folder: Path, number: int, record: GameRecord, warn: Callable[[str], None]) -> None:
        """Keep a game if it is one of them."""
        if not self.every or number % self.every:
            return
        try:
            (folder / "sgf").mkdir(exist_ok=True)
            path = folder / "sgf" / f"{self.prefix}{number + 1:06d}.sgf"
            save_game(game_of_record(record), path, info_of_record(record, self.player))
        except (SgfError, OSError) as error:
            warn(str(error))


def numbers_left(store: GameStore, seed: int, games: int) -> list[int]:
    """Return which of the first `games` games of a seed a folder does not hold."""
    return [number for number in range(games) if game_seed(seed, number) not in store.seeds]


def generate_games(
    store: GameStore,
    workers: Workers,
    numbers: Sequence[int],
    samples: Samples,
    warn: Callable[[str], None],
    on_game: Callable[[RunSummary], None],
) -> RunSummary:
    """Let workers play games and keep each as it is finished.

    Args:
        store: where the games go.
        workers: who plays them.
        numbers: which.
        samples: those to keep as SGF too.
        warn: told of what could not be written.
        on_game: told after each game.

    Raises:
        StoreError: if the games cannot be kept.
        WorkersFailed: if nobody can play them.
    """
    summary = RunSummary()
    started = time.monotonic()
    for finished in workers.play(numbers):
        store.add(finished.record)
        samples.save(store.folder, finished.number, finished.record, warn)
        summary.add(finished)
        summary.seconds = time.monotonic() - started
        on_game(summary)
    store.finish()
    return summary
