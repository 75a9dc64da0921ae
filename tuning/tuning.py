"""A tuning: its points, and the optimum that is tested. Its folder goes on where a run was stopped.

A point is on the disk before its games begin. How they are played and kept, `TunedGames` know: as matches of engines
(`miai.tuning.engine_games`) or as pieces of an experiment (`miai.tuning.knot_games`).
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from miai.match.statistics import design_effect
from miai.tuning.model import FEWEST, MeasuredPoint, ScoreModel, spread_points
from miai.tuning.points import read_points
from miai.tuning.search_space import SearchSpace, Values

_NUDGES = 200
"""How far from a point that was played already another one is looked for: tries, each farther away."""


@dataclass(frozen=True)
class TuningPlan:
    """What is tuned, and how."""

    player: str
    """Whose parameters are tuned, as for `miai match`."""
    space: SearchSpace
    opponent: str
    """Its label."""
    games: int
    """At a point; even."""
    points: int
    test_games: int
    """That test the optimum; even, or 0."""
    first: Values | None
    """Values to begin with."""
    seed: int

    @property
    def num_spread(self) -> int:
        """Points that are chosen before any score is known."""
        return len(self.space.parameters) + 2


class Tally(NamedTuple):
    """What was played."""

    games: int
    forfeited: int
    """Games that the tuned player forfeited, and so lost."""
    uncounted: int
    """Games that say nothing."""
    seconds: float
    """That both sides thought."""


class Trial(Protocol):
    """The games of the player at a point."""

    @property
    def values(self) -> Values:
        """Those of the parameters."""

    @property
    def pairs(self) -> Sequence[Sequence[float]]:
        """The tuned player's scores by opening, as far as games are finished and say something."""

    @property
    def tally(self) -> Tally:
        """What was played so far."""

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""

    def next_job(self) -> Any:
        """Return games that nobody has played or is playing, which are under way then; None if there are none."""

    def keep(self, job: Any, report: Any) -> None:
        """Keep what was played of a job."""


class TunedGames(Protocol):
    """What is played at points. Its folder is open."""

    conditions: str
    """A line that tells it."""

    def open_point(self, number: int, values: Values) -> Trial:
        """Return the trial of a point, from 1, with what is kept of it."""

    def open_test(self, num_points: int, values: Values) -> Trial:
        """Return the trial of the optimum of so many points; its openings are fresh."""


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

    def __init__(self, plan: TuningPlan, games: TunedGames, folder: Path) -> None:
        """Take up what an earlier run proposed, if there was one.

        Raises:
            MatchFolderError: if what the folder has cannot be read.
        """
        self.plan = plan
        self.games = games
        self._folder = folder
        self._kept = read_points(folder, len(plan.space.parameters))
        self.trials: list[Trial] = []
        self.test: Trial | None = None
        """The trial of the optimum, once that is chosen."""
        self.is_exhausted = False
        """Whether no point is left that was not played."""
        for values in self._kept.points[: plan.points]:
            self._add_trial(values)
        if len(self.trials) == plan.points:
            self._begin_test()

    @property
    def observations(self) -> list[MeasuredPoint]:
        """What the games so far tell of the points that have any that count."""
        observed = ((trial, trial.pairs) for trial in self.trials)
        return [observe(self.plan.space.place_of(trial.values), pairs) for trial, pairs in observed if pairs]

    @property
    def tally(self) -> Tally:
        """What was played at all points and in the test."""
        tallies = [trial.tally for trial in (*self.trials, *([self.test] if self.test else []))]
        return Tally(*(sum(column) for column in zip(*tallies, strict=True))) if tallies else Tally(0, 0, 0, 0.0)

    @property
    def num_games(self) -> int:
        """Games in all."""
        points = len(self.trials) if self.is_exhausted else self.plan.points
        return points * self.plan.games + self.plan.test_games

    def next_job(self) -> tuple[Trial, Any] | None:
        """Return games to play now; None if there are none before those under way are finished, or at all.

        A point is proposed when all games of those before it are handed out; the optimum is chosen when all games of
        all points are finished.
        """
        for trial in self._open_trials():
            job = trial.next_job()
            if job is not None:
                return trial, job
        return None

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
            self._kept.points.append(values)
            self._kept.write(self._folder)
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
            place = model.propose(pending, seed_of(plan.seed, "proposal", number))
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
        number = len(self.trials)
        if number in self._kept.optima:
            return self._kept.optima[number]
        space = self.plan.space
        found = space.values_at(model.find_optimum(seed_of(self.plan.seed, "optimum", number)))
        candidates = [found, *(trial.values for trial in self.trials)]
        means = model.predict(np.array([space.place_of(values) for values in candidates])).means
        return candidates[int(np.argmax(means))]

    def _begin_test(self) -> None:
        """Choose the optimum and open the match that tests it, if all games of all points are finished."""
        if self.test or not self.plan.test_games or not all(trial.is_finished for trial in self.trials):
            return
        model = self.fit_model()
        if model is None:
            return
        number = len(self.trials)
        values = self._kept.optima[number] = self.find_optimum(model)
        self._kept.write(self._folder)
        self.test = self.games.open_test(number, values)

    def _add_trial(self, values: Values) -> None:
        self.trials.append(self.games.open_point(len(self.trials) + 1, values))


def seed_of(seed: int, name: str, number: int) -> int:
    """Return a seed of its own for each use."""
    return random.Random(f"miai tuning {seed} {name} {number}").randrange(1 << 31)
