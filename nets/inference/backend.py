"""What a backend is, which there are, and which is chosen."""

import importlib.util
import os
import shutil
from typing import NamedTuple, Protocol

import numpy as np

from miai.engine.extras import install_line
from miai.nets.net_files import LoadedNet

BACKENDS = ("torch", "torch-bfloat16", "openvino", "openvino-int8")
"""The names of all backends."""


class BackendError(ValueError):
    """A backend that there is not, or not here; the text says what is missing or allowed."""


class Outputs(NamedTuple):
    """What a network says of a batch of positions, for the player to move; float32, contiguous."""

    policy: np.ndarray
    """Logits of the moves [batch, size·size + 1], pass last."""
    wdl: np.ndarray
    """Probabilities of win, draw and loss [batch, 3]; from a network with one value p they are (p, 0, 1 - p)."""
    score: np.ndarray
    """Points won by, komi included [batch]; 0 from a network without a score."""
    ownership: np.ndarray
    """Expected owner at the end [batch, size·size], 1 own, -1 the opponent's; 0 from a network without."""


class Backend(Protocol):
    """Runs one network; one thread at a time may use it."""

    name: str
    """One of `BACKENDS`."""

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return what the network says of a batch.

        Args:
            planes: float32 [batch, planes, size, size], contiguous; see `miai.nets.planes`.

        Raises:
            ValueError: if planes are not of that form.
            ConfigError: if the network does not fit the size.
        """
        ...


def available_backends() -> list[str]:
    """Return the names of the backends that are installed, the fastest on a CPU first."""
    fastest_first = ("openvino-int8", "openvino", "torch", "torch-bfloat16")
    return [name for name in fastest_first if importlib.util.find_spec(name.partition("-")[0])]


def make_backend(net: LoadedNet, name: str | None = None, device: str | None = None, threads: int = 1) -> Backend:
    """Return a backend for a network.

    Args:
        name: one of `BACKENDS`; None = what is fastest: on a GPU torch in bfloat16, else OpenVINO in 8 bits if it is
            installed, else torch.
        device: torch's name of a device, as `cpu` or `cuda:1`; None = a GPU if there is one and the backend can use it.
        threads: that compute a batch on a CPU; torch has one number for the whole process, the latest.

    Raises:
        BackendError: for an unknown name, one whose package is not installed, or a device that cannot be used.
    """
    if name is None:
        name = _fastest(device)
    check_backend(name)
    if name.startswith("openvino"):
        from miai.nets.inference.openvino_backend import OpenvinoBackend

        if device not in (None, "cpu"):
            raise BackendError(f"the backend {name} runs on the CPU only, not on {device}")
        return OpenvinoBackend(net, name, threads)
    from miai.nets.inference.torch_backend import TorchBackend, choose_device

    return TorchBackend(net, name, choose_device(device), threads)


def check_backend(name: str) -> None:
    """Raise a BackendError for an unknown name, or one whose package is not installed."""
    if name not in BACKENDS:
        raise BackendError(f"unknown backend {name!r}: allowed are {', '.join(BACKENDS)}")
    if name not in available_backends():
        package = name.partition("-")[0]
        raise BackendError(f"the backend {name} needs {package}: {install_line(package)}")


def has_torch() -> bool:
    """Tell whether torch is installed, without importing it."""
    return importlib.util.find_spec("torch") is not None


def _fastest(device: str | None) -> str:
    if has_torch() and (_may_have_gpu() if device is None else device != "cpu"):
        from miai.nets.inference.torch_backend import choose_device

        if choose_device(device).type != "cpu":
            return "torch-bfloat16"
    return next(iter(available_backends()), "openvino")


def _may_have_gpu() -> bool:
    """Tell whether it is worth asking torch, which takes a second to import: on most machines there is no GPU."""
    return shutil.which("nvidia-smi") is not None or any(map(os.path.exists, ("/dev/nvidiactl", "/dev/kfd")))


def check_planes(net: LoadedNet, num_planes: int, planes: np.ndarray) -> None:
    """Raise the errors of `Backend.evaluate` if planes do not fit a network."""
    shape = planes.shape
    fits = len(shape) == 4 and shape[0] > 0 and shape[1] == num_planes and shape[2] == shape[3]
    if not fits or planes.dtype != np.float32 or not planes.flags.c_contiguous:
        needed = f"float32 [batch, {num_planes}, size, size], contiguous"
        raise ValueError(f"planes are {planes.dtype} {list(shape)}, not {needed}")
    net.config.check_size(shape[2])
