"""Which backends are installed, and which one runs a network."""

import importlib.util
import os
import shutil

from miai.engine.extras import install_line
from miai.nets.config import BACKENDS
from miai.nets.inference.backend import Backend, BackendError
from miai.nets.katago.katago_net import KatagoNet
from miai.nets.loading import Net


def available_backends() -> list[str]:
    """Return the names of the backends that are installed, the fastest on a CPU first."""
    fastest_first = ("openvino-int8", "openvino", "openvino-float32", "torch", "torch-bfloat16")
    return [name for name in fastest_first if importlib.util.find_spec(name.partition("-")[0])]


def make_backend(net: Net, name: str | None = None, device: str | None = None, threads: int = 1) -> Backend:
    """Return a backend for a network.

    Args:
        name: one of `BACKENDS`; None = what is fastest: on a GPU torch in bfloat16, else OpenVINO if it is installed,
            in 8 bits but for KataGo's networks, else torch.
        device: torch's name of a device, as `cpu` or `cuda:1`; None = a GPU if there is one and the backend can use it.
        threads: of a CPU that compute at once, with OpenVINO a batch each, or a part of a large one; torch has one
            number for the whole process, the latest.

    Raises:
        BackendError: for an unknown name, one whose package is not installed, or a device that cannot be used.
    """
    if name is None:
        name = _fastest(device)
        if isinstance(net, KatagoNet) and name == "openvino-int8":
            name = "openvino"
    check_backend(name)
    if name.startswith("openvino"):
        from miai.nets.inference.openvino_backend import OpenvinoBackend

        if device not in (None, "cpu"):
            raise BackendError(f"the backend {name} runs on the CPU only, not on {device}")
        return _bounded(net, OpenvinoBackend(net, name, threads))
    from miai.nets.inference.torch_backend import TorchBackend, choose_device

    return _bounded(net, TorchBackend(net, name, choose_device(device), threads))


def _bounded(net: Net, backend: Backend) -> Backend:
    """Return a backend that shows a network of ours no komi beyond those it learned from, where its file names them."""
    if isinstance(net, KatagoNet) or (highest := net.highest_komi) is None:
        return backend
    from miai.nets.inference.komi_bounds import KomiBounded

    return KomiBounded(net, backend, highest)


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
