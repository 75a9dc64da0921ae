"""Jones's search on Go: ESPRIT against PUCT, and waves against virtual loss, with a network (Jones 2021).

The paper has no games: its section 4 is on simulated trees, its section 2.3 describes waves and does not measure them.
What is chosen here:

* one leaf at a time where ESPRIT meets PUCT, as in the paper; moves by most visits, as there. Many of these games are
  played at a time: their leaves share the network's batches;
* `numbers`: PUCT's parameters, miai's for networks without playouts, as the paper too locates its c0 for each kind of
  tree, or AlphaZero's with value 0 for moves never visited. ESPRIT has the paper's in both cases (section 4.2);
* the line `quarter-1600` asks the paper's own question: PUCT is said to need four times the tree (section 4.3).
"""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.experiments.matches.game_rows import SIZE, GameRow, pack_pairs, play_game
from miai.experiments.matches.games_in_lockstep import LockstepRules, games_in_lockstep
from miai.experiments.matches.measured_players import MEASURES, MeasuredPlayer
from miai.experiments.running.pieces import Results
from miai.match.openings import Opening
from miai.nets.net_files import net_file
from miai.players.net_evaluator import NetEvaluatorSetup
from miai.players.options import PlayerOptions, resolve_options
from miai.players.player import Budget, Player

BATCH_SIMULATIONS = 1600
"""A move, where waves meet virtual loss at equal simulations."""
MEMORY = 96
"""MiB of a search's tree."""
WARM_UP = 8
"""Batches of a search that nobody counts."""
SECONDS = 0.5
"""A move, at equal time."""
TOGETHER = 8
"""Pairs of a piece."""
RESIGN_BELOW = 0.05
"""Expected result, 0 to 1, below which both sides must see one of them for a game of one leaf at a time to end."""
FULL_GAMES = 400
"""Of each line: a standard error of 2.5 % or less."""
WAVE_RULES = ("esprit", "puct-policy")
"""Rules whose leaves can be found in waves."""
NUMBERS: Mapping[str, Mapping[str, float]] = {
    "miai": {"c0": 0.7, "fpu_reduction": 0.1},
    "paper": {"c0": 1.25, "fpu": 0},
}
"""Parameters of PUCT: miai's for networks without playouts, or AlphaZero's with value 0 for moves never visited; the
others keep their defaults, which are the paper's."""


class SideOfLine(NamedTuple):
    """How a side searches."""

    select: str
    """A selection rule; `wave-rule` stands for the plan's."""
    simulations: int | None
    """A move; None = as many as the plan's time allows."""
    batch: int = 1
    batching: str = "virtual-loss"


class EspritLine(NamedTuple):
    """A match: the first side is the one that is asked about."""

    first: SideOfLine
    second: SideOfLine

    @property
    def has_batches(self) -> bool:
        """Whether a search asks for several leaves at once."""
        return max(self.first.batch, self.second.batch) > 1


def _waves(batch: int, simulations: int | None) -> EspritLine:
    return EspritLine(SideOfLine("wave-rule", simulations, batch, "waves"), SideOfLine("wave-rule", simulations, batch))


LINES: Mapping[str, EspritLine] = {
    **{f"puct-{number}": EspritLine(SideOfLine("esprit", number), SideOfLine("puct", number)) for number in (100, 400)},
    "puct-1600": EspritLine(SideOfLine("esprit", 1600), SideOfLine("puct", 1600)),
    "puct-6400": EspritLine(SideOfLine("esprit", 6400), SideOfLine("puct", 6400)),
    "quarter-1600": EspritLine(SideOfLine("esprit", 400), SideOfLine("puct", 1600)),
    **{f"waves-{batch}": _waves(batch, BATCH_SIMULATIONS) for batch in (8, 32, 128)},
    **{f"waves-{batch}-time": _waves(batch, None) for batch in (8, 32, 128)},
}
"""ESPRIT against PUCT at equal simulations, and with a quarter of them; waves against virtual loss by leaves in a
batch, at equal simulations and at equal time. The numbers of kept pieces count them all: none may be added."""


