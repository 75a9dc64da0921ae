"""Several contestants who play each other, or the pairings that the options name, and their ratings."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from miai.engine.progress import progress_bar
from miai.gtp.client import Client
from miai.match.contestants import Contestant
from miai.match.engines import Engine
from miai.match.match import Match, name_folder
from miai.match.referee import GameSettings, PlayedGame
from miai.match.results import MatchFolder
from miai.match.runner import interrupt_safely
from miai.match.standings import Pairing, Standings, add_up
from miai.match.standings_report import shorten
from miai.match.statistics import SequentialTest
from miai.match.summary import apply_test
from miai.match.tables import MatchAborted, check_engine
from miai.match.twogtp import write_twogtp


@dataclass
class Tournament:
    """Pairings of contestants, and what is known of them."""

    contestants: list[Contestant]
    settings: GameSettings
    anchor: int | None
    """Whose rating is to be zero; None for the mean."""
    matches: dict[tuple[int, int], Match]
    """By the places of their sides in `contestants`."""
    test: SequentialTest | None = None
    """Ends the games of each pairing when it is decided."""
    folders: dict[tuple[int, int], MatchFolder] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The engines' own names and versions, by the contestants' labels."""

    @property
    def labels(self) -> list[str]:
        """The contestants as the user named them."""
        return [contestant.label for contestant in self.contestants]

    @property
    def conditions(self) -> str:
        """A line that tells what is played."""
        return next(iter(self.matches.values())).conditions()

    @property
    def num_games(self) -> int:
        """Games of all schedules."""
        return sum(len(match.schedule) for match in self.matches.values())

    @property
    def num_finished(self) -> int:
        """Those that are played."""
        return self.num_games - sum(
            len(match.remaining(self.folders[places].results)) for places, match in self.matches.items()
        )

    @property
    def remaining(self) -> list[tuple[int, int]]:
        """The pairings with games to be played."""
        return [
            places
            for places, match in self.matches.items()
            if match.remaining(self.folders[places].results) and not self._is_decided(places)
        ]

    def _is_decided(self, places: tuple[int, int]) -> bool:
        """Tell whether the sequential test, if there is one, has decided between two."""
        if self.test is None:
            return False
        results = self.matches[places].scheduled(self.folders[places].results)
        return apply_test(results, self.test).accepted is not None

    def open_folders(self, path: Path, stack: contextlib.ExitStack) -> None:
        """Open a folder for each pairing below `path` that has none, locked until the stack is closed.

        Raises:
            MatchFolderError: if one holds another match, is in use, or cannot be written.
        """
        for places, match in self.matches.items():
            if places in self.folders:
                continue
            labels = list(match.labels.values())
            folder = MatchFolder(path / name_folder(labels, labels), match.describe())
            self.folders[places] = stack.enter_context(folder)

    def folder_name(self, form: str = "round-robin") -> str:
        """Return a name with the form and a digest of everything that decides the results."""
        return name_folder([form], [match.named() for match in self.matches.values()])

    def add_up(self) -> Standings:
        """Return the standings."""
        pairings = [
            Pairing(*places, len(match.schedule), match.scheduled(self.folders[places].results))
            for places, match in self.matches.items()
        ]
        return add_up(self.labels, self.names, pairings, self.anchor, self.test)

    def play(self, on_pairing: Callable[[], object]) -> tuple[list[str], bool]:
        """Play what is left; return why pairings were given up, and whether all was interrupted.

        Args:
            on_pairing: called after each pairing.
        """
        remaining = self.remaining
        given_up: list[str] = []
        try:
            with interrupt_safely():
                self._check_engines(remaining)
                with progress_bar(total=self.num_games, done=self.num_finished, unit="game") as bar:
                    for places in remaining:
                        try:
                            self._play_pairing(places, bar)
                        except MatchAborted as error:
                            first, second = self.matches[places].labels.values()
                            given_up.append(f"the games of {first} (A) and {second} (B) were given up: {error}")
                        on_pairing()
        except KeyboardInterrupt:
            return given_up, True
        return given_up, False

    def _check_engines(self, pairings: Sequence[tuple[int, int]]) -> None:
        """Start every contestant once, so that one that cannot play is told before any game."""
        starters: dict[str, Callable[[], Client]] = {}
        for places in pairings:
            match = self.matches[places]
            for side, start in match.prepare(self.folders[places].path).items():
                starters[match.labels[side]] = start
        with progress_bar(starters.items(), description="starting players", unit="player", is_fleeting=True) as bar:
            for label, start in bar:
                engine = Engine(label, start)
                try:
                    self.names[label] = check_engine(engine, self.settings)
                finally:
                    engine.close()

    def _play_pairing(self, places: tuple[int, int], bar: tqdm) -> None:
        """Play what is left of one pairing.

        Raises:
            MatchAborted: if an engine fails game after game.
        """
        match, folder = self.matches[places], self.folders[places]
        remaining = match.remaining(folder.results)
        runner = match.prepare_runner(folder.path, len(remaining))
        first, second = (shorten(label, 16) for label in match.labels.values())
        bar.set_postfix_str(f"{first} – {second}")

        def keep_game(played: PlayedGame) -> bool:
            match.keep(folder, played)
            bar.update()
            return not self._is_decided(places)

        try:
            with interrupt_safely(runner):
                runner.play(remaining, keep_game)
        finally:
            names = {side: self.names[label] for side, label in match.labels.items() if label in self.names}
            write_twogtp(match, match.scheduled(folder.results), names, folder.path)
