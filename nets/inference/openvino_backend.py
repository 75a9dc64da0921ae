"""Networks run by OpenVINO on the CPU, on one thread.

A compiled model of a fixed batch is faster than one of any batch. So there is one for each power of two that was
needed, and a batch is filled up to the next; what the surplus gives is dropped.
"""

import numpy as np
import openvino
import torch

from nets.inference.backend import Outputs, check_planes
from nets.inference.evaluation import Evaluation
from nets.planes import num_planes
from nets.weights import LoadedNet

_PROPERTIES = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "ENABLE_CPU_PINNING": False,  # several processes would share one core
}


class OpenvinoBackend:
    """Runs a network in OpenVINO, in bfloat16 where the CPU computes with it, else in float32."""

    name = "openvino"

    def __init__(self, net: LoadedNet) -> None:
        self._net = net
        self._num_planes = num_planes(net.config.planes)
        self._module = Evaluation(net)
        self._requests: dict[tuple[int, int], openvino.InferRequest] = {}

    def _compile(self, batch: int, size: int) -> openvino.InferRequest:
        example = torch.zeros(batch, self._num_planes, size, size)
        model = openvino.convert_model(self._module, example_input=example, input=[tuple(example.shape)])
        return openvino.compile_model(model, "CPU", _PROPERTIES).create_infer_request()

    def evaluate(self, planes: np.ndarray) -> Outputs:
        """Return what the network says of a batch; see `Backend.evaluate`."""
        check_planes(self._net, self._num_planes, planes)
        number, size = planes.shape[0], planes.shape[3]
        batch = 1 << (number - 1).bit_length()
        if (batch, size) not in self._requests:
            self._requests[batch, size] = self._compile(batch, size)
        if batch > number:
            planes = np.concatenate([planes, np.zeros((batch - number, *planes.shape[1:]), dtype=np.float32)])
        results = self._requests[batch, size].infer([planes], share_inputs=True)
        return Outputs(*(results[output][:number] for output in range(len(Outputs._fields))))
