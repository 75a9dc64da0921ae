"""The games of tuned knots (Li & Lim) as pieces of an experiment: pairs of games that share the network's batches.

FOLDER/plan.json and pieces, as of any experiment; the pieces of a point follow each other, as do those of a test.
"""

import contextlib
import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from miai.experiments.li_lim.backup_matches import RESIGN_BELOW
from miai.experiments.matches.game_rows import RULES_NAME, SIZE, pack_pairs
from miai.experiments.matches.games_in_lockstep import LockstepRules, games_in_lockstep, seeds_of_pairs
from miai.experiments.running.pieces import Results, check_folder, is_done, keep_piece, load_piece, lock_run
from miai.match.contestants import read_contestant
from miai.match.openings import Opening
from miai.match.results import MatchFolderError
from miai.nets.net_files import net_file
from miai.players.options import PlayerOptions
from miai.tuning.li_lim import NET, standard_player
from miai.tuning.piece_tables import PieceJob
from miai.tuning.search_space import Values, name_with
from miai.tuning.tuning import Tally, TuningPlan

_PIECES = 1000
"""Numbers of pieces that a point has."""
_FIRST_TEST = 2_000_000
"""Where those of tests begin."""


@dataclass(frozen=True)
class KnotConditions:
    """What the games have in common."""

    rule: str
    simulations: int
    """A move, of each side."""
    values: str
    """One of `miai.experiments.li_lim.published.RANGES`."""
    games: int
    """At a point; even."""
    komi: float
    together: int
    """Pairs of a piece, which are played at a time."""
    seed: int

    def signature(self) -> dict[str, Any]:
        """Return what decides the results."""
        return {
            "experiment": "tune-backup",
            "rule": self.rule,
            "simulations": self.simulations,
            "values": self.values,
            "net": NET,
            "weights": hashlib.sha256(net_file(NET).read_bytes()).hexdigest()[:16],
            "komi": self.komi,
            "resign_below": RESIGN_BELOW,
            "games": self.games,
            "together": self.together,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class KnotMatch:
    """The games at a point."""

    conditions: KnotConditions
    sides: tuple[PlayerOptions, PlayerOptions]
    """The tuned player and standard MCTS."""
    values: Values
    point: int
    """From 1; -n in the test of the optimum of n points."""
    games: int
    openings: tuple[Opening, ...]
    """One for each pair."""

    @property
    def pieces(self) -> range:
        """The numbers of the pieces."""
        first = (self.point - 1) * _PIECES if self.point > 0 else _FIRST_TEST - self.point * _PIECES
        return range(first, first + -(-self.games // (2 * self.conditions.together)))

    def rows_of(self, piece: int) -> int:
        """Return how many games a piece has."""
        most = 2 * self.conditions.together
        return min(most, self.games - most * self.pieces.index(piece))

    def run_piece(self, piece: int) -> Results:
        """Play pairs; return `point`, `values` of the parameters, and the tuned player's rows of `pack_pairs`."""
        conditions, num_games = self.conditions, self.rows_of(piece)
        first = self.pieces.index(piece) * conditions.together
        pairs = range(first, first + num_games // 2)
        rules = LockstepRules(SIZE, conditions.komi, (conditions.simulations,) * 2, RESIGN_BELOW)
        games = games_in_lockstep(self.sides, SIZE, 2 * conditions.together)
        openings = [self.openings[pair] for pair in pairs for _ in (0, 1)]
        # What makes a seed cannot be negative.
        numbers = [conditions.seed, abs(self.point), int(self.point < 0)]
        played = games.play(openings, seeds_of_pairs(numbers, pairs), rules)
        return {
            "point": np.full(num_games, self.point, dtype=np.int16),
            "values": np.tile(np.array(self.values, dtype=np.float64), (num_games, 1)),
            **pack_pairs(played.rows, SIZE),
        }


@dataclass
class KnotTrial:
    """The games at a point, and what is kept of them."""

    match: KnotMatch
    folder: Path
    rows: dict[int, Results]
    """Of the pieces that are finished."""
    under_way: set[int] = field(default_factory=set)

    @property
    def values(self) -> Values:
        """Those of the parameters."""
        return self.match.values

    @property
    def pairs(self) -> list[list[float]]:
        """The tuned player's scores by opening; games that did not end say nothing."""
        pairs = [pair for piece in sorted(self.rows) for pair in self.rows[piece]["score"].reshape(-1, 2)]
        return [found for pair in pairs if (found := pair[np.isfinite(pair)].tolist())]

    @property
    def tally(self) -> Tally:
        """What was played so far; seconds are of processors."""
        scores = [rows["score"] for rows in self.rows.values()]
        return Tally(
            sum(map(len, scores)),
            0,
            sum(int(np.isnan(one).sum()) for one in scores),
            sum(float(rows["seconds"].sum()) for rows in self.rows.values()),
        )

    @property
    def is_finished(self) -> bool:
        """Whether all games are played."""
        return len(self.rows) == len(self.match.pieces)

    def next_job(self) -> PieceJob | None:
        """Return a piece that nobody has played or is playing; None if there is none."""
        for piece in self.match.pieces:
            if piece not in self.rows and piece not in self.under_way:
                self.under_way.add(piece)
                return PieceJob(self.match, piece)
        return None

    def keep(self, job: PieceJob, report: Results) -> None:
        """Keep a finished piece.

        Raises:
            MatchFolderError: if it cannot be written.
        """
        try:
            keep_piece(self.folder, job.piece, report)
        except OSError as error:
            raise MatchFolderError(f"cannot write to {self.folder}: {error.strerror}") from error
        self.rows[job.piece] = report
        self.under_way.discard(job.piece)


class KnotGames:
    """Pieces in a folder that is locked until the stack is closed."""

    def __init__(
        self,
        plan: TuningPlan,
        conditions: KnotConditions,
        openings: Sequence[Opening],
        folder: Path,
        stack: contextlib.ExitStack,
    ) -> None:
        """Open a new folder or that of an earlier run.

        Args:
            plan: what is tuned.
            conditions: of all games.
            openings: for the games of a point, then as many more for those of the test.
            folder: of the results.
            stack: that closes it.

        Raises:
            ValueError: if the folder holds another experiment, is in use, or cannot be written, or a point would have
                too many pieces.
        """
        if max(plan.games, plan.test_games) > (most := 2 * conditions.together * _PIECES):
            raise ValueError(f"no point or test has more than {most:,} games: choose a larger --together")
        self._plan = plan
        self._conditions = conditions
        self._openings = tuple(openings)
        self._folder = folder
        game = f"{SIZE}x{SIZE}, komi {conditions.komi:g}, {RULES_NAME}"
        self.conditions = f"{game}, {conditions.simulations} simulations, fair openings"
        stack.enter_context(lock_run(folder))
        check_folder(conditions, folder)

    def open_point(self, number: int, values: Values) -> KnotTrial:
        """Return the trial of a point."""
        return self._open_trial(number, values, self._plan.games, self._openings[: self._plan.games // 2])

    def open_test(self, num_points: int, values: Values) -> KnotTrial:
        """Return the trial of the optimum of so many points."""
        return self._open_trial(-num_points, values, self._plan.test_games, self._openings[self._plan.games // 2 :])

    def _open_trial(self, point: int, values: Values, games: int, openings: Sequence[Opening]) -> KnotTrial:
        plan, conditions = self._plan, self._conditions
        sides = (
            _options_of(name_with(plan.player, plan.space.settings(values))),
            _options_of(standard_player(conditions.simulations, conditions.values)),
        )
        match = KnotMatch(conditions, sides, values, point, games, tuple(openings))
        rows = {}
        for piece in match.pieces:
            if is_done(match, self._folder, piece) and (found := load_piece(self._folder, piece)):
                rows[piece] = {name: column[: match.rows_of(piece)] for name, column in found.items()}
        return KnotTrial(match, self._folder, rows)


def _options_of(player: str) -> PlayerOptions:
    """Return how a side plays; it does not resign by itself, see `LockstepRules`."""
    options = read_contestant(player).options
    assert options is not None
    return dataclasses.replace(options, resign_below=0.0, seed=0)
