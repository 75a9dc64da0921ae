"""Networks run by torch, on the CPU or a GPU, in float32 or bfloat16."""

from typing import Any

import numpy as np
import torch

from miai.nets.inference.backend import BackendError, Outputs, check_planes
from miai.nets.inference.inference_module import InferenceModule
from miai.nets.net_files import LoadedNet
from miai.nets.planes import num_planes


def choose_device(name: str | None) -> torch.device:
    """Return the device of this name; for None a GPU if there is one, else the CPU.

    Raises:
        BackendError: if it cannot be used.
    """
    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise BackendError(f"device {name!r} cannot be used: {reason}") from None
    return device


class TorchBackend:
    """Runs a network in torch."""

    def __init__(self, net: LoadedNet, name: str, device: torch.device, threads: int) -> None:
        """Copy the network to `device`; `name` is `torch` or `torch-bfloat16`."""
        torch.set_num_threads(threads)
        self.name = name
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._device = device
        self._dtype = torch.bfloat16 if name == "torch-bfloat16" else torch.float32
        module: Any = InferenceModule(net)
        self._module = module.to(device, self._dtype, memory_format=torch.channels_last)

    @torch.inference_mode()
    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        batch = torch.from_numpy(planes).to(self._device, self._dtype, memory_format=torch.channels_last)
        return Outputs(*(output.float().contiguous().cpu().numpy() for output in self._module(batch)))
