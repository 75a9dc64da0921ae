"""The games of a tuning between engines: a match at each point.

    FOLDER/tuning.json          what is tuned; a folder serves one tuning only
    FOLDER/points/001/          the match of the player at this point: settings, results, games
    FOLDER/optimum-040/         the match that tests the optimum of 40 points

A game is on the disk before the next one begins.
"""

import contextlib
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from miai.engine.files import write_file
from miai.engine.locking import take_lock
from miai.match.contestants import Contestant, read_contestant
from miai.match.match import Match
from miai.match.openings import Opening
from miai.match.referee import GameSettings
from miai.match.results import GameResult, MatchFolder, MatchFolderError, group_pairs
from miai.match.schedule import ScheduledGame, build_schedule
from miai.match.tables import FailureWatch
from miai.tuning.points import read_object
from miai.tuning.search_space import Values, name_with
from miai.tuning.tables import GameJob, GameReport
from miai.tuning.tuning import Tally, TuningPlan, seed_of


@dataclass(frozen=True)
class EngineConditions:
    """What the games have in common."""

    opponent: Contestant
    settings: GameSettings
    openings_text: str
    """What the openings are, in words."""
    parallel: int | None
    """Games at a time on this machine; None for as many as there are cores for."""

    def match_of(self, player: str, settings: GameSettings, schedule: list[ScheduledGame]) -> Match:
        """Return a match of a player against the opponent."""
        contestants = {"A": read_contestant(player), "B": self.opponent}
        return Match(contestants, settings, self.openings_text, self.parallel, schedule)


@dataclass
class MatchTrial:
    """The match of the player at a point."""

    values: Values
    match: Match
    folder: MatchFolder
    failures: FailureWatch
    under_way: set[int] = field(default_factory=set)
    """Numbers of games that are being played."""

    @property
    def results(self) -> list[GameResult]:
        """The finished games."""
        return self.match.scheduled(self.folder.results)

    @property
    def pairs(self) -> list[list[float]]:
        """The tuned player's scores by opening: what it forfeits is lost, what its opponent forfeits says nothing."""
        return group_pairs((one for one in self.results if one.is_counted or _is_forfeited(one)), count_forfeits=True)

    @property
    def tally(self) -> Tally:
        """What was played so far."""
        results = self.results
        forfeited = sum(map(_is_forfeited, results))
        return Tally(
            len(results),
            forfeited,
            sum(not one.is_counted for one in results) - forfeited,
            sum(effort.seconds for one in results for effort in one.efforts.values()),
        )

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""
        return len(self.results) == len(self.match.schedule)

    def next_job(self) -> GameJob | None:
        """Return a game that nobody has played or is playing; None if there is none."""
        for game in self.match.remaining(self.folder.results):
            if game.number not in self.under_way:
                self.under_way.add(game.number)
                return GameJob(self.match.contestants, self.match.settings, game)
        return None

    def keep(self, job: GameJob, report: GameReport) -> None:
        """Keep a finished game.

        Raises:
            MatchAborted: if a side forfeits game after game.
            MatchFolderError: if the game cannot be kept.
        """
        self.folder.append(report.result, report.sgf)
        self.under_way.discard(job.game.number)
        self.failures.note(report.result)


def _is_forfeited(result: GameResult) -> bool:
    """Tell whether the tuned player, side A, forfeited a game and so lost it."""
    return result.ending == "forfeit" and result.score_of_a == 0.0


class EngineGames:
    """Matches in a folder that is locked until the stack is closed."""

    def __init__(
        self,
        plan: TuningPlan,
        conditions: EngineConditions,
        openings: Sequence[Opening],
        folder: Path,
        stack: contextlib.ExitStack,
    ) -> None:
        """Open a new folder or that of an earlier run.

        Args:
            plan: what is tuned.
            conditions: of all games.
            openings: for the games of a point, then as many more for those of the test; none for the empty board.
            folder: of the results.
            stack: that closes it.

        Raises:
            MatchFolderError: if it holds another tuning, is in use, or cannot be written.
            ValueError: if there are too few openings.
        """
        self._plan = plan
        self._conditions = conditions
        self._folder = folder
        self._stack = stack
        self._failures = FailureWatch()
        num_pairs = plan.games // 2
        self._schedule = build_schedule(plan.games, openings[:num_pairs])
        self._test_schedule = build_schedule(plan.test_games, openings[num_pairs:]) if plan.test_games else []
        self.conditions = conditions.match_of(plan.player, conditions.settings, []).conditions()
        self._open()

    def open_point(self, number: int, values: Values) -> MatchTrial:
        """Return the match of a point."""
        return self._open_trial(values, self._schedule, self._folder / "points" / f"{number:03d}", f"point {number}")

    def open_test(self, num_points: int, values: Values) -> MatchTrial:
        """Return the match that tests the optimum of so many points."""
        path = self._folder / f"optimum-{num_points:03d}"
        return self._open_trial(values, self._test_schedule, path, f"test {num_points}")

    def _open_trial(self, values: Values, schedule: list[ScheduledGame], path: Path, name: str) -> MatchTrial:
        """Open a match; its engines have random numbers of their own."""
        plan, conditions = self._plan, self._conditions
        settings = dataclasses.replace(conditions.settings, seed=seed_of(plan.seed, name, 0))
        match = conditions.match_of(name_with(plan.player, plan.space.settings(values)), settings, schedule)
        folder = self._stack.enter_context(MatchFolder(path, match.describe()))
        return MatchTrial(values, match, folder, self._failures)

    def _open(self) -> None:
        """Lock the folder and compare what it is for."""
        file = self._folder / "tuning.json"
        wanted = json.loads(json.dumps(describe_tuning(self._plan)))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = take_lock(self._folder / ".lock")
            if lock is None:
                raise MatchFolderError(f"{self._folder} is in use by another miai tune")
            self._stack.callback(lock.release)
            if not file.exists():
                write_file(file, json.dumps(wanted, indent=1) + "\n")
                return
            found = read_object(file)
        except OSError as error:
            raise MatchFolderError(f"cannot write to {self._folder}: {error.strerror}") from error
        different = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
        if different:
            raise MatchFolderError(
                f"{self._folder} holds another tuning ({', '.join(different)} differ): choose another --output"
            )


def describe_tuning(plan: TuningPlan) -> dict[str, Any]:
    """Return what must agree for points to belong together, for JSON; the matches' own settings say the rest."""
    return {
        "player": plan.player,
        "parameters": [dataclasses.asdict(one) for one in plan.space.parameters],
        "games": plan.games,
        "seed": plan.seed,
    }
