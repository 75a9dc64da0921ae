"""What workers run, on this machine or another: one player, or several whose searches share a network."""

import time
from collections.abc import Iterable, Iterator

from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.player import Player
from miai.selfplay.generation.game import SelfPlayGame
from miai.selfplay.generation.generator import FinishedGame, Generator
from miai.selfplay.generation.lockstep import LockstepGenerator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe


class PlayerGenerator:
    """Plays one game after the other with a player."""

    def __init__(self, options: PlayerOptions, recipe: SelfPlayRecipe) -> None:
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
                self._player.set_root_noise(playing.noise_rng if request.is_full else None)
                found = self._player.search_root(
                    game, game.to_play, request.simulations, early_stop=not request.is_full
                )
                simulations += found.simulations
                playing.take(found)
            yield FinishedGame(number, playing.record(), simulations, time.monotonic() - started)


def make_generator(options: PlayerOptions, recipe: SelfPlayRecipe) -> Generator:
    """Return what plays games with a player of these options, several at once if there is a network to share."""
    if options.evaluator not in NET_EVALUATORS:
        return PlayerGenerator(options, recipe)
    return LockstepGenerator(options, recipe)
