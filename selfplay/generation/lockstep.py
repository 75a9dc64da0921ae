"""Many games at once whose searches share the batches of a network."""

import dataclasses
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from miai.engine.search.lockstep import Lockstep
from miai.players.net_evaluator import NetEvaluatorSetup, NetworkUsage
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.selfplay.generation.game import SelfPlayGame
from miai.selfplay.generation.generator import FinishedGame
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

_MIN_MEMORY = 16
"""MiB for the tree of one of the games, which share the player's memory."""


@dataclass
class _LockstepGame:
    """A game under way."""

    number: int
    playing: SelfPlayGame
    simulations: int = 0


class LockstepGenerator:
    """Plays as many games at once as the recipe says, each with its own tree; one network serves them all.

    They share the player's memory and its batch, of which each has a position at least.
    """

    def __init__(self, options: PlayerOptions, recipe: SelfPlayRecipe) -> None:
        options = dataclasses.replace(
            options,
            memory=max(_MIN_MEMORY, options.memory // recipe.games_at_once),
            batch=max(1, options.batch // recipe.games_at_once),
        )
        first = Player(options)
        self._players = [first, *(Player(options, first.evaluation) for _ in range(recipe.games_at_once - 1))]
        self._recipe = recipe
        searches = [player.search_on(recipe.size) for player in self._players]
        self._lockstep = Lockstep(searches, first.evaluate_batches)

    def play(self, numbers: Iterable[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished."""
        upcoming = iter(numbers)
        clock, usage = time.monotonic(), self._network_usage
        tables: dict[int, _LockstepGame] = {}
        for index, number in zip(range(len(self._players)), upcoming, strict=False):
            tables[index] = self._begin_game(index, number)
        while tables:
            for index in self._lockstep.step():
                table = tables[index]
                self._move(index, table)
                if table.playing.request is not None:
                    self._begin_search(index, table)
                    continue
                del tables[index]
                seconds, done = time.monotonic() - clock, self._network_usage.since(usage)
                clock, usage = clock + seconds, self._network_usage
                yield FinishedGame(table.number, table.playing.record(), table.simulations, seconds, *done)
                if (next_number := next(upcoming, None)) is not None:
                    tables[index] = self._begin_game(index, next_number)

    @property
    def _network_usage(self) -> NetworkUsage:
        evaluation = self._players[0].evaluation
        assert isinstance(evaluation, NetEvaluatorSetup)
        return evaluation.network_usage

    def _begin_game(self, index: int, number: int) -> _LockstepGame:
        playing = SelfPlayGame(self._recipe, number)
        self._players[index].set_seed(playing.seed)
        table = _LockstepGame(number, playing)
        self._begin_search(index, table)
        return table

    def _begin_search(self, index: int, table: _LockstepGame) -> None:
        player, game, request = self._players[index], table.playing.game, table.playing.request
        assert request is not None
        player.set_root_noise(table.playing.noise_rng if request.is_full else None)
        player.prepare_search(game, game.to_play)
        self._lockstep.begin(index, max(1, request.simulations))

    def _move(self, index: int, table: _LockstepGame) -> None:
        """Play the move that a finished search found."""
        assert table.playing.request is not None
        simulations = max(1, table.playing.request.simulations)
        table.simulations += simulations
        table.playing.take(self._players[index].read_root(simulations))
