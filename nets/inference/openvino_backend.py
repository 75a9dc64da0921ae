"""Networks run by OpenVINO on the CPU.

A model is made when a board size is first seen; it takes batches of any number.
Models of one fixed number each were measured to be up to 20 % faster, which filling batches up would use up again.
"""

import threading
from typing import Any

import numpy as np

from miai.nets.inference.backend import Outputs, check_planes
from miai.nets.inference.calibration import calibration_planes
from miai.nets.inference.openvino_library import openvino
from miai.nets.inference.openvino_model import build_model
from miai.nets.inference.quantization import quantize
from miai.nets.katago.katago_net import KatagoNet
from miai.nets.katago.openvino_model import build_katago_model
from miai.nets.loading import Net
from miai.nets.planes import num_planes

_WRITING_KERNELS = threading.Lock()
"""Of the whole process: OpenVINO 2026.4 writes kernels when it compiles a model, and when a request first sees a number
of positions. With those of 8 bits two threads that do so at once damage the heap."""


class OpenvinoBackend:
    """Runs a network in OpenVINO."""

    def __init__(self, net: Net, name: str, threads: int, streams: int) -> None:
        """Take a network.

        Args:
            name: `openvino` for bfloat16 where the CPU computes with it, else float32; `openvino-float32`; or
                `openvino-int8` for convolutions and matrix products in 8 bits.
            threads: that compute a batch.
            streams: parts into which a batch is divided, each computed by its share of the threads.
        """
        self.name = name
        self._streams = streams
        self._properties: dict[str, Any] = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": streams,
            "ENABLE_CPU_PINNING": False,  # several processes would share one core
        }
        if name == "openvino-float32":
            self._properties["INFERENCE_PRECISION_HINT"] = "f32"
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._requests: dict[int, list[openvino.InferRequest]] = {}
        self._seen: set[tuple[int, int]] = set()
        """Sizes and numbers of positions for which there are kernels."""

    def _compile(self, size: int) -> list[openvino.InferRequest]:
        if isinstance(self._net, KatagoNet):
            model = build_katago_model(self._net.model, size)
        else:
            model = build_model(self._net, size)
        if self.name == "openvino-int8":
            quantize(model, calibration_planes(self._net.config.planes, size))
        compiled = openvino.compile_model(model, "CPU", self._properties)
        return [compiled.create_infer_request() for _ in range(self._streams)]

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        size = planes.shape[3]
        if size not in self._requests:
            with _WRITING_KERNELS:
                self._requests[size] = self._compile(size)
        requests = self._requests[size][: len(planes)]
        form = size, len(planes)
        if form in self._seen:
            return _infer(requests, planes, at_once=True)
        with _WRITING_KERNELS:
            outputs = _infer(requests, planes, at_once=False)
        self._seen.add(form)
        return outputs


def _infer(requests: list[openvino.InferRequest], planes: np.ndarray, at_once: bool) -> Outputs:
    """Return the outputs for a batch of which each request computes a part, all at once or one after the other."""
    if len(requests) == 1:
        return Outputs(*requests[0].infer(planes, share_inputs=True).values())
    for request, part in zip(requests, np.array_split(planes, len(requests)), strict=True):
        request.start_async(part, share_inputs=True)
        if not at_once:
            request.wait()
    for request in requests:
        request.wait()
    parts = [request.results.values() for request in requests]
    return Outputs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
