"""The standings of a round robin, from its games."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from miai.match.ratings import rate
from miai.match.results import GameResult, scores_by_opening
from miai.match.statistics import Interval, SequentialTest
from miai.match.summary import MatchSummary, SideSummary, Tally, interval_to_json, summarise


@dataclass(frozen=True)
class Pairing:
    """The games between two contestants."""

    first: int
    """Which contestant is side A."""
    second: int
    """Which contestant is side B."""
    planned: int
    """Games of the schedule."""
    results: Sequence[GameResult]
    """Those that are finished."""


@dataclass
class Standing:
    """What is told of one contestant."""

    player: SideSummary
    """Of all games."""
    tally: Tally = field(default_factory=Tally)
    """Games that count."""
    elo: Interval | None = None
    """None without a game that counts."""

    def to_json(self) -> dict[str, Any]:
        """Return all of it for JSON; infinite Elo is null."""
        elo = interval_to_json(self.elo) if self.elo else None
        return self.player.to_json() | {"tally": dataclasses.asdict(self.tally), "score": self.tally.score, "elo": elo}


@dataclass
class Standings:
    """The outcome of a round robin so far."""

    contestants: list[Standing]
    anchor: int | None
    """Whose rating is zero; None if the mean is."""
    summaries: dict[tuple[int, int], MatchSummary]
    """Of each pairing, by its contestants."""
    test: SequentialTest | None = None
    """Of each pairing, if there is one."""

    @property
    def ranking(self) -> list[int]:
        """The contestants from the strongest to the weakest, those without a rating last."""

        def strength(place: int) -> float:
            elo = self.contestants[place].elo
            return elo.value if elo else -float("inf")

        return sorted(range(len(self.contestants)), key=strength, reverse=True)

    @property
    def planned(self) -> int:
        """Games of all schedules."""
        return sum(summary.planned for summary in self.summaries.values())

    @property
    def finished(self) -> int:
        """Games finished, whether they count or not."""
        return sum(summary.finished for summary in self.summaries.values())

    @property
    def voids(self) -> dict[str, int]:
        """Games that could not be judged, by reason."""
        voids: dict[str, int] = {}
        for summary in self.summaries.values():
            for reason, number in summary.voids.items():
                voids[reason] = voids.get(reason, 0) + number
        return voids

    def tally(self, one: int, other: int) -> Tally:
        """Return the games between two contestants that count, from the view of the first; none if they never met."""
        if (one, other) in self.summaries:
            return self.summaries[one, other].total
        if (other, one) in self.summaries:
            return self.summaries[other, one].total.turned()
        return Tally()

    def to_json(self) -> dict[str, Any]:
        """Return all of it for JSON, the contestants by rank."""
        labels = [standing.player.label for standing in self.contestants]
        return {
            "anchor": None if self.anchor is None else labels[self.anchor],
            "contestants": [self.contestants[place].to_json() for place in self.ranking],
            "pairings": [
                {"a": labels[first], "b": labels[second]} | summary.to_json()
                for (first, second), summary in self.summaries.items()
            ],
        }


def add_up(
    labels: Sequence[str],
    names: Mapping[str, str],
    pairings: Sequence[Pairing],
    anchor: int | None = None,
    test: SequentialTest | None = None,
) -> Standings:
    """Rate contestants by their games; `names` are the engines' own, by label, where known.

    An anchor without a game that counts is none.
    """
    standings = Standings([Standing(SideSummary(label, names.get(label, ""))) for label in labels], None, {}, test)
    scores = {}
    for pairing in pairings:
        sides = {"A": pairing.first, "B": pairing.second}
        side_labels = {side: labels[place] for side, place in sides.items()}
        side_names = {side: names.get(label, "") for side, label in side_labels.items()}
        summary = summarise(pairing.results, pairing.planned, side_labels, side_names, test)
        standings.summaries[pairing.first, pairing.second] = summary
        for side, place in sides.items():
            standings.contestants[place].player.add(summary.sides[side])
        standings.contestants[pairing.first].tally.add_tally(summary.total)
        standings.contestants[pairing.second].tally.add_tally(summary.total.turned())
        scores[pairing.first, pairing.second] = scores_by_opening(pairing.results)
    if anchor is not None and standings.contestants[anchor].tally.games:
        standings.anchor = anchor
    ratings = rate(*_tabulate(len(labels), scores), anchor=standings.anchor)
    for standing, elo in zip(standings.contestants, ratings, strict=True):
        standing.elo = elo
    return standings


def _tabulate(
    num_contestants: int, scores: Mapping[tuple[int, int], Mapping[int, Sequence[float]]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return points and games of row against column by opening, float64 [openings, contestants, contestants]."""
    openings = sorted({opening for by_opening in scores.values() for opening in by_opening})
    points, games = np.zeros((2, len(openings), num_contestants, num_contestants))
    for (first, second), by_opening in scores.items():
        for opening, results in by_opening.items():
            row = openings.index(opening)
            games[row, first, second] = games[row, second, first] = len(results)
            points[row, first, second] = sum(results)
            points[row, second, first] = len(results) - sum(results)
    return points, games
