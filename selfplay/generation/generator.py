"""Whoever plays numbered games: what workers run, on this machine or another."""

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.player import Player
from miai.selfplay.data.format import GameRecord
from miai.selfplay.generation.game import SelfPlayGame
from miai.selfplay.generation.game_recipe import Recipe


class FinishedGame(NamedTuple):
    """A game and what it took."""

    number: int
    record: GameRecord
    simulations: int
    seconds: float
    """By the clock since whoever played it finished the game before."""
    evaluations: int = 0
    """Positions that its network evaluated in that time, for other games too."""
    network_seconds: float = 0.0
    """What that took."""


class Generator(Protocol):
    """Plays games by their numbers."""

    def play(self, numbers: Iterable[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished; numbers are taken as games begin."""


class PlayerGenerator:
    """Plays one game after the other with a player."""

    def __init__(self, options: PlayerOptions, recipe: Recipe) -> None:
        self._player = Player(options)
        self._recipe = recipe

    def play(self, numbers: Iterable[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished."""
        for number in numbers:
            started = time.monotonic()
            playing = SelfPlayGame(self._recipe, number)
            self._player.set_seed(playing.seed)
            simulations = 0
            while (request := playing.request) is not None:
                game = playing.game
                self._player.explore(playing.chance if request.is_full else None)
                found = self._player.search_root(
                    game, game.to_play, request.simulations, early_stop=not request.is_full
                )
                simulations += found.simulations
                playing.take(found)
            yield FinishedGame(number, playing.record(), simulations, time.monotonic() - started)


def make_generator(options: PlayerOptions, recipe: Recipe) -> Generator:
    """Return what plays games with a player of these options, several at once if there is a network to share."""
    if options.evaluator not in NET_EVALUATORS:
        return PlayerGenerator(options, recipe)
    from miai.selfplay.generation.lockstep import LockstepGenerator

    return LockstepGenerator(options, recipe)
