"""How a budget of time is shared among experiments."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from miai.experiments.catalogue import Experiment, KeptRun

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Share:
    """What an experiment is given."""

    experiment: Experiment
    seconds_a_row: float
    """Measured, of one core: of a row of the sample."""
    size: int
    """The value of its option; 0 = left out."""

    @property
    def hours(self) -> float:
        """Return what the size takes, in hours of one core."""
        return hours_of(self.experiment, self.seconds_a_row, self.size)

    @property
    def full_hours(self) -> float:
        """Return what the full size would take, in hours of one core."""
        return hours_of(self.experiment, self.seconds_a_row, self.experiment.full)


def measure_cost(experiment: Experiment, run: KeptRun) -> float:
    """Return the processor seconds of a row of the sample: of all pieces but the first, which compiles, if it can."""
    seconds = run.results["seconds"]
    first = len(seconds) // len(run.pieces) if len(run.pieces) > 1 else 0
    costs = np.array(experiment.line_costs)[run.results["line"]] if experiment.line_costs else np.ones(len(seconds))
    return float(seconds[first:].sum() / costs[first:].sum())


def hours_of(experiment: Experiment, seconds_a_row: float, size: int) -> float:
    """Return the hours of one core that a size takes."""
    return experiment.work_of(size) * seconds_a_row / 3600.0 if size else 0.0


def share_budget(costs: Mapping[Experiment, float], hours: float) -> list[Share]:
    """Share hours of one core among experiments.

    Each gets its floor; where not all floors fit, the most expensive are left out. What remains is shared so that all
    take equally long, but for those whose floor takes longer and those that reach their full size sooner.

    Args:
        costs: processor seconds of a row of the sample by experiment.
        hours: of one core, altogether.
    """
    chosen: list[Experiment] = []
    spent = 0.0
    for one in sorted(costs, key=lambda one: hours_of(one, costs[one], one.floor)):
        needed = hours_of(one, costs[one], one.floor)
        if spent + needed <= hours:
            chosen.append(one)
            spent += needed

    def sizes(each: float) -> dict[Experiment, int]:
        return {one: _size_within(one, costs[one], each) for one in chosen}

    low, high = 0.0, hours
    for _ in range(60):
        middle = (low + high) / 2.0
        if sum(hours_of(one, costs[one], size) for one, size in sizes(middle).items()) <= hours * (1.0 + _ROUNDING):
            low = middle
        else:
            high = middle
    found = sizes(low)
    return [Share(one, costs[one], found.get(one, 0)) for one in costs]


def _size_within(experiment: Experiment, seconds_a_row: float, hours: float) -> int:
    """Return the greatest size that takes no longer, at least the floor and at most the full size."""
    low, high = experiment.floor // experiment.step, experiment.full // experiment.step
    while low < high:
        middle = (low + high + 1) // 2
        if hours_of(experiment, seconds_a_row, middle * experiment.step) <= hours * (1.0 + _ROUNDING):
            low = middle
        else:
            high = middle - 1
    return low * experiment.step
