"""Networks run by torch, on the CPU or a GPU, in float32 or bfloat16."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from miai.nets.inference.backend import BackendError, Outputs, check_planes
from miai.nets.inference.cuda_graphs import GraphedNetwork
from miai.nets.inference.inference_module import InferenceModule
from miai.nets.katago.katago_net import KatagoNet
from miai.nets.katago.torch_model import KatagoNetwork
from miai.nets.loading import Net
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

    def __init__(self, net: Net, name: str, device: torch.device, threads: int) -> None:
        """Copy the network to `device`; `name` is `torch` or `torch-bfloat16`."""
        torch.set_num_threads(threads)
        self.name = name
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._device = device
        dtype = torch.bfloat16 if name == "torch-bfloat16" else torch.float32
        self._dtype = torch.float32 if isinstance(net, KatagoNet) else dtype
        self._network = _network(net, device, dtype)
        has_graphs = device.type == "cuda" and not isinstance(net, KatagoNet)
        self._graphs = GraphedNetwork(self._network, device, self._dtype) if has_graphs else None

    def prepare(self, size: int, positions: int) -> None:
        """Compile nothing: torch takes batches of any number at once; see `Backend.prepare`."""
        self._net.config.check_size(size)

    @torch.inference_mode()
    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        if self._graphs is not None and self._graphs.takes(planes):
            return Outputs(*self._graphs.evaluate(planes))
        batch = torch.from_numpy(planes).to(self._device, self._dtype, memory_format=torch.channels_last)
        return Outputs(*(output.float().contiguous().cpu().numpy() for output in self._network(batch)))


def _network(net: Net, device: torch.device, dtype: torch.dtype) -> Callable[[Tensor], Sequence[Tensor]]:
    if isinstance(net, KatagoNet):
        return KatagoNetwork(net.model, dtype)
    module: nn.Module = InferenceModule(net).to(device, dtype)
    return module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
