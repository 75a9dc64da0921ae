"""`miai bench katago`: one of KataGo's networks here and in KataGo itself, evaluations per second on 9x9."""

import functools
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from miai.benchmarks.figures import Figure
from miai.nets.inference import Backend, make_backend
from miai.nets.inference.backend import Outputs
from miai.nets.inference.calibration import calibration_games, calibration_planes
from miai.nets.loading import Net, load_net
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from miai.selfplay.data.format import game_files, read_games
from miai.selfplay.labelling.positions import write_positions

BATCHES = (8, 32)
"""How many positions each thread evaluates at once."""
BACKENDS = ("openvino-float32", "openvino", "openvino-int8")
"""What runs the network here."""
_SIZE = 9
_ROUNDS = 3
_WARM_UP = 0.2
"""Seconds."""
_VISITS = 200
_POSITIONS = 512
"""Whose inputs are written."""
_COMPARED = 2048
"""Positions on which backends are compared."""
_KATAGO_LINE = re.compile(r"nnEvals/s = ([0-9.]+)")


class PeerError(Exception):
    """KataGo could not be measured; the text says why."""


def measure(backend: Backend, planes: np.ndarray, threads: int, seconds: float) -> float:
    """Return how many positions a second of the clock several threads evaluate, in the fastest of three rounds."""
    repeat = functools.partial(_rate, lambda: backend.evaluate(planes), len(planes))
    with ThreadPoolExecutor(threads) as pool:
        return max([sum(pool.map(repeat, [each] * threads)) for each in _rounds(seconds)][1:])


def measure_inputs(kind: str, seconds: float) -> float:
    """Return the positions a second whose planes one core writes, in the fastest of three rounds."""
    write_planes = make_write_planes(kind)
    planes = np.empty((num_planes(kind), _SIZE, _SIZE), dtype=np.float32)
    games = calibration_games(kind, _SIZE, _POSITIONS)
    positions = [(game.board, recent_of(game)[0], game.komi, game.rules.has_superko) for game in games]

    def write_all() -> None:
        for position in positions:
            write_planes(*position, planes)

    return max([_rate(write_all, len(positions), each) for each in _rounds(seconds)][1:])


def _rounds(seconds: float) -> list[float]:
    """Return how long to warm up, and each round that counts."""
    return [_WARM_UP] + [seconds / _ROUNDS] * _ROUNDS


def _rate(step: Callable[[], object], positions: int, seconds: float) -> float:
    """Return the positions a second of a step, each time of so many, that is repeated for so long."""
    number, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        step()
        number += positions
    return number / spent


def measure_katago(program: Sequence[str], model: Path, threads: int) -> float:
    """Return the evaluations a second that KataGo's own `benchmark` prints, as many search threads as threads.

    Args:
        program: KataGo, with its options in front of `benchmark`'s, such as `-config gtp.cfg`.

    Raises:
        PeerError: if it prints none.
    """
    options = ["-model", str(model), "-boardsize", str(_SIZE), "-visits", str(_VISITS), "-threads", str(threads)]
    one_each = f"numEigenThreadsPerModel={threads},nnMaxBatchSize={threads}"
    command = [program[0], "benchmark", *program[1:], *options, "-override-config", one_each]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerError(f"{program[0]}: {error}") from None
    rates = _KATAGO_LINE.findall(output)
    if not rates:
        last = output.strip().splitlines()[-1:] or ["nothing"]
        raise PeerError(f"{program[0]} benchmark names no evaluations a second; it printed last: {last[0]}")
    return float(rates[-1])


def _recorded_planes(folder: Path, kind: str) -> np.ndarray:
    """Return planes of positions sampled from recorded games on 9x9, float32 [positions, planes, 9, 9].

    Raises:
        PeerError: if there are none.
        DataError: if a file cannot be read.
    """
    rng = np.random.default_rng(1)
    files = [file for file in map(read_games, game_files(folder)) if file.size == _SIZE]
    found = []
    for file in files:
        rows = rng.integers(file.num_rows, size=_COMPARED // len(files) + 1)
        found.append(write_positions(file, file.game_of_row, rows, np.zeros(len(rows), dtype=np.int64), kind)[0])
    if not found:
        raise PeerError(f"{folder} holds no games on {_SIZE}x{_SIZE}")
    return rng.permutation(np.concatenate(found))[:_COMPARED]


def _evaluate(backend: Backend, planes: np.ndarray) -> Outputs:
    parts = [backend.evaluate(planes[first : first + BATCHES[-1]]) for first in range(0, len(planes), BATCHES[-1])]
    return Outputs(*(np.concatenate([part[index] for part in parts]) for index in range(4)))


def compare(net: Net, folder: Path, threads: int) -> Iterator[Figure]:
    """Measure how backends differ from float32 on recorded games.

    They are `katago.<backend>.same_best`, the fraction of positions with the same most probable move, and
    `.win_error`, the mean absolute error of the winning probability.

    Args:
        folder: of games of our data format.
    """
    planes = _recorded_planes(folder, net.config.planes)
    exact = _evaluate(make_backend(net, BACKENDS[0], threads=threads), planes)
    for name in BACKENDS[1:]:
        found = _evaluate(make_backend(net, name, threads=threads), planes)
        same = found.policy.argmax(axis=1) == exact.policy.argmax(axis=1)
        yield Figure(f"katago.{name}.same_best", float(same.mean()), f"of {len(planes)}")
        yield Figure(f"katago.{name}.win_error", float(np.abs(found.wdl[:, 0] - exact.wdl[:, 0]).mean()), "")


def run(
    model: Path, threads: int, program: Sequence[str] = (), games: Path | None = None, seconds: float = 6.0
) -> Iterator[Figure]:
    """Measure `katago.inputs` and `katago.<backend>.batch<number>`, and `katago.peer` with ratios if KataGo is given.

    With recorded games the backends are compared too, see `compare`.

    Raises:
        WeightsError: if the file holds no network.
        PeerError: as `measure_katago`, or if there are no games.
        DataError: if games cannot be read.
    """
    net: Net = load_net(model)
    yield Figure("katago.inputs", measure_inputs(net.config.planes, seconds), "/s")
    rates: dict[str, float] = {}
    for name in BACKENDS:
        backend = make_backend(net, name, threads=threads)
        for batch in BATCHES:
            planes = calibration_planes(net.config.planes, _SIZE, batch)
            figure = f"katago.{name}.batch{batch}"
            rates[figure] = measure(backend, planes, threads, seconds)
            yield Figure(figure, rates[figure], "/s")
    if program:
        peer = measure_katago(program, model, threads)
        yield Figure("katago.peer", peer, "/s")
        for figure, rate in rates.items():
            yield Figure(f"{figure}.ratio", rate / peer, "times")
    if games is not None:
        yield from compare(net, games, threads)
