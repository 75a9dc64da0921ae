"""Compiled networks kept on the disk, so that a start neither calibrates nor compiles them again.

They lie beside the compiled functions and are named by all that they depend on: the network, the sources of miai, the
processor, OpenVINO and what was asked of it. What cannot be read or written is no error.
"""

import contextlib
import functools
import hashlib
import io
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from miai.engine.files import write_file
from miai.engine.jit import CACHE_FOLDER
from miai.nets.inference.openvino_library import openvino
from miai.nets.katago.katago_net import KatagoNet
from miai.nets.loading import Net

FOLDER = CACHE_FOLDER.parent / "networks"
MOST_BYTES = 512 << 20
"""Of all that is kept; what was not used for longest goes first."""
_DIGEST_BYTES = 32


def digest_of(net: Net) -> str:
    """Return what tells a network from all others: a hash of its form and weights."""
    content = net.model if isinstance(net, KatagoNet) else (net.config, dict(net.arrays))
    return hashlib.sha256(pickle.dumps(content)).hexdigest()


def compiled_network(
    what: tuple[object, ...], properties: dict[str, Any], compile_now: Callable[[], openvino.CompiledModel]
) -> openvino.CompiledModel:
    """Return the network that was kept, or else compile and keep it.

    Args:
        what: all that the network depends on, beside the sources, the processor, OpenVINO and the properties.
        properties: that OpenVINO's CPU plugin takes.
    """
    core = _core()
    processor = [core.get_property("CPU", name) for name in ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES")]
    key = repr((what, sorted(properties.items()), openvino.get_version(), processor, CACHE_FOLDER.name))
    path = FOLDER / hashlib.sha256(key.encode()).hexdigest()[:32]
    content = _read(path)
    if content is not None:
        with contextlib.suppress(RuntimeError):
            return core.import_model(io.BytesIO(content), "CPU", properties)
    compiled = compile_now()
    with contextlib.suppress(OSError, RuntimeError):
        _keep(path, compiled.export_model().getvalue())
    return compiled


@functools.cache
def _core() -> openvino.Core:
    return openvino.Core()


def _read(path: Path) -> bytes | None:
    """Return what a file keeps; None if there is none or it is damaged, which OpenVINO might not survive."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of a folder that is not ours to change
        os.utime(path)
    digest, kept = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    return kept if hashlib.sha256(kept).digest() == digest else None


def _keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, hashlib.sha256(content).digest() + content)
    free = MOST_BYTES
    for kept in sorted(path.parent.iterdir(), key=os.path.getmtime, reverse=True):
        free -= kept.stat().st_size
        if free < 0:
            kept.unlink()
