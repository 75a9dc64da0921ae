"""The loop: a network plays, the next one learns from all games so far, now and then one is rated.

    FOLDER/games/       `miai.selfplay.data.store`
    FOLDER/training/    `miai.selfplay.training.trainer`; its `nets/` holds all networks
    FOLDER/ratings/     games against the opponents, `ratings.md`, `curve.png`
    FOLDER/journal.jsonl
    FOLDER/seconds.json    what all starts took

What was done is seen from these files alone, so a loop may be killed at any instant and started again.
"""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from miai.engine.files import remove_leftovers
from miai.engine.interrupts import answer_interrupts
from miai.engine.progress import progress_bar
from miai.match.openings import OpeningError
from miai.match.results import MatchFolderError
from miai.match.table import describe_elo
from miai.match.tables import MatchAborted
from miai.nets.net_files import WeightsError, load_weights
from miai.selfplay.data.format import DataError
from miai.selfplay.data.store import GameStore, StoreError
from miai.selfplay.data.window import choose_window
from miai.selfplay.generation.generate import RunSummary, Samples, generate_games, numbers_left
from miai.selfplay.generation.workers import LocalWorkers, WorkersFailed
from miai.selfplay.loop.journal import Journal, JournalEntry
from miai.selfplay.loop.plan import LoopPlan
from miai.selfplay.loop.rating import RatingLadder, plot_curve
from miai.selfplay.loop.spent_time import SpentTime
from miai.selfplay.training.published_nets import label_of, published_nets
from miai.selfplay.training.trainer import Trainer, TrainingError

EXPECTED_ERRORS = (
    DataError,
    MatchAborted,
    MatchFolderError,
    OpeningError,
    StoreError,
    TrainingError,
    WeightsError,
    WorkersFailed,
)
"""What may go wrong in `Loop.run` without a fault of the program, besides OSError; the text tells what."""


def _positions_played(summary: dict[str, Any]) -> int:
    """Return how many positions had been played when a network was published; by `miai train`, how many it learned."""
    return int(summary.get("positions_played", summary.get("positions", 0)))


