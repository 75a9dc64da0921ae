"""The summary of a match, from its games."""

import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from miai.match.engines import FAILURES, Effort
from miai.match.results import GameResult, group_pairs
from miai.match.schedule import SIDES
from miai.match.statistics import Interval, SequentialTest, Verdict, estimate_elo, estimate_score

_RESULT = re.compile(r"([BW])\+(\d+(?:\.\d+)?)$")


@dataclass
class Tally:
    """Games that count, from the view of side A."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Wins plus half of the draws, divided by the games; None without a game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def add(self, winner: str | None) -> None:
        """Count a game won by `A`, `B` or nobody (`draw`)."""
        if winner == "A":
            self.wins += 1
        elif winner == "B":
            self.losses += 1
        else:
            self.draws += 1

    def add_tally(self, other: "Tally") -> None:
        """Add games of another tally from the same view."""
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses

    def turned(self) -> "Tally":
        """Return the same games from the opponent's view."""
        return Tally(self.losses, self.draws, self.wins)


@dataclass
class SideSummary:
    """What is told of one side."""

    label: str
    """As the user named it."""
    name: str = ""
    """The engine's own name and version, where known."""
    effort: Effort = field(default_factory=Effort)
    """Of all games."""
    failures: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAILURES, 0))
    """Games forfeited, by kind."""
    winner_disputes: int = 0
    """Scored games for which the side's `final_score` named another winner than the referee."""
    score_disputes: int = 0
    """Scored games for which it named the same winner with another score."""

    def add(self, other: "SideSummary") -> None:
        """Add what was seen of the same player in another match."""
        self.name = self.name or other.name
        self.effort.add(other.effort)
        for kind, number in other.failures.items():
            self.failures[kind] += number
        self.winner_disputes += other.winner_disputes
        self.score_disputes += other.score_disputes

    @property
    def seconds_per_move(self) -> float | None:
        """Mean time of a move."""
        return self.effort.seconds / self.effort.moves if self.effort.moves else None

    @property
    def simulations_per_move(self) -> float | None:
        """Mean simulations of a move; None if the engine does not tell."""
        return self.effort.simulations / self.effort.counted_moves if self.effort.counted_moves else None

    @property
    def clock_share(self) -> float | None:
        """Mean fraction of the clock's time used in a game; None without a clock."""
        return self.effort.clock_shares / self.effort.timed_games if self.effort.timed_games else None

    def to_json(self) -> dict[str, Any]:
        """Return all of it for JSON."""
        means = {
            "seconds_per_move": self.seconds_per_move,
            "simulations_per_move": self.simulations_per_move,
            "clock_share": self.clock_share,
        }
        return dataclasses.asdict(self) | means


@dataclass
class MatchSummary:
    """The outcome of a match so far."""

    planned: int
    """Games of the schedule."""
    sides: dict[str, SideSummary]
    total: Tally = field(default_factory=Tally)
    by_color: dict[str, Tally] = field(default_factory=lambda: {"black": Tally(), "white": Tally()})
    """Split by the colour of side A."""
    black: Tally = field(default_factory=Tally)
    """The same games from the view of Black, whoever it is."""
    score: Interval | None = None
    """A's score rate; None without a game that counts."""
    elo: Interval | None = None
    """Elo difference, A minus B."""
    score_with_forfeits: Interval | None = None
    """A's score rate if forfeits are losses; None if there are none."""
    forfeits: int = 0
    voids: dict[str, int] = field(default_factory=dict)
    """Games that could not be judged, by reason."""
    moves_per_game: float | None = None
    """Mean length of the games that count, passes and opening included."""
    complete_pairs: int = 0
    """Openings of which both games count."""
    identical_games: int = 0
    """Games with the same moves as an earlier one."""
    verdict: Verdict | None = None
    """Of the sequential test, if there is one."""

    @property
    def finished(self) -> int:
        """Games finished, whether they count or not."""
        return self.total.games + self.forfeits + sum(self.voids.values())

    def to_json(self) -> dict[str, Any]:
        """Return all of it for JSON; infinite Elo is null."""
        record = dataclasses.asdict(self)
        record["finished"] = self.finished
        for key, side in self.sides.items():
            record["sides"][key] = side.to_json()
        if self.elo:
            record["elo"] = interval_to_json(self.elo)
        return record


def interval_to_json(interval: Interval) -> dict[str, float | None]:
    """Return an interval for JSON; infinity is null."""
    return {key: value if math.isfinite(value) else None for key, value in dataclasses.asdict(interval).items()}


def summarise(
    results: Sequence[GameResult],
    planned: int,
    labels: dict[str, str],
    names: dict[str, str],
    test: SequentialTest | None = None,
) -> MatchSummary:
    """Add up the results of a match."""
    summary = MatchSummary(planned, {side: SideSummary(labels[side], names.get(side, "")) for side in SIDES})
    lengths = []
    seen: set[tuple[str, ...]] = set()
    for result in results:
        for side, effort in result.efforts.items():
            summary.sides[side].effort.add(effort)
        if result.is_counted:
            summary.total.add(result.winner)
            summary.by_color["black" if result.black == "A" else "white"].add(result.winner)
            black_won = {"draw": "draw", result.black: "A"}
            summary.black.add(black_won.get(result.winner or "", "B"))
            lengths.append(len(result.moves))
            _count_disputes(summary, result)
            if moves := tuple(result.moves):  # those read from a table of results have none
                summary.identical_games += moves in seen
                seen.add(moves)
        elif result.failed_side is not None and result.failure is not None:
            summary.forfeits += 1
            failures = summary.sides[result.failed_side].failures
            failures[result.failure] = failures.get(result.failure, 0) + 1
        else:
            reason = result.reason or "unknown"
            summary.voids[reason] = summary.voids.get(reason, 0) + 1
    pairs = group_pairs(results)
    summary.complete_pairs = sum(len(pair) == 2 for pair in pairs)
    if pairs:
        summary.score = estimate_score(pairs)
        summary.elo = estimate_elo(summary.score)
        summary.moves_per_game = sum(lengths) / len(lengths)
    if summary.forfeits:
        summary.score_with_forfeits = estimate_score(group_pairs(results, count_forfeits=True))
    if test:
        summary.verdict = apply_test(results, test)
    return summary


def apply_test(results: Sequence[GameResult], test: SequentialTest) -> Verdict:
    """Apply a sequential test in the schedule's order, up to the first opening that is still being played."""
    finished = {result.number for result in results}
    last = 0
    while {2 * last + 1, 2 * last + 2} <= finished:
        last += 1
    return test.evaluate(group_pairs(result for result in results if result.pair <= last))


def _count_disputes(summary: MatchSummary, result: GameResult) -> None:
    own = _read_score(result.result)
    for side, claimed in result.claimed_results.items():
        score = _read_score(claimed)
        if own is None or score is None or abs(score - own) < 1e-6:
            continue
        if score * own > 0:
            summary.sides[side].score_disputes += 1
        else:
            summary.sides[side].winner_disputes += 1


def _read_score(text: str) -> float | None:
    """Return Black's score from `B+3.5` or `0`; None for anything else."""
    if text.strip().lower() in ("0", "draw", "jigo"):
        return 0.0
    found = _RESULT.match(text.strip().upper())
    if found is None:
        return None
    return float(found.group(2)) * (1 if found.group(1) == "B" else -1)
