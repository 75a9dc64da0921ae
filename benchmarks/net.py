"""`miai bench net`: evaluations per second of the networks by backend and batch, one thread of a CPU, on 9x9."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from miai.benchmarks.figures import Figure
from miai.benchmarks.net_search import measure_searches, measure_threads
from miai.engine.go.board import new_board, play
from miai.engine.jit import compiled
from miai.nets.config import CONFIGS, NetConfig
from miai.nets.form import array_shapes
from miai.nets.inference import Backend, BackendError, available_backends, check_backend, make_backend
from miai.nets.net_files import LoadedNet, net_file, read_config
from miai.nets.planes import PLANES, make_write_planes, num_planes
from miai.nets.recent_positions import clear_recent, push_recent, recent_dtype
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

BATCHES = (1, 8, 32, 128)
"""How many positions are evaluated at once."""
MOST_MIXED = 16
"""Positions of the largest of batches whose number changes, as in a search."""
_SIZE = 9
_KOMI = 7.0


def fastest_rate(work: Callable[[int], None], seconds: float, rounds: int) -> float:
    """Return how often a second `work(number)` does what it does `number` times, in the fastest of some rounds.

    Seconds are CPU time of this process, all its threads together, so that other programs disturb less.

    Args:
        seconds: about how long all rounds take together.
    """

    def time_work(number: int) -> float:
        start = time.process_time()
        work(number)
        return time.process_time() - start

    time_work(3)  # compiles
    number = 1
    while (needed := time_work(number)) < 0.1 * seconds / rounds:
        number *= 2
    number = max(1, round(number * seconds / rounds / needed))
    return number / min(time_work(number) for _ in range(rounds))


def _positions(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first positions of a playout: boards, and what came before each."""
    choose = make_policy("fuego").choose
    playout_workspace = new_playout_workspace(_SIZE, 1)[0]
    boards = np.repeat(new_board(_SIZE), number)
    recents = np.zeros(number, dtype=recent_dtype(_SIZE))
    clear_recent(recents[0], boards[0])
    for index in range(1, number):
        boards[index], recents[index] = boards[index - 1], recents[index - 1]
        play(boards[index], choose(boards[index], playout_workspace))
        push_recent(recents[index], boards[index])
    return boards, recents


def _compose_writing(kind: str) -> Any:
    write_planes = make_write_planes(kind)

    @compiled
    def write_all(boards, recents, komi, planes, rounds):  # type: ignore[no-untyped-def]
        for _ in range(rounds):
            for index in range(len(boards)):
                write_planes(boards[index], recents[index], komi, True, planes[index])

    return write_all


def measure_planes(kind: str, seconds: float, rounds: int) -> float:
    """Return how many positions of a playout a second are turned into planes."""
    boards, recents = _positions(40)
    planes = np.zeros((len(boards), num_planes(kind), _SIZE, _SIZE), dtype=np.float32)
    write_all = _compose_writing(kind)
    rate = fastest_rate(lambda number: write_all(boards, recents, _KOMI, planes, number), seconds, rounds)
    return len(boards) * rate


def measure_backend(backend: Backend, planes: np.ndarray, seconds: float, rounds: int) -> float:
    """Return how many positions a second a backend evaluates in batches of these."""

    def evaluate(number: int) -> None:
        for _ in range(number):
            backend.evaluate(planes)

    return len(planes) * fastest_rate(evaluate, seconds, rounds)


def measure_mixed(backend: Backend, planes: np.ndarray, seconds: float, rounds: int) -> float:
    """Return how many positions a second a backend evaluates in batches of one to all of these, in a random order."""
    numbers = np.random.default_rng(1).permutation(np.tile(np.arange(1, len(planes) + 1), 8))

    def evaluate(times: int) -> None:
        for number in np.tile(numbers, times):
            backend.evaluate(planes[:number])

    return float(numbers.sum()) * fastest_rate(evaluate, seconds, rounds)


def random_net(config: NetConfig) -> LoadedNet:
    """Return a network with random weights that hardly passes: else games end at once, and nothing is evaluated."""
    rng = np.random.default_rng(1)
    arrays = {}
    for name, shape in array_shapes(config).items():
        is_one = "norm" in name and name.endswith((".weight", ".running_var"))
        arrays[name] = np.full(shape, float(is_one), dtype=np.float32)
        if len(shape) > 1:
            fan_in = arrays[name][0].size
            arrays[name][:] = rng.normal(scale=np.sqrt(2 / fan_in), size=shape)
    bias, row = ("policy_linear.bias", -1) if config.kind == "li-lim" else ("pass_linear.bias", 0)
    arrays[bias][row] -= 20.0
    return LoadedNet(config, arrays, {})


def run(seconds: float = 2.0, rounds: int = 6, only: str | None = None) -> Iterator[Figure]:
    """Measure `net.planes.<kind>` and `net.<configuration>.<backend>.batch<number>` in positions per second, and
    `net.<configuration>.<backend>.mixed`, see `measure_mixed`.

    With OpenVINO, or else the fastest backend, whole searches too, see `measure_searches`; with the fastest, what a
    second thread gains, see `measure_threads`.

    The networks are the configurations and the form of the default network, with random weights, which take as long as
    trained ones.

    Args:
        only: the backend to measure; None = all that are installed.

    Raises:
        BackendError: if no backend is installed, or not that one.
    """
    if only is not None:
        check_backend(only)
    for kind in PLANES:
        yield Figure(f"net.planes.{kind}", measure_planes(kind, seconds, rounds), "/s")
    backends = [only] if only else available_backends()
    if not backends:
        raise BackendError("networks need OpenVINO or torch: pip install openvino")
    rng = np.random.default_rng(1)
    for config in (*CONFIGS.values(), read_config(net_file("miai"))):
        net = random_net(config)
        for name in backends:
            backend = make_backend(net, name, device="cpu")
            for batch in BATCHES:
                planes = rng.integers(0, 2, size=(batch, num_planes(config.planes), _SIZE, _SIZE)).astype(np.float32)
                rate = measure_backend(backend, planes, seconds, rounds)
                yield Figure(f"net.{config.name}.{name}.batch{batch}", rate, "/s")
            mixed = measure_mixed(backend, planes[:MOST_MIXED], seconds, rounds)
            yield Figure(f"net.{config.name}.{name}.mixed", mixed, "/s")
            if name.startswith("openvino") or name == backends[0]:
                yield from measure_searches(config, backend, seconds, rounds)
            if name == backends[0]:
                two = make_backend(net, name, device="cpu", threads=2)
                yield from measure_threads(config, backend, two, seconds, rounds)