@dataclass(frozen=True)
class EspritPlan:
    """What the experiment runs: of each line pairs of games from an opening, with the colours swapped."""

    lines: tuple[str, ...]
    games: int
    """Of each line."""
    net: str
    """A network that comes with miai, or a file."""
    numbers: str
    """A name in `NUMBERS`."""
    rule: str
    """One of `WAVE_RULES`."""
    seconds: float
    """A move, in the lines of equal time."""
    most_simulations: int | None
    """That any line may do, for a quick look; None = as the lines say."""
    komi: float
    seed: int
    together: int = TOGETHER
    """Pairs of a piece, which are played at a time where searches ask for one leaf."""
    openings: tuple[Opening, ...] = ()
    """One for each pair."""

    @property
    def num_pieces(self) -> int:
        """There are numbers for all lines, so that others may be chosen later."""
        return len(LINES) * -(-self.games // (2 * self.together))

    def rows_of(self, piece: int) -> int:
        """Return how many games a piece has, 0 for a line that is not asked for."""
        part, place = divmod(piece, len(LINES))
        left = self.games - 2 * self.together * part
        return min(left, 2 * self.together) if tuple(LINES)[place] in self.lines else 0

    def signature(self) -> dict[str, Any]:
        """Return what decides the games of a piece."""
        return {
            "experiment": "esprit",
            "net": self.net,
            "weights": hashlib.sha256(net_file(self.net).read_bytes()).hexdigest()[:16],
            "numbers": self.numbers,
            "rule": self.rule,
            "seconds": self.seconds,
            "most_simulations": self.most_simulations,
            "komi": self.komi,
            "seed": self.seed,
            "together": self.together,
        }

    def check(self) -> None:
        """Make sure that the network can be used.

        Raises:
            ValueError: naming what is wrong with it.
        """
        _player_of(self.options_of(LINES[self.lines[0]].first), 0)

    def options_of(self, side: SideOfLine) -> PlayerOptions:
        """Return the options of a side's player.

        Raises:
            OptionError: if the network cannot be used.
        """
        select = self.rule if side.select == "wave-rule" else side.select
        simulations = side.simulations
        if simulations is not None and self.most_simulations is not None:
            simulations = min(simulations, self.most_simulations)
        numbers = NUMBERS[self.numbers] if select != "esprit" else {}
        parameters = {f"{select}.{name}": value for name, value in numbers.items()}
        given: dict[str, Any] = {
            "select": select,
            "final": "visits",
            "evaluator": "net",
            "net": self.net,
            "fallback": None,
            "batch": side.batch,
            "batching": side.batching,
            "simulations": simulations,
            "time": self.seconds if simulations is None else None,
            "memory": MEMORY,
            "seed": 0,
            "parameters": parameters | {"net.visits_per_leaf": 0.0},  # lines compare sizes of batches
        }
        return resolve_options("net", None, given)[0]

    def scale_of(self, name: str) -> float:
        """Return how many times as long a game of a line takes at full size."""
        counts = [side.simulations for side in LINES[name] if side.simulations is not None]
        if not counts:
            return SECONDS / self.seconds
        most = self.most_simulations or max(counts)
        return sum(counts) / sum(min(number, most) for number in counts)

    def run_piece(self, piece: int) -> Results:
        """Play the pairs of a piece.

        Returns:
            `line`; what `pack_pairs` says of the first side's games; and of both sides, [games, 2]: `decisions`,
            `simulations`, `evaluations` of the network, and `thinking` in seconds.
        """
        part, place = divmod(piece, len(LINES))
        games = range(2 * self.together * part, 2 * self.together * part + self.rows_of(piece))
        openings = [self.openings[game // 2] if self.openings else () for game in games]
        play = self._play_one_by_one if tuple(LINES.values())[place].has_batches else self._play_together
        rows, taken = play(place, games, openings)
        return {"line": np.full(len(games), place, dtype=np.int16), **pack_pairs(rows, SIZE), **taken}

    def _play_together(self, place: int, games: range, openings: Sequence[Opening]) -> tuple[list[GameRow], Results]:
        line = tuple(LINES.values())[place]
        first, second = (dataclasses.replace(self.options_of(side), resign_below=0.0) for side in line)
        assert first.simulations is not None and second.simulations is not None
        rules = LockstepRules(SIZE, self.komi, (first.simulations, second.simulations), RESIGN_BELOW)
        seeds = [self._seed_of(place, game, 0) for game in games]
        return games_in_lockstep((first, second), SIZE, 2 * self.together).play(openings, seeds, rules)

    def _play_one_by_one(self, place: int, games: range, openings: Sequence[Opening]) -> tuple[list[GameRow], Results]:
        taken: dict[str, list[list[float]]] = {name: [] for name in MEASURES}
        rows = []
        for game, opening in zip(games, openings, strict=True):
            sides = [MeasuredPlayer(player) for player in self._players(place, game)]
            rows.append(play_game(sides[game % 2], sides[1 - game % 2], self.komi, opening))
            for name in MEASURES:
                taken[name].append([getattr(side, name) for side in sides])
        return rows, {name: np.array(values) for name, values in taken.items()}

    def _players(self, place: int, game: int) -> list[Player]:
        """Return the players of a game of a line, seeded for it; what networks remember of other games is forgotten."""
        line = tuple(LINES.values())[place]
        players = [_player_of(self.options_of(side), index) for index, side in enumerate(line)]
        for index, player in enumerate(players):
            player.set_seed(self._seed_of(place, game, index))
            assert isinstance(player.evaluation, NetEvaluatorSetup)
            player.evaluation.clear_cache()
        return players

    def _seed_of(self, place: int, game: int, side: int) -> int:
        return int(np.random.default_rng([self.seed, place, game, side]).integers(1 << 31))


@functools.lru_cache(maxsize=4)
def _player_of(options: PlayerOptions, side: int) -> Player:
    """Return this process's player with these options, which has searched before: nothing is compiled on its clock."""
    player = Player(options)
    game = Game(SIZE)
    player.search(game, game.to_play, Budget(WARM_UP * options.batch))
    return player