class Loop:
    """A loop in a folder that no other process may use meanwhile."""

    def __init__(
        self, folder: Path, plan: LoopPlan, ladder: RatingLadder, processes: int, warn: Callable[[str], None]
    ) -> None:
        """Make the folder if it is missing.

        Args:
            folder: of everything the loop makes.
            plan: what it does.
            ladder: rates the networks.
            processes: how many play.
            warn: told in a line of what went wrong and was left out.

        Raises:
            StoreError: if the folder cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
        self._folder = folder
        self._plan = plan
        self._ladder = ladder
        self._processes = processes
        self._warn = warn
        self.journal = Journal(folder / "journal.jsonl")
        self._spent = SpentTime(folder / "seconds.json", time.monotonic, self.journal.seconds)

    def nets(self) -> dict[int, Path]:
        """Return the networks by number."""
        return published_nets(self._folder / "training" / "nets")

    def newest_net(self) -> tuple[int, Path | None]:
        """Return the newest network that can be read and its number; 0 and None if there is none."""
        for number, path in sorted(self.nets().items(), reverse=True):
            try:
                load_weights(path)
            except WeightsError as error:
                self._warn(f"left out: {error}")
            else:
                return number, path
        return 0, None

    def run(self, hours: float | None, networks: int | None, command: str) -> None:
        """Go on until so many hours were spent in all starts together, or there are so many networks.

        Args:
            hours: None = no such limit; a network that has been begun is finished.
            networks: None = no such limit.
            command: shown in the reports.

        Raises:
            KeyboardInterrupt: if the user interrupts.
            EXPECTED_ERRORS, OSError: if the loop cannot go on.
        """
        remove_leftovers(self._folder)
        self._complete_journal()

        def progress(number: int) -> float:
            """Return the share of the run that is done with this network."""
            by_time = self._spent.seconds / (3600.0 * hours) if hours else 0.0
            return max(by_time, number / networks if networks else 0.0)

        with contextlib.closing(self._spent):
            self._ladder.check_opponents()  # what is wrong with them and the openings shows now, not after hours
            self._ladder.draw_schedule()
            self._publish_start(command)
            self._rate(command)
            while not (hours or networks) or progress(self.newest_net()[0]) < 1.0:
                self._make_net(progress, command)

    def _complete_journal(self) -> None:
        """Add the lines of networks after which the loop was stopped before it wrote them."""
        known = {entry.version for entry in self.journal.entries}
        for number, path in sorted(self.nets().items()):
            if number not in known:
                with contextlib.suppress(WeightsError):
                    if line := load_weights(path).summary.get("journal"):
                        self.journal.add(JournalEntry(**(line | {"version": number})))

    def _publish_start(self, command: str) -> None:
        """Make the network to start from the first, unless there is one."""
        plan = self._plan
        if plan.start_from is None or self.nets():
            return
        folder = self._folder / "training"
        with Trainer(plan.network, folder, plan.training, report=self._warn, start_from=plan.start_from) as trainer:
            trainer.save_checkpoint()
            trainer.publish(positions_played=0, command=command)

    def _make_net(self, progress: Callable[[int], float], command: str) -> None:
        """Let the newest network play, train and publish the next one, and rate it when its turn has come."""
        version, net = self.newest_net()
        entry = JournalEntry(max(self.nets(), default=0) + 1)
        started = time.monotonic()
        summary = self._play(version, net)
        entry.games, entry.simulations = summary.games, summary.simulations
        entry.evaluations, entry.network_share = summary.evaluations, summary.network_share
        entry.playing_seconds = time.monotonic() - started
        self._spent.save()
        self._train(entry, net, progress(entry.version), command)
        started = time.monotonic()
        if entry.version % self._ladder.every == 0:
            self._rate(command)
        entry.rating_seconds = time.monotonic() - started
        self.journal.add(entry)
        tqdm.write(entry.line())

    def _rate(self, command: str) -> None:
        """Play the games that are left of the networks whose turn has come, and report."""
        chosen, positions = {}, {}
        for number, path in self.nets().items():
            if number % self._ladder.every == 0:
                try:
                    positions[label_of(number)] = _positions_played(load_weights(path).summary)
                    chosen[number] = path
                except WeightsError as error:
                    self._warn(f"left out: {error}")
        if not chosen:
            return
        standings = self._ladder.rate(chosen, command, self._warn)
        plot_curve(standings, positions, self._folder / "ratings" / "curve.png")
        for standing in standings.contestants:
            if standing.elo:
                tqdm.write(f"  {standing.player.label}: Elo {describe_elo(standing.elo)}")

    def _play(self, version: int, net: Path | None) -> RunSummary:
        recipe = self._plan.recipe_of(version)
        options = self._plan.player_of(net)
        number = self._plan.games_of(version)
        with GameStore(self._folder / "games", self._warn) as store:
            numbers = numbers_left(store, recipe.seed, number)
            workers = LocalWorkers(options, recipe, self._processes)
            samples = Samples(50, f"net {version}" if version else "teacher", f"{version:04d}-")
            with progress_bar(
                total=number, done=number - len(numbers), unit="game", description=f"net {version}"
            ) as bar:

                def show(summary: RunSummary) -> None:
                    bar.set_postfix_str(summary.progress(), refresh=False)
                    bar.update()
                    self._spent.save_now_and_then()

                return generate_games(store, workers, numbers, samples, self._warn, show)

    def _train(self, entry: JournalEntry, net: Path | None, progress: float, command: str) -> None:
        """Train as many steps as the positions played since `net` was published call for, and publish the next one."""
        plan, started = self._plan, time.monotonic()
        window = choose_window(self._folder / "games", plan.first_window, self._warn_of)
        known = load_weights(net).summary if net else {"step": 0, "positions_played": 0}
        due = plan.training.steps_for(max(0, window.num_played - _positions_played(known)))
        folder = self._folder / "training"
        with Trainer(plan.network, folder, plan.training, report=self._warn, start_from=plan.start_from) as trainer:
            # so few positions may have come that no step is due; without one there would be no next network
            last = max(trainer.step, known["step"] + max(1, due))
            interrupted = threading.Event()

            def stop() -> None:
                interrupted.set()
                trainer.stop()

            with answer_interrupts(stop):
                trainer.train(window.files, last - trainer.step, round(last / max(progress, 1e-3)))
            if interrupted.is_set():
                raise KeyboardInterrupt
            entry.step, entry.losses, entry.validation = trainer.step, trainer.losses, trainer.validation
            entry.positions, entry.training_seconds = window.num_played, time.monotonic() - started
            facts = {"positions_played": window.num_played, "command": command, "journal": dataclasses.asdict(entry)}
            path = trainer.publish(**facts)
        tqdm.write(f"wrote {path}")
        self._spent.save()

    def _warn_of(self, error: DataError) -> None:
        self._warn(f"left out: {error}")
