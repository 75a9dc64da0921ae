"""The operations of a forward pass as OpenVINO's operators; see `miai.nets.operations.Operations`.

Play alone needs no torch, which takes gigabytes on disk and a second to import.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from miai.nets.inference.openvino_library import operators

Node: TypeAlias = Any
"""OpenVINO's, of an operator with one output."""

_BOARD = np.array([2, 3])
"""The axes of rows and columns."""


class OpenvinoOperations:
    """Operators for a board of one size, with the arrays of a folded network: norms are left out."""

    def __init__(self, arrays: Mapping[str, np.ndarray], size: int) -> None:
        self._arrays = arrays
        self._size = size

    def conv(self, x: Node, name: str) -> Node:
        weight = self._arrays[f"{name}.weight"]
        margin = [weight.shape[3] // 2] * 2
        found = operators.convolution(x, weight, [1, 1], margin, margin, [1, 1])
        bias = self._arrays.get(f"{name}.bias")
        return found if bias is None else operators.add(found, bias[None, :, None, None])

    def linear(self, x: Node, name: str) -> Node:
        found = operators.matmul(x, self._arrays[f"{name}.weight"], False, True)
        bias = self._arrays.get(f"{name}.bias")
        return found if bias is None else operators.add(found, bias[None])

    def norm(self, x: Node, name: str) -> Node:
        return x

    stream_norm = norm

    def relu(self, x: Node) -> Node:
        return operators.relu(x)

    def tanh(self, x: Node) -> Node:
        return operators.tanh(x)

    def softmax(self, x: Node) -> Node:
        return operators.softmax(x, 1)

    def add(self, x: Node, y: Node) -> Node:
        return operators.add(x, y)

    def add_by_channel(self, x: Node, y: Node) -> Node:
        return operators.add(x, operators.unsqueeze(y, _BOARD))

    def affine(self, x: Node, factor: float, summand: float = 0.0) -> Node:
        found = operators.multiply(x, np.float32(factor))
        return operators.add(found, np.float32(summand)) if summand else found

    def pool(self, x: Node) -> Node:
        mean = operators.reduce_mean(x, _BOARD, False)
        width = np.float32((self._size - 9) / 4)
        maximum = operators.reduce_max(x, _BOARD, False)
        return self.concat(mean, operators.multiply(mean, width), maximum)

    def split(self, x: Node, *lengths: int) -> list[Node]:
        return list(operators.variadic_split(x, 1, np.array(lengths)).outputs())

    def flatten(self, x: Node) -> Node:
        return operators.reshape(x, np.array([0, -1]), special_zero=True)

    def squeeze(self, x: Node) -> Node:
        return operators.reshape(x, np.array([-1]), special_zero=False)

    def concat(self, *parts: Node) -> Node:
        return operators.concat(list(parts), 1)

    def join_pass(self, points: Node, passes: Node) -> list[Node]:
        points = operators.reshape(points, np.array([0, 0, -1]), special_zero=True)
        logits = operators.concat([points, operators.unsqueeze(passes, np.array([2]))], 2)
        num_channels = logits.get_output_partial_shape(0)[1].get_length()
        return [self.flatten(part) for part in self.split(logits, *[1] * num_channels)]
