"""Workers on a Ray cluster: the same games, played on other machines and gathered by the driver.

miai must be installed on all of them, in the same version. A network's file is sent to them.
"""

import dataclasses
import functools
import hashlib
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from miai.engine.files import write_file
from miai.nets.net_files import net_file
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.selfplay.generation.generator import FinishedGame, Generator
from miai.selfplay.generation.player_generator import make_generator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.generation.workers import WorkersFailed

_MAX_LOSSES = 20
"""Tasks that may be lost in a row without a game between."""


def connect(address: str) -> None:
    """Connect to a cluster.

    Args:
        address: what `ray.init` takes: `auto`, `local`, or `HOST:PORT`.

    Raises:
        WorkersFailed: if there is no cluster there.
    """
    try:
        ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise WorkersFailed(f"cannot connect to a Ray cluster at {address!r}: {error}") from error


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
        connect(address)
        net = net_file(options.net).read_bytes() if options.evaluator in NET_EVALUATORS else None
        self._setup = ray.put((options, recipe, net))

    def play(self, numbers: Sequence[int]) -> Iterator[FinishedGame]:
        """Yield each game as it is finished. Those of a lost machine or process are played again.

        Raises:
            WorkersFailed: if a game fails by an error, or tasks are lost again and again.
        """
        waiting = deque(numbers)
        under_way: dict[Any, list[int]] = {}
        num_lost = 0
        task = _play_games.options(num_cpus=self._threads)
        try:
            while waiting or under_way:
                while waiting and len(under_way) < self._most_under_way():
                    block = [waiting.popleft() for _ in range(min(len(waiting), self._games_at_once))]
                    under_way[task.remote(self._setup, block)] = block
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=5.0)
                for reference in done:
                    block = under_way.pop(reference)
                    try:
                        games = ray.get(reference)
                    except RayTaskError as error:
                        raise WorkersFailed(str(error.cause)) from error
                    except RayError as error:
                        num_lost += 1
                        if num_lost >= _MAX_LOSSES:
                            raise WorkersFailed(
                                f"games were lost {num_lost} times in a row, the last by {error}"
                            ) from error
                        waiting.extendleft(block)
                        continue
                    num_lost = 0
                    yield from games
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)
            ray.shutdown()

    def _most_under_way(self) -> int:
        """Return how many tasks to hand out: twice what the processors can do now, as machines come and go."""
        return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)) // self._threads)


@ray.remote(max_retries=0)
def _play_games(setup: tuple[PlayerOptions, SelfPlayRecipe, bytes | None], numbers: list[int]) -> list[FinishedGame]:
    options, recipe, net = setup
    if net is not None:
        options = dataclasses.replace(options, net=_local_file(net))
    return list(_generator(repr((options, recipe)), options, recipe).play(numbers))


_generators: dict[str, Generator] = {}
"""This process's, by what it was made of: it is kept from game to game."""


def _generator(key: str, options: PlayerOptions, recipe: SelfPlayRecipe) -> Generator:
    if key not in _generators:
        _generators.clear()
        _generators[key] = make_generator(options, recipe)
    return _generators[key]


@functools.lru_cache(maxsize=2)
def _local_file(content: bytes) -> str:
    """Return the name of a file of this machine with this content."""
    path = Path(tempfile.gettempdir()) / f"miai-net-{hashlib.sha256(content).hexdigest()[:16]}.safetensors"
    if not path.exists():
        write_file(path, content)
    return str(path)
