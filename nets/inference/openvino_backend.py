"""Networks run by OpenVINO on the CPU.

A network is compiled anew for each number of positions that it takes: one that takes any number prepares itself again
whenever the number changes, as in a search it always does, and some of its steps stay apart that else are one. Numbers
between those of `_NUMBERS` are filled up.

Each thread has compiled networks for itself: then it computes in the thread that asks, whose caches are warm, and two
threads search faster than with two streams of one compiled network.
"""

import bisect
import threading
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from miai.nets.inference.backend import Outputs, check_planes
from miai.nets.inference.calibration import calibration_planes
from miai.nets.inference.openvino_cache import compiled_network, digest_of
from miai.nets.inference.openvino_library import openvino
from miai.nets.inference.openvino_model import build_model
from miai.nets.inference.quantization import quantize
from miai.nets.katago.katago_net import KatagoNet
from miai.nets.katago.openvino_model import build_katago_model
from miai.nets.loading import Net
from miai.nets.planes import num_planes

_NUMBERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Positions at once that networks are compiled for; larger batches are divided."""
_ANY_NUMBER = 0
"""That of a network that takes any."""
_LEAST_PART = 64
"""Positions for each of several threads; those that search one tree have smaller batches, which are better left to
one."""


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
        self._digest = digest_of(net)
        self._num_planes = num_planes(net.config.planes)
        self._numbers = () if isinstance(net, KatagoNet) else _NUMBERS
        """() = one network takes any: KataGo's are large, so that little is lost and every copy counts."""
        self._models: dict[int, openvino.Model] = {}
        """By board size."""
        self._idle: defaultdict[tuple[int, int], list[openvino.InferRequest]] = defaultdict(list)
        """Requests that no thread uses, each of a compiled model of its own, by board size and number of positions."""
        self._free = threading.Semaphore(threads)
        """Threads that compute nothing."""
        self._taking, self._building = threading.Lock(), threading.Lock()

    def prepare(self, size: int, positions: int) -> None:
        """Compile what batches of up to so many positions need; see `Backend.prepare`."""
        self._net.config.check_size(size)
        numbers = {self._number_for(number) for number in range(1, min(positions, _NUMBERS[-1]) + 1)}
        with self._building:
            for number in sorted(numbers):
                idle = self._idle[size, number]
                idle.extend(self._new_request(size, number) for _ in range(self._threads - len(idle)))

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return the network's outputs for a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        num_threads = max(1, min(self._threads, len(planes) // _LEAST_PART))
        most = self._numbers[-1] if self._numbers else -(-len(planes) // num_threads)
        parts = [planes[first : first + most] for first in range(0, len(planes), most)]
        with self._taking:  # whoever needs several threads takes them all before another takes one
            for _ in range(num_threads):
                self._free.acquire()
        try:
            found = [self._infer(parts[first : first + num_threads]) for first in range(0, len(parts), num_threads)]
        finally:
            self._free.release(num_threads)
        outputs = [arrays for group in found for arrays in group]
        if len(outputs) == 1:
            return Outputs(*outputs[0])
        return Outputs(*(np.concatenate(arrays) for arrays in zip(*outputs, strict=True)))

    def _infer(self, parts: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
        """Return the outputs for parts of a batch, each computed by one thread."""
        size = parts[0].shape[3]
        numbers = [self._number_for(len(part)) for part in parts]
        with self._building:
            requests = [
                self._idle[size, number].pop() if self._idle[size, number] else self._new_request(size, number)
                for number in numbers
            ]
        filled = [_filled_up(part, number) for part, number in zip(parts, numbers, strict=True)]
        try:
            if len(parts) == 1:
                requests[0].infer(filled[0], share_inputs=True)
            else:
                for request, inputs in zip(requests, filled, strict=True):
                    request.start_async(inputs, share_inputs=True)
                for request in requests:
                    request.wait()
            return [
                [array[: len(part)] for array in request.results.values()]
                for request, part in zip(requests, parts, strict=True)
            ]
        finally:
            for request, number in zip(requests, numbers, strict=True):
                self._idle[size, number].append(request)

    def _number_for(self, positions: int) -> int:
        """Return how many positions the network takes that is to evaluate so many."""
        return self._numbers[bisect.bisect_left(self._numbers, positions)] if self._numbers else _ANY_NUMBER

    def _new_request(self, size: int, number: int) -> openvino.InferRequest:
        what = (self._digest, self.name, size, number)
        compiled = compiled_network(what, self._properties, lambda: self._compile(size, number))
        return compiled.create_infer_request()

    def _compile(self, size: int, number: int) -> openvino.CompiledModel:
        if size not in self._models:
            self._models[size] = self._build_model(size)
        model = self._models[size]
        if number != _ANY_NUMBER:
            model = model.clone()
            model.reshape([number, self._num_planes, size, size])
        return openvino.compile_model(model, "CPU", self._properties)

    def _build_model(self, size: int) -> openvino.Model:
        if isinstance(self._net, KatagoNet):
            model = build_katago_model(self._net.model, size)
        else:
            model = build_model(self._net, size)
        if self.name == "openvino-int8":
            quantize(model, calibration_planes(self._net.config.planes, size))
        return model


def _filled_up(planes: np.ndarray, number: int) -> np.ndarray:
    """Return planes of so many positions, the last of them empty; as they are if there are as many or any will do."""
    if number in (_ANY_NUMBER, len(planes)):
        return planes
    filled = np.zeros((number, *planes.shape[1:]), dtype=planes.dtype)
    filled[: len(planes)] = planes
    return filled
