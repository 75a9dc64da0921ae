"""Workers on a Ray cluster: the same games, played on other machines and gathered by the driver.

miai must be installed on all of them, in the same version. A network's file is sent to them.
"""

import dataclasses
from collections.abc import Iterator, Sequence

import ray

from miai.engine.ray_cluster import connect, local_copy, run_tasks
from miai.nets.net_files import net_file
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.selfplay.generation.generator import FinishedGame, Generator
from miai.selfplay.generation.player_generator import make_generator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.generation.workers import WorkersFailed


class RayWorkers:
    """Plays games wherever the cluster has processors to spare."""

    def __init__(self, options: PlayerOptions, recipe: SelfPlayRecipe, address: str) -> None:
        """Connect to a cluster.

        Args:
            options: of the player.
            recipe: of the games.
            address: what `ray.init` takes: `auto`, `local`, or `HOST:PORT`.

        Raises:
            WorkersFailed: if there is no cluster there.
        """
        self._threads = options.threads
        self._games_at_once = recipe.games_at_once
        connect(address, WorkersFailed)
        net = net_file(options.net).read_bytes() if options.evaluator in NET_EVALUATORS else None
        self._setup = ray.put((options, recipe, net))

    def play(self, numbers: Sequence[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished. Those of a lost machine or process are played again.

        Raises:
            WorkersFailed: if a game fails by an error, or tasks are lost again and again.
        """
        task = _play_games.options(num_cpus=self._threads)
        starts = range(0, len(numbers), self._games_at_once)
        blocks = [list(numbers[start : start + self._games_at_once]) for start in starts]
        for _, games in run_tasks(
            blocks, lambda block: task.remote(self._setup, block), WorkersFailed, "games", self._threads
        ):
            yield from games


@ray.remote(max_retries=0)
def _play_games(setup: tuple[PlayerOptions, SelfPlayRecipe, bytes | None], numbers: list[int]) -> list[FinishedGame]:
    options, recipe, net = setup
    if net is not None:
        options = dataclasses.replace(options, net=str(local_copy(str(net_file(options.net)), net)))
    return list(_generator(repr((options, recipe)), options, recipe).play(numbers))


_generators: dict[str, Generator] = {}
"""This process's, by what it was made of: it is kept from game to game."""


def _generator(key: str, options: PlayerOptions, recipe: SelfPlayRecipe) -> Generator:
    if key not in _generators:
        _generators.clear()
        _generators[key] = make_generator(options, recipe)
    return _generators[key]
