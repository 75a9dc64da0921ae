"""Games of two searches with one network, many at a time: a batch has one leaf of each search whose turn it is.

So nothing but the rules decides what a search does: no virtual loss leads it away from where it would go alone.
"""

import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.lockstep import Lockstep
from miai.engine.search.search import Budget
from miai.experiments.matches.game_rows import GameRow, counted_score, max_moves, new_game, played_game
from miai.experiments.matches.measured_players import MEASURES
from miai.experiments.running.pieces import Results
from miai.match.openings import Opening
from miai.nets.leaf_encoding import output_dtype
from miai.players.decision import sample_move
from miai.players.net_evaluator import NetEvaluatorSetup
from miai.players.options import PlayerOptions
from miai.players.player import Player

_LOOK_EVERY = 16
"""Steps between two looks at which searches are decided."""
_WARM_UP = 8
"""Simulations that nobody counts."""
_MIN_RATIO = 0.02
"""Moves with fewer visits than this share of the best one's are not sampled."""
_CACHED_A_SIMULATION = 2
"""Room of the network's cache, for each simulation of a move: what one side evaluated the other soon looks at."""
_MOST_CACHED = 1 << 29
"""Bytes of it."""


@dataclass(frozen=True)
class LockstepRules:
    """What all games have in common."""

    size: int
    komi: float
    simulations: tuple[int, int]
    """A move, of each side."""
    resign_below: float
    """Expected result of a player below which both players must see it for the game to end; 0 = never."""
    num_sampled: int = 0
    """Of how many moves, from the empty board, each is sampled by its visits."""


class PlayedGames(NamedTuple):
    """What was played, and what it took."""

    rows: list[GameRow]
    taken: Results
    """`MEASURES` of games and sides, float64 [games, 2]; evaluations and seconds are shares of those of all games."""


@dataclass
class _Table:
    """A game under way."""

    game: Game
    black: int
    """The side that has Black, 0 or 1."""
    rng: np.random.Generator
    values: list[float]
    """Black's chances as each side saw them last."""
    score: float | None = None
    """Black's, once the game is over; NaN if it did not end."""

    @property
    def side(self) -> int:
        """Whose turn it is."""
        return self.black if self.game.to_play == BLACK else 1 - self.black


class GamesInLockstep:
    """Two sides, with a search of each for every game."""

    def __init__(self, sides: tuple[PlayerOptions, PlayerOptions], size: int, num_games: int) -> None:
        """Reserve searches for so many games at a time.

        Args:
            sides: how each plays, one leaf at a time; the network of the first evaluates for both.
            size: of the board.
            num_games: at a time.
        """
        evaluation = Player(sides[0]).evaluation
        assert isinstance(evaluation, NetEvaluatorSetup)
        self._evaluation = evaluation
        self._players = tuple([Player(options, evaluation) for _ in range(num_games)] for options in sides)
        self._locksteps = tuple(
            Lockstep([player.search_on(size) for player in players], players[0].evaluate_batches)
            for players in self._players
        )
        game = Game(size)
        for players in self._players:  # what is not compiled yet is then
            players[0].search(game, game.to_play, Budget(_WARM_UP))

    def play(self, openings: Sequence[Opening], seeds: Sequence[int], rules: LockstepRules) -> PlayedGames:
        """Play a game after each opening; in the even ones, from 0, the first side has Black."""
        tables = [
            _Table(new_game(rules.size, rules.komi, opening), index % 2, np.random.default_rng(seed), [0.5, 0.5])
            for index, (opening, seed) in enumerate(zip(openings, seeds, strict=True))
        ]
        taken = {name: np.zeros((len(tables), 2)) for name in MEASURES}
        room = _CACHED_A_SIMULATION * len(tables) * sum(rules.simulations)
        self._evaluation.clear_cache(min(room, _MOST_CACHED // output_dtype(rules.size).itemsize))
        for players in self._players:
            for player, seed in zip(players, seeds, strict=False):
                player.set_seed(seed)
        while any(table.score is None for table in tables):
            for side in (0, 1):
                turn = [index for index, table in enumerate(tables) if table.score is None and table.side == side]
                if not turn:
                    continue
                before, started = self._evaluation.network_usage, time.perf_counter()
                self._search(side, turn, tables, rules)
                for index in turn:
                    self._move(self._players[side][index], tables[index], side, rules)
                evaluations = self._evaluation.network_usage.since(before).evaluations
                taken["decisions"][turn, side] += 1
                taken["simulations"][turn, side] += self._locksteps[side].done[turn]
                taken["evaluations"][turn, side] += evaluations / len(turn)
                taken["thinking"][turn, side] += (time.perf_counter() - started) / len(turn)
        rows = [played_game(table.game, float("nan") if table.score is None else table.score) for table in tables]
        return PlayedGames(rows, taken)

    def _search(self, side: int, turn: Sequence[int], tables: Sequence[_Table], rules: LockstepRules) -> None:
        lockstep = self._locksteps[side]
        for index in turn:
            game = tables[index].game
            self._players[side][index].prepare_search(game, game.to_play)
            lockstep.begin(index, rules.simulations[side])
        may_stop = all(len(tables[index].game.moves) >= rules.num_sampled for index in turn)
        for step in itertools.count(1):
            if not lockstep.is_searching:
                break
            lockstep.step()
            if may_stop and step % _LOOK_EVERY == 0:
                lockstep.stop_decided()

    @staticmethod
    def _move(player: Player, table: _Table, side: int, rules: LockstepRules) -> None:
        """Play the move that a search found, and see whether the game is over."""
        game = table.game
        color = game.to_play
        report = player.read_report(0.0)
        if len(game.moves) < rules.num_sampled:
            move = sample_move(report.moves, 1.0, _MIN_RATIO, table.rng).move
        else:
            move = player.decide_on(game, color, report, Budget(rules.simulations[side])).move
        table.values[side] = report.value if color == BLACK else 1.0 - report.value
        game.play(color, move)
        if game.is_over:
            table.score = counted_score(game)
        elif max(table.values) < rules.resign_below:
            table.score = 0.0
        elif min(table.values) > 1.0 - rules.resign_below:
            table.score = 1.0
        elif len(game.moves) >= max_moves(rules.size):
            table.score = float("nan")


def seeds_of_pairs(numbers: Sequence[int], pairs: Iterable[int]) -> list[int]:
    """Return a seed for each of the two games of each pair, from numbers that tell it from all others."""
    return [int(np.random.default_rng([*numbers, pair, game]).integers(1 << 31)) for pair in pairs for game in (0, 1)]


_latest: dict[tuple[tuple[PlayerOptions, PlayerOptions], int, int], GamesInLockstep] = {}
"""Those of this process, by how they were made."""


def games_in_lockstep(sides: tuple[PlayerOptions, PlayerOptions], size: int, num_games: int) -> GamesInLockstep:
    """Return this process's searches for such games; those for others are freed first, as their trees are large."""
    key = sides, size, num_games
    if key not in _latest:
        _latest.clear()
        _latest[key] = GamesInLockstep(*key)
    return _latest[key]
