"""Networks run by OpenVINO on the CPU.

Each thread compiles a network for itself: then it computes in the thread that asks, whose caches are warm, and two
threads search faster than with two streams of one compiled network. It takes batches of any number. Networks for
one fixed number each were measured to be up to 20 % faster, which filling batches up would use up again.
"""

import threading
from collections import defaultdict
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

_LEAST_PART = 64
"""Positions of a part; threads that search one tree have smaller batches, which are better left whole."""


class OpenvinoBackend:
    """Runs a network in OpenVINO."""

    def __init__(self, net: Net, name: str, threads: int) -> None:
        """Take a network.

        Args:
            name: `openvino` for bfloat16 where the CPU computes with it, else float32; `openvino-float32`; or
                `openvino-int8` for convolutions and matrix products in 8 bits.
            threads: batches, or parts of large ones, that are computed at once, each by one thread.
        """
        self.name = name
        self._threads = threads
        self._properties: dict[str, Any] = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,  # several processes would share one core
        }
        if name == "openvino-float32":
            self._properties["INFERENCE_PRECISION_HINT"] = "f32"
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._models: dict[int, openvino.Model] = {}
        """By board size, as the requests below."""
        self._idle: defaultdict[int, list[openvino.InferRequest]] = defaultdict(list)
        """Requests that no thread uses, each of a compiled model of its own."""
        self._free = threading.Semaphore(threads)
        """Threads that compute nothing."""
        self._taking, self._building = threading.Lock(), threading.Lock()

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        size = planes.shape[3]
        num_parts = max(1, min(self._threads, len(planes) // _LEAST_PART))
        with self._taking:  # whoever needs several threads takes them all before another takes one
            for _ in range(num_parts):
                self._free.acquire()
            idle = self._idle[size]
            requests = [idle.pop() for _ in range(min(num_parts, len(idle)))]
        try:
            while len(requests) < num_parts:
                requests.append(self._new_request(size))
            return _infer(requests, planes)
        finally:
            idle.extend(requests)
            self._free.release(num_parts)

    def _new_request(self, size: int) -> openvino.InferRequest:
        with self._building:
            if size not in self._models:
                self._models[size] = self._build_model(size)
        return openvino.compile_model(self._models[size], "CPU", self._properties).create_infer_request()

    def _build_model(self, size: int) -> openvino.Model:
        if isinstance(self._net, KatagoNet):
            model = build_katago_model(self._net.model, size)
        else:
            model = build_model(self._net, size)
        if self.name == "openvino-int8":
            quantize(model, calibration_planes(self._net.config.planes, size))
        return model


def _infer(requests: list[openvino.InferRequest], planes: np.ndarray) -> Outputs:
    """Return the outputs for a batch of which each request computes a part."""
    if len(requests) == 1:
        return Outputs(*requests[0].infer(planes, share_inputs=True).values())
    for request, part in zip(requests, np.array_split(planes, len(requests)), strict=True):
        request.start_async(part, share_inputs=True)
    for request in requests:
        request.wait()
    parts = [request.results.values() for request in requests]
    return Outputs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
