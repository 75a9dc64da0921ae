"""`miai bench compare`: two installed versions of miai by their own benches, in turns, in one run.

A machine's speed drifts over minutes, so the versions take turns, and each figure is the best of all rounds. The noise
is measured too: the best of a version's odd rounds against the best of its even ones.
"""

import json
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from miai.benchmarks.figures import Figure

BENCHES = {
    "playouts": ["bench", "playouts", "--seconds", "1", "--json"],
    "search": ["bench", "search", "--simulations", "4000", "--json"],
}
"""The arguments of each bench beside the start."""
START = "start"
_FEW = ["--simulations", "20"]
STARTS = {
    "start.version": (["--version"], ""),
    "start.gtp": (["gtp"], "name\nquit\n"),
    "start.fuego-move": (["gtp", "--preset", "fuego", *_FEW], "genmove b\nquit\n"),
    "start.net-move": (["gtp", "--preset", "net", *_FEW], "genmove b\nquit\n"),
}
"""What is started and ends again, with its standard input, by the figure's name."""
STARTS_A_ROUND = 3


class CompareError(ValueError):
    """A version that does not run; the text says what it printed."""


class SpeedComparison(NamedTuple):
    """One figure of both versions."""

    name: str
    before: float
    after: float
    unit: str
    speed: float
    """Of the later version, that of the earlier one as 1."""
    noise: float
    """How far the best of odd and even rounds of the same version differ, the larger of both versions; 0.01 = 1 %."""


def _run(program: Sequence[str], arguments: Sequence[str], standard_input: str = "") -> str:
    try:
        ended = subprocess.run(
            [*program, *arguments], input=standard_input, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise CompareError(f"cannot run {shlex.join(program)}: {error.strerror}") from None
    if ended.returncode:
        last = (ended.stderr.strip() or "nothing on standard error").splitlines()[-1]
        raise CompareError(f"{shlex.join([*program, *arguments])} ended with {ended.returncode}: {last}")
    return ended.stdout


def measure_round(program: Sequence[str], benches: Sequence[str]) -> Iterator[Figure]:
    """Measure one version once by some of `START` and `BENCHES`; starts in seconds.

    Raises:
        CompareError: if it does not run, or its bench prints something else than figures.
    """
    for name, (arguments, standard_input) in STARTS.items() if START in benches else ():
        times = []
        for _ in range(STARTS_A_ROUND):
            start = time.perf_counter()
            _run(program, arguments, standard_input)
            times.append(time.perf_counter() - start)
        yield Figure(name, min(times), "s")
    for bench in (name for name in BENCHES if name in benches):
        output = _run(program, BENCHES[bench])
        try:
            figures = [
                Figure(name, float(each["value"]), str(each["unit"])) for name, each in json.loads(output).items()
            ]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise CompareError(f"{shlex.join([*program, *BENCHES[bench]])} printed no figures") from None
        yield from figures


def compare_rounds(before: Sequence[Sequence[Figure]], after: Sequence[Sequence[Figure]]) -> list[SpeedComparison]:
    """Compare the rounds of two versions, figure by figure.

    Those that only one has are left out, and quotients: the best of noisy quotients says nothing.
    """
    names = {figure.name for figures in after for figure in figures}
    return [_compare(name, unit, before, after) for name, _, unit in before[0] if name in names and unit != "x"]


def _compare(
    name: str, unit: str, before: Sequence[Sequence[Figure]], after: Sequence[Sequence[Figure]]
) -> SpeedComparison:
    best: Callable[[Sequence[float]], float] = min if unit == "s" else max
    noise = 0.0
    bests: list[float] = []
    for rounds in (before, after):
        values = [figure.value for figures in rounds for figure in figures if figure.name == name]
        bests.append(best(values))
        if len(values) > 1:
            noise = max(noise, abs(best(values[::2]) / best(values[1::2]) - 1))
    speed = bests[0] / bests[1] if unit == "s" else bests[1] / bests[0]
    return SpeedComparison(name, bests[0], bests[1], unit, speed, noise)


def compare_versions(
    before: Sequence[str], after: Sequence[str], benches: Sequence[str], rounds: int
) -> Iterator[list[SpeedComparison]]:
    """Compare two programs; yield what is known after each round.

    A first round, not counted, fills both caches.
    """
    measured: tuple[list[list[Figure]], list[list[Figure]]] = [], []
    for number in range(rounds + 1):
        for program, kept in zip((before, after), measured, strict=True):
            figures = list(measure_round(program, benches))
            if number:
                kept.append(figures)
        if number:
            yield compare_rounds(*measured)
