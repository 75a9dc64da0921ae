"""`miai bench env`: steps per second of the game as an environment, uniform random legal play, and of its peers.

A peer is another project's environment; how many times as fast miai is in the same run is a figure of its own.

What is counted: moves made. A step of miai's is one call for all games that checks and makes the moves, finds what is
legal next – suicide, ko and positional superko –, writes the masks, and begins anew the games that are over, which is
not counted; with the call that draws the random actions. With `_obs` the observations are written too. CPU time of the
process, so that other work on the machine and further threads do not blur what one core does.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator

import gymnasium
import numpy as np

import miai.environment  # noqa: F401  (registers the environment)
from miai.benchmarks.figures import Figure
from miai.benchmarks.peers import PEERS, play_agents

SIZES = (9, 19)
"""What is measured: board sizes."""
_PEERS_SIZE = 9
_NUM_GAMES = 256
_WARM_UP_STEPS = 300
"""Steps that bring the games to different stages."""


def time_single(size: int) -> Callable[[int], int]:
    """Return a function that makes a number of steps in one environment as `gymnasium.make` returns it."""
    env = gymnasium.make("miai/Go-v0", size=size)
    draw = env.unwrapped.sample_action  # type: ignore[attr-defined]
    env.reset(seed=1)

    def play(number: int) -> int:
        for _ in range(number):
            _, _, terminated, truncated, _ = env.step(draw())
            if terminated or truncated:
                env.reset()
        return number

    return play


def time_vector(size: int, observe: bool, num_games: int = _NUM_GAMES) -> Callable[[int], int]:
    """Return a function that makes at least a number of moves in many games, and returns how many it made."""
    envs = gymnasium.make_vec(
        "miai/Go-v0", num_games, vectorization_mode="vector_entry_point", size=size, observe=observe
    )
    draw = envs.unwrapped.sample_actions  # type: ignore[attr-defined]
    envs.reset(seed=1)
    for _ in range(_WARM_UP_STEPS):
        envs.step(draw())

    def play(number: int) -> int:
        moves = 0
        num_begun = 0  # games that the next step begins
        while moves < number:
            _, _, terminated, truncated, _ = envs.step(draw())
            moves += num_games - num_begun
            num_begun = int(np.count_nonzero(terminated | truncated))
        return moves

    return play


def time_agents(size: int) -> Callable[[int], int] | None:
    """Return a function that makes a number of moves of PettingZoo's two agents; None if it is not installed."""
    if importlib.util.find_spec("pettingzoo") is None:
        return None
    from miai.environment.pettingzoo_env import GoAECEnv

    return play_agents(GoAECEnv(size=size))


def measure(play: Callable[[int], int], seconds: float, rounds: int) -> float:
    """Return the moves per second of CPU time in the fastest of `rounds` rounds that share `seconds` seconds."""

    def rate(number: int) -> float:
        start = time.process_time()
        moves = play(number)
        return moves / (time.process_time() - start)

    rate(1000)  # compiles
    number = max(1, round(rate(10_000) * seconds / rounds))
    return max(rate(number) for _ in range(rounds))


def run(seconds: float = 3.0, rounds: int = 6, peers: bool = True) -> Iterator[Figure]:
    """Measure one case after the other, in steps per second, then the peers that are installed, and compare."""
    rates: dict[str, float] = {}
    for size in SIZES:
        cases = {
            "single": time_single(size),
            "vector": time_vector(size, False),
            "vector_obs": time_vector(size, True),
            "aec": time_agents(size),
        }
        for case, play in cases.items():
            if play is not None:
                name = f"env.{case}.{size}x{size}"
                rates[name] = measure(play, seconds, rounds)
                yield Figure(name, rates[name], "/s")
    for peer, (prepare, compared) in PEERS.items() if peers else ():
        play = prepare(_PEERS_SIZE)
        if play is not None:
            board = f"{_PEERS_SIZE}x{_PEERS_SIZE}"
            rate = measure(play, seconds, rounds)
            yield Figure(f"env.{peer}.{board}", rate, "/s")
            for case in compared:
                yield Figure(f"env.{case}.{board}.per_{peer}", rates[f"env.{case}.{board}"] / rate, "times")
