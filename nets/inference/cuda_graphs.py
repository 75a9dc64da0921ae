"""Forward passes on a GPU as CUDA graphs: one launch in place of some hundred, which take longer than what they start.

A graph has one shape of input. A batch is padded to the next of `_SIZES`; larger ones are worth their launches.
"""

import math
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

_SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Positions of a graph's batch."""
_WARM_UP = 3
"""Passes before a graph is captured, in which libraries choose their kernels and reserve memory."""


class _Graph(NamedTuple):
    graph: torch.cuda.CUDAGraph
    planes: Tensor
    """Its input."""
    outputs: Tensor
    """What it leaves behind, float32 [batch, numbers]: all outputs side by side."""
    shapes: list[tuple[int, ...]]
    """Of each output of one position."""
    ends: np.ndarray
    """Where each output but the last ends among the numbers."""


class GraphedNetwork:
    """Runs a network on a GPU; several threads may call it, one pass is made at a time."""

    def __init__(self, network: Callable[[Tensor], Sequence[Tensor]], device: torch.device, dtype: torch.dtype) -> None:
        self._network = network
        self._device = device
        self._dtype = dtype
        self._graphs: dict[tuple[int, ...], _Graph] = {}
        self._lock = threading.Lock()

    @staticmethod
    def takes(planes: np.ndarray) -> bool:
        """Tell whether a batch is small enough."""
        return len(planes) <= _SIZES[-1]

    def evaluate(self, planes: np.ndarray) -> list[np.ndarray]:
        """Return the outputs for a batch that it takes, float32 and contiguous."""
        number = len(planes)
        shape = (next(size for size in _SIZES if size >= number), *planes.shape[1:])
        with self._lock:
            if shape not in self._graphs:
                self._graphs[shape] = self._capture(shape)
            graph, inputs, outputs, shapes, ends = self._graphs[shape]
            inputs[:number].copy_(torch.from_numpy(planes))
            graph.replay()
            flat = outputs[:number].cpu().numpy()
        parts = np.split(flat, ends, axis=1)
        return [np.ascontiguousarray(part).reshape(number, *one) for part, one in zip(parts, shapes, strict=True)]

    def _capture(self, shape: tuple[int, ...]) -> _Graph:
        planes = torch.empty(shape, device=self._device, dtype=self._dtype, memory_format=torch.channels_last).zero_()
        here, aside = torch.cuda.current_stream(self._device), torch.cuda.Stream(self._device)
        aside.wait_stream(here)
        with torch.cuda.stream(aside):
            outputs = [self._network(planes) for _ in range(_WARM_UP)][-1]
        here.wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            flat = torch.cat([one.float().reshape(shape[0], -1) for one in self._network(planes)], dim=1)
        shapes = [tuple(one.shape[1:]) for one in outputs]
        return _Graph(graph, planes, flat, shapes, np.cumsum([math.prod(one) for one in shapes])[:-1])
