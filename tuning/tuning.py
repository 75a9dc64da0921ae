"""A tuning: its points, the games at each, and the optimum that is tested. All of it lies in a folder.

    FOLDER/tuning.json          what is tuned; a folder serves one tuning only
    FOLDER/points.json          the points in the order in which they were proposed, and the optimum once it is chosen
    FOLDER/points/001/          a match of the player at this point: settings, results, games
    FOLDER/optimum-040/         the match that tests the optimum of 40 points

A point is on the disk before its games begin, and a game before the next one begins.
"""

import contextlib
import dataclasses
import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from miai.engine.files import write_file
from miai.engine.locking import take_lock
from miai.match.contestants import Contestant, read_contestant
from miai.match.match import Match
from miai.match.openings import Opening
from miai.match.referee import GameSettings
from miai.match.results import GameResult, MatchFolder, MatchFolderError, group_pairs
from miai.match.schedule import ScheduledGame, build_schedule
from miai.match.statistics import design_effect
from miai.tuning.model import FEWEST, MeasuredPoint, ScoreModel, spread_points
from miai.tuning.search_space import SearchSpace, Values, name_with
from miai.tuning.tables import GameJob, GameReport

_NUDGES = 200
"""How far from a point that was played already another one is looked for: tries, each farther away."""


@dataclass(frozen=True)
class TuningPlan:
    """What is tuned, and how."""

    player: str
    """Whose parameters are tuned, as for `miai match`."""
    space: SearchSpace
    opponent: Contestant
    settings: GameSettings
    openings_text: str
    """What the openings are, in words."""
    parallel: int | None
    """Games at a time on this machine; None for as many as there are cores for."""
    games: int
    """At a point; even."""
    points: int
    test_games: int
    """That test the optimum; even, or 0."""
    first: Values | None
    """Values to begin with."""
    seed: int

    def describe(self) -> dict[str, Any]:
        """Return what must agree for points to belong together, for JSON; the matches' own settings say the rest."""
        return {
            "player": self.player,
            "parameters": [dataclasses.asdict(one) for one in self.space.parameters],
            "games": self.games,
            "seed": self.seed,
        }

    @property
    def num_spread(self) -> int:
        """Points that are chosen before any score is known."""
        return len(self.space.parameters) + 2

    def match_of(self, player: str, settings: GameSettings, schedule: list[ScheduledGame]) -> Match:
        """Return a match of a player against the opponent."""
        contestants = {"A": read_contestant(player), "B": self.opponent}
        return Match(contestants, settings, self.openings_text, self.parallel, schedule)


@dataclass
class Trial:
    """The match of the player at a point."""

    values: Values
    match: Match
    folder: MatchFolder
    under_way: set[int] = field(default_factory=set)
    """Numbers of games that are being played."""

    @property
    def results(self) -> list[GameResult]:
        """The finished games."""
        return self.match.scheduled(self.folder.results)

    @property
    def pairs(self) -> list[list[float]]:
        """The tuned player's scores by opening: what it forfeits is lost, what its opponent forfeits says nothing."""
        return group_pairs((one for one in self.results if says_something(one)), count_forfeits=True)

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""
        return len(self.results) == len(self.match.schedule)

    def next_game(self) -> ScheduledGame | None:
        """Return a game that nobody has played or is playing; None if there is none."""
        return next(
            (one for one in self.match.remaining(self.folder.results) if one.number not in self.under_way), None
        )


def says_something(result: GameResult) -> bool:
    """Tell whether a game counts in a tuning: also one that the tuned player, side A, forfeited and so lost."""
    return result.is_counted or (result.ending == "forfeit" and result.score_of_a == 0.0)


def observe(place: tuple[float, ...], pairs: Sequence[Sequence[float]]) -> MeasuredPoint:
    """Return what games tell of a point: the score, and its variance as for as many games as the pairs are worth.

    One win and one loss more than there were keep the variance above zero.
    """
    scores = [score for pair in pairs for score in pair]
    games, mean = len(scores), sum(scores) / len(scores)
    smoothed = (sum(scores) + 1.0) / (games + 2.0)
    return MeasuredPoint(place, mean, design_effect(pairs) * smoothed * (1.0 - smoothed) / games)


