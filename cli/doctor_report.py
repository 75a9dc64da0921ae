"""What `miai doctor` finds: facts of this installation and machine, each found even if another cannot be."""

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from miai.engine.extras import EXTRAS
from miai.engine.processes import count_cores

_PACKAGES = ("numba", "llvmlite", "numpy", "openvino", "torch")
_FEATURES = {
    "AVX2": ("avx2",),
    "AVX-512": ("avx512f",),
    "VNNI": ("avx512_vnni", "avx_vnni"),
    "AMX": ("amx_tile",),
    "bfloat16": ("avx512_bf16", "amx_bf16"),
}
"""What matters to the networks' speed, and the flags by which Linux tells it."""
_MEBIBYTE = 1 << 20

Fact = tuple[str, str]
"""A name and what was found."""


def find_facts() -> Iterator[Fact]:
    """Yield facts as they are found; what cannot be found out says why."""
    finders: list[tuple[str, Callable[[], str]]] = [
        ("miai", lambda: _version_of("miai")),
        ("Python", lambda: f"{platform.python_version()} ({sys.executable})"),
        ("system", platform.platform),
        *((package, lambda package=package: _version_of(package)) for package in _PACKAGES),
        ("processor", _processor),
        ("features", _features),
        ("cores", _cores),
        ("memory", _memory),
        ("backend", _backend),
        ("cache", _cache),
        ("extras", _extras),
    ]
    for name, find in finders:
        try:
            yield name, find()
        except Exception as error:  # a broken package may raise anything; the others are still told
            yield name, f"cannot be found out: {type(error).__name__}: {error}".splitlines()[0]


def measure(seconds: float) -> Iterator[Fact]:
    """Yield speeds that take about so many seconds in all, besides compiling; what cannot run says why."""
    each = seconds / 3
    benches: list[tuple[str, Callable[[], str]]] = [
        ("playouts", lambda: _measure_playouts(each)),
        ("network", lambda: _measure_network(each)),
        ("search", lambda: _measure_search(each)),
    ]
    for name, bench in benches:
        try:
            yield name, bench()
        except Exception as error:  # as above
            yield name, f"failed: {type(error).__name__}: {error}".splitlines()[0]


def _version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _cpu_lines() -> dict[str, str]:
    """Return the first processor's fields as Linux tells them, or none."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _processor() -> str:
    return _cpu_lines().get("model name") or platform.processor() or platform.machine() or "unknown"


def _features() -> str:
    lines = _cpu_lines()
    flags = set((lines.get("flags") or lines.get("Features") or "").split())
    if not flags:
        return "unknown"
    missing = [name for name, marks in _FEATURES.items() if not flags & set(marks)]
    found = [name for name in _FEATURES if name not in missing]
    return (", ".join(found) or "none") + (f" (without {', '.join(missing)})" if missing else "")


def _cores() -> str:
    return f"{count_cores()} usable of {os.cpu_count()}"


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / (1 << 30):.1f} GiB"


def _backend() -> str:
    from miai.nets.inference import available_backends, make_backend
    from miai.nets.loading import load_net
    from miai.nets.net_files import net_file
    from miai.players.options import PlayerOptions

    available = available_backends()
    if not available:
        return "none: neither OpenVINO nor torch is installed"
    chosen = make_backend(load_net(net_file(PlayerOptions().net))).name
    why = "torch finds a GPU" if chosen == "torch-bfloat16" else "the fastest on a CPU of those installed"
    return f"{chosen}: {why} ({', '.join(available)})"


def _cache() -> str:
    from miai.engine.jit import CACHE_FOLDER, cache_is_new

    files = [path for path in CACHE_FOLDER.rglob("*") if path.is_file()] if CACHE_FOLDER.exists() else []
    size = sum(path.stat().st_size for path in files) / _MEBIBYTE
    existing = next(folder for folder in (CACHE_FOLDER, *CACHE_FOLDER.parents) if folder.exists())
    writable = "writable" if os.access(existing, os.W_OK) else "not writable"
    state = "cold" if cache_is_new() else "warm"
    return f"{CACHE_FOLDER}, {size:.0f} MiB, {state}, {writable}"


def _extras() -> str:
    missing = {extra for package, extra in EXTRAS.items() if importlib.util.find_spec(package) is None}
    return ", ".join(sorted({*EXTRAS.values()} - missing)) or "none"


def _measure_playouts(seconds: float) -> str:
    from miai.benchmarks.playouts import measure_policy

    return f"{measure_policy('fuego', 9, seconds, 3):,.0f} a second (policy fuego, 9x9, one thread)"


def _measure_network(seconds: float) -> str:
    import numpy as np

    from miai.benchmarks.net import measure_backend
    from miai.nets.inference import make_backend
    from miai.nets.loading import load_net
    from miai.nets.net_files import net_file
    from miai.nets.planes import num_planes
    from miai.players.options import PlayerOptions

    options = PlayerOptions()
    net = load_net(net_file(options.net))
    backend = make_backend(net)
    shape = options.batch, num_planes(net.config.planes), 9, 9
    planes = np.random.default_rng(1).integers(0, 2, size=shape).astype(np.float32)
    rate = measure_backend(backend, planes, seconds, 3)
    return f"{rate:,.0f} positions a second of CPU time ({options.net}, {backend.name}, batch {options.batch})"


def _measure_search(seconds: float) -> str:
    from miai.engine.go.game import Game
    from miai.engine.go.points import BLACK
    from miai.engine.search.search import Budget
    from miai.players.options import resolve_options
    from miai.players.player import Player

    player = Player(resolve_options()[0])
    game = Game(9)
    player.search(game, BLACK, Budget(simulations=20))
    player.new_game()
    report = player.search(game, BLACK, Budget(seconds=seconds))
    player.close()
    return f"{report.simulations / report.seconds:,.0f} simulations a second (default player, empty 9x9 board)"
