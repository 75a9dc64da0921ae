"""Matches of searches that differ in the backup rule alone (Li & Lim, tables 1 to 5)."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from miai.experiments.li_lim.published import LINES, backup_of, selection_parameters
from miai.experiments.matches.game_rows import pack_pairs
from miai.experiments.matches.games_in_lockstep import LockstepRules, games_in_lockstep, seeds_of_pairs
from miai.experiments.running.pieces import Results
from miai.match.openings import Opening
from miai.nets.loading import read_net_config
from miai.nets.net_files import net_file
from miai.players.option_kinds import ParameterValue
from miai.players.options import PlayerOptions
from miai.players.player import Player

PAIRS_TOGETHER = 8
"""That a process plays at a time."""
RESIGN_BELOW = 0.05
"""Expected result of a side below which both must see it for a game to end."""
MEMORY = 64
"""MiB of a search's tree, of which 5,000 simulations on 9x9 take a third."""
SAMPLED_MOVES = 8
"""How many moves of a game from the empty board are sampled: the share of the board that the first 30 are of 19x19."""


@dataclass(frozen=True)
class BackupMatchPlan:
    """What the experiment runs: for each line of the paper's tables, pairs of games with the colours swapped."""

    size: int
    lines: tuple[str, ...]
    net: str
    backend: str | None
    """What runs it; None = the fastest there is."""
    games: int
    """Of each line."""
    simulations: int
    visits: int
    """Over which weights grow, the paper's `N`."""
    values: str
    """One of `miai.experiments.li_lim.published.RANGES`."""
    erwa: str
    """One of `miai.experiments.li_lim.published.ERWA_FORMS`."""
    parameters: tuple[tuple[str, ParameterValue], ...]
    """Of the search, changed for every side whose rules have them."""
    komi: float
    resign_below: float
    counting: str
    """One of `miai.experiments.matches.game_rows.COUNTINGS`."""
    together: int
    """Pairs of a piece, which are played at a time."""
    seed: int
    openings: tuple[Opening, ...] = ()
    """One for each pair, if they are counted so."""

    @property
    def label(self) -> str:
        """What the network is called in names of folders."""
        return Path(self.net).stem

    @property
    def num_pieces(self) -> int:
        """There are numbers for all lines, so that some may be added later."""
        return len(LINES[self.size]) * -(-self.games // (2 * self.together))

    def rows_of(self, piece: int) -> int:
        """Return how many games a piece has, 0 if the line is not played."""
        part, place = divmod(piece, len(LINES[self.size]))
        left = self.games - 2 * self.together * part
        return min(left, 2 * self.together) if LINES[self.size][place] in self.lines else 0

    def signature(self) -> dict[str, Any]:
        """Return what decides the games of a piece."""
        return {
            "experiment": "backups-go",
            "size": self.size,
            "net": Path(self.net).name,
            "weights": hashlib.sha256(net_file(self.net).read_bytes()).hexdigest()[:16],
            "backend": self.backend,
            "simulations": self.simulations,
            "visits": self.visits,
            "values": self.values,
            "erwa": self.erwa,
            "parameters": dict(self.parameters),
            "komi": self.komi,
            "resign_below": self.resign_below,
            "counting": self.counting,
            "together": self.together,
            "seed": self.seed,
        }

    def sides_of(self, line: str) -> tuple[PlayerOptions, PlayerOptions]:
        """Return how both sides of a line play."""
        side, opponent = (self._options(method) for method in line.split(":"))
        return side, opponent

    def check(self) -> None:
        """Make sure that all sides can play.

        Raises:
            ValueError: if not; says why.
        """
        read_net_config(net_file(self.net)).check_size(self.size)
        unused = {name for name, _ in self.parameters}
        evaluation = None
        for line in self.lines:
            for options in self.sides_of(line):
                player = Player(options, evaluation)
                evaluation = player.evaluation
                unused -= set(options.parameters)
        if unused:
            rules = {rule for line in self.lines for side in self.sides_of(line) for rule in (side.select, side.backup)}
            name = sorted(unused)[0]
            raise ValueError(f"no side has a parameter {name!r} (allowed: those of {', '.join(sorted(rules))})")

    def run_piece(self, piece: int) -> Results:
        """Play the pairs of a piece; return `line`, and the rows of `pack_pairs` from the side's view."""
        part, place = divmod(piece, len(LINES[self.size]))
        num_games = self.rows_of(piece)
        first = part * self.together
        pairs = range(first, first + num_games // 2)
        openings = [self.openings[pair] if self.openings else () for pair in pairs for _ in (0, 1)]
        rules = LockstepRules(
            self.size,
            self.komi,
            (self.simulations, self.simulations),
            self.resign_below,
            SAMPLED_MOVES * self.size**2 // 81 if self.counting == "twogtp" else 0,
        )
        games = games_in_lockstep(self.sides_of(LINES[self.size][place]), self.size, 2 * self.together)
        played = games.play(openings, seeds_of_pairs([self.seed, place], pairs), rules)
        return {"line": np.full(num_games, place, dtype=np.int16), **pack_pairs(played.rows, self.size)}

    def _options(self, method: str) -> PlayerOptions:
        backup = backup_of(method, self.visits, self.values, self.erwa)
        groups = ("puct", "search", "net", backup.rule)
        changed = {name: value for name, value in self.parameters if name.partition(".")[0] in groups}
        return PlayerOptions(
            select="puct",
            backup=backup.rule,
            evaluator="net",
            net=self.net,
            net_backend=self.backend,
            batch=1,
            simulations=self.simulations,
            seed=0,
            memory=MEMORY,
            resign_below=0.0,
            parameters={**selection_parameters(self.values), **backup.parameters, **changed},
        )