class Tuning:
    """A tuning with its folder open."""

    def __init__(
        self, plan: TuningPlan, folder: Path, openings: Sequence[Opening], stack: contextlib.ExitStack
    ) -> None:
        """Open a new folder or that of an earlier run; it is locked until the stack is closed.

        Args:
            plan: what is tuned.
            folder: of the results.
            openings: for the games of a point, then as many more for those of the test; none for the empty board.
            stack: that closes the folder.

        Raises:
            MatchFolderError: if it holds another tuning, is in use, or cannot be written.
            ValueError: if there are too few openings.
        """
        self.plan = plan
        self._folder = folder
        self._stack = stack
        num_pairs = plan.games // 2
        self._schedule = build_schedule(plan.games, openings[:num_pairs])
        self._test_schedule = build_schedule(plan.test_games, openings[num_pairs:]) if plan.test_games else []
        self._open()
        kept = self._read_points()
        self._points: list[Values] = [tuple(values) for values in kept["points"]]
        self._optima: dict[str, Values] = {number: tuple(values) for number, values in kept["optima"].items()}
        self.trials: list[Trial] = []
        self.test: Trial | None = None
        """The match that tests the optimum, once that is chosen."""
        self.is_exhausted = False
        """Whether no point is left that was not played."""
        for values in self._points[: plan.points]:
            self._add_trial(values)
        if len(self.trials) == plan.points:
            self._begin_test()

    @property
    def observations(self) -> list[MeasuredPoint]:
        """What the games so far tell of the points that have any that count."""
        observed = ((trial, trial.pairs) for trial in self.trials)
        return [observe(self.plan.space.place_of(trial.values), pairs) for trial, pairs in observed if pairs]

    @property
    def all_results(self) -> list[GameResult]:
        """The finished games of all points and of the test."""
        return [result for trial in [*self.trials, *([self.test] if self.test else [])] for result in trial.results]

    @property
    def conditions(self) -> str:
        """A line that tells what is played."""
        return self.trials[0].match.conditions() if self.trials else self.plan.openings_text

    @property
    def num_games(self) -> int:
        """Games in all."""
        points = len(self.trials) if self.is_exhausted else self.plan.points
        return points * self.plan.games + self.plan.test_games

    def next_job(self) -> tuple[Trial, GameJob] | None:
        """Return a game to play now; None if there is none before games under way are finished, or at all.

        A point is proposed when all games of those before it are handed out; the optimum is chosen when all games of
        all points are finished.
        """
        for trial in self._open_trials():
            game = trial.next_game()
            if game is not None:
                trial.under_way.add(game.number)
                return trial, GameJob(trial.match.contestants, trial.match.settings, game)
        return None

    def keep(self, trial: Trial, report: GameReport) -> None:
        """Keep a finished game."""
        trial.folder.append(report.result, report.sgf)
        trial.under_way.discard(report.result.number)

    def fit_model(self) -> ScoreModel | None:
        """Return what is known of scores; None as long as that is too little."""
        observations = self.observations
        return ScoreModel(observations) if len(observations) >= FEWEST else None

    def _open_trials(self) -> Iterator[Trial]:
        yield from self.trials
        while len(self.trials) < self.plan.points and not self.is_exhausted:
            values = self._propose()
            if values is None:
                self.is_exhausted = True
                break
            self._points.append(values)
            self._write_points()
            self._add_trial(values)
            yield self.trials[-1]
        self._begin_test()
        if self.test:
            yield self.test

    def _propose(self) -> Values | None:
        """Return the values of the next point, none that was played before; None if there are no others."""
        plan, number = self.plan, len(self.trials)
        if number == 0 and plan.first is not None:
            return plan.first
        model = self.fit_model() if number >= plan.num_spread else None
        if model is None:
            place = spread_points(number + 1, len(plan.space.parameters), plan.seed)[number]
        else:
            pending = [plan.space.place_of(one.values) for one in self.trials if not one.pairs]
            place = model.propose(pending, _seed(plan.seed, "proposal", number))
        return self._nearest_new(place, np.random.default_rng([plan.seed, number]))

    def _nearest_new(self, place: np.ndarray, rng: np.random.Generator) -> Values | None:
        """Return the values at a place or, if they were played, at one near to it.

        The same values again would be the same games again where players are deterministic.
        """
        played = {trial.values for trial in self.trials}
        for distance in (0.0, *np.geomspace(0.005, 1.0, _NUDGES)):
            nudged = np.clip(place + rng.normal(0.0, distance, len(place)), 0.0, 1.0)
            values = self.plan.space.values_at(nudged)
            if values not in played:
                return values
        parameters = self.plan.space.parameters
        if not all(parameter.is_integer for parameter in parameters):
            return None
        grid = itertools.product(*(range(int(one.low), int(one.high) + 1) for one in parameters))
        return next((values for values in grid if values not in played), None)

    def find_optimum(self, model: ScoreModel) -> Values:
        """Return the values of the greatest posterior mean, whether they were played or not; once tested, they stay."""
        number = str(len(self.trials))
        if number in self._optima:
            return self._optima[number]
        space = self.plan.space
        found = space.values_at(model.find_optimum(_seed(self.plan.seed, "optimum", len(self.trials))))
        candidates = [found, *(trial.values for trial in self.trials)]
        means = model.predict(np.array([space.place_of(values) for values in candidates])).means
        return candidates[int(np.argmax(means))]

    def _begin_test(self) -> None:
        """Choose the optimum and open the match that tests it, if all games of all points are finished."""
        if self.test or not self._test_schedule or not all(trial.is_finished for trial in self.trials):
            return
        model = self.fit_model()
        if model is None:
            return
        number = len(self.trials)
        values = self._optima[str(number)] = self.find_optimum(model)
        self._write_points()
        path = self._folder / f"optimum-{number:03d}"
        self.test = self._open_trial(values, self._test_schedule, path, f"test {number}")

    def _add_trial(self, values: Values) -> None:
        number = len(self.trials) + 1
        path = self._folder / "points" / f"{number:03d}"
        self.trials.append(self._open_trial(values, self._schedule, path, f"point {number}"))

    def _open_trial(self, values: Values, schedule: list[ScheduledGame], path: Path, name: str) -> Trial:
        """Open the match of a point; its engines have random numbers of their own."""
        plan = self.plan
        settings = dataclasses.replace(plan.settings, seed=_seed(plan.seed, name, 0))
        match = plan.match_of(name_with(plan.player, plan.space.settings(values)), settings, schedule)
        return Trial(values, match, self._stack.enter_context(MatchFolder(path, match.describe())))

    def _open(self) -> None:
        """Lock the folder and compare what it is for."""
        file = self._folder / "tuning.json"
        wanted = json.loads(json.dumps(self.plan.describe()))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = take_lock(self._folder / ".lock")
            if lock is None:
                raise MatchFolderError(f"{self._folder} is in use by another miai tune")
            self._stack.callback(lock.release)
            if not file.exists():
                write_file(file, json.dumps(wanted, indent=1) + "\n")
                return
            found = _read_json(file)
        except OSError as error:
            raise MatchFolderError(f"cannot write to {self._folder}: {error.strerror}") from error
        different = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
        if different:
            raise MatchFolderError(
                f"{self._folder} holds another tuning ({', '.join(different)} differ): choose another --output"
            )

    def _read_points(self) -> dict[str, Any]:
        file = self._folder / "points.json"
        if not file.exists():
            return {"points": [], "optima": {}}
        found = _read_json(file)
        size = len(self.plan.space.parameters)
        try:
            rows = [*found["points"], *found["optima"].values()]
            if all(len(row) == size and all(isinstance(value, (int, float)) for value in row) for row in rows):
                return dict(found)
        except (KeyError, TypeError, AttributeError):
            pass
        raise MatchFolderError(f"{file} is damaged: choose another --output")

    def _write_points(self) -> None:
        content = {"points": self._points, "optima": self._optima}
        write_file(self._folder / "points.json", json.dumps(content) + "\n")


def _read_json(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise MatchFolderError(f"{file} is damaged: choose another --output")
    return found


def _seed(seed: int, name: str, number: int) -> int:
    """Return a seed of its own for each use."""
    return random.Random(f"miai tuning {seed} {name} {number}").randrange(1 << 31)
