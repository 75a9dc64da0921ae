"""Networks as OpenVINO's models, made from their arrays: the functions of `miai.nets.network`, batch norms folded.

Who only plays needs no torch, which takes gigabytes on disk and a second to import.
"""

from typing import Any

import numpy as np
import openvino
from openvino import opset13 as operators

from miai.nets.arrays import HEAD_FILTERS, POINTS
from miai.nets.config import NetConfig
from miai.nets.folding import fold
from miai.nets.net_files import LoadedNet
from miai.nets.planes import num_planes

Node = Any
"""OpenVINO's, of an operator with one output."""


def build_model(net: LoadedNet, size: int) -> openvino.Model:
    """Return a model of a network for boards of one size, which takes batches of any number.

    Its input are planes [batch, C, size, size], its outputs those of `miai.nets.inference.backend.Outputs`, in that
    order.
    """
    planes = operators.parameter([-1, num_planes(net.config.planes), size, size], np.float32)
    builder = _Builder(net.config, fold(net.config, net.arrays), size)
    outputs = builder.li_lim(planes) if net.config.kind == "li-lim" else builder.miai(planes)
    return openvino.Model([operators.result(output) for output in outputs], [planes])


class _Builder:
    """The arrays of a network, and the operators that they become."""

    def __init__(self, config: NetConfig, arrays: dict[str, np.ndarray], size: int) -> None:
        self._config = config
        self._arrays = arrays
        self._size = size

    def miai(self, planes: Node) -> tuple[Node, ...]:
        """Return policy, wdl, score and ownership of a network of the kind `miai`; the opponent's reply is left out."""
        for name in ("policy_conv.weight", "pass_linear.weight", "pass_linear.bias"):
            self._arrays[name] = self._arrays[name][:1]
        x = self._conv(planes, "conv")
        for number in range(self._config.blocks):
            block = f"blocks.{number}"
            hidden = self._conv(operators.relu(x), f"{block}.conv1")
            if pooled := self._config.pooled_filters(number):
                hidden, seen = _split(hidden, self._config.filters - pooled, pooled)
                hidden = operators.add(hidden, self._bias_of(self._pool(operators.relu(seen)), f"{block}.pool_linear"))
            x = operators.add(x, self._conv(operators.relu(hidden), f"{block}.conv2"))
        points, pooled, value = _split(self._conv(operators.relu(x), "head_conv"), *[HEAD_FILTERS] * 3)
        pooled = self._pool(operators.relu(pooled))
        points = operators.relu(operators.add(points, self._bias_of(pooled, "policy_pool_linear")))
        policy = operators.concat([_flat(self._conv(points, "policy_conv")), self._linear(pooled, "pass_linear")], 1)
        value = operators.relu(value)
        ownership = operators.tanh(_flat(self._conv(value, "ownership_conv")))
        hidden = operators.relu(self._linear(self._pool(value), "value_linear1"))
        wdl, score = _split(self._linear(hidden, "value_linear2"), 3, 1)
        score = operators.multiply(_flat_whole(score), np.float32(POINTS))
        return policy, operators.softmax(wdl, 1), score, ownership

    def li_lim(self, planes: Node) -> tuple[Node, ...]:
        """Return the same of a network of the kind `li-lim`: no draws, no score, no owners."""
        x = operators.relu(self._conv(planes, "conv"))
        for number in range(self._config.blocks):
            hidden = operators.relu(self._conv(x, f"blocks.{number}.conv1"))
            x = operators.relu(operators.add(x, self._conv(hidden, f"blocks.{number}.conv2")))
        policy = self._linear(_flat(operators.relu(self._conv(x, "policy_conv"))), "policy_linear")
        points = _flat(operators.relu(self._conv(x, "value_conv")))
        value = operators.tanh(self._linear(operators.relu(self._linear(points, "value_linear1")), "value_linear2"))
        win = operators.multiply(operators.add(value, np.float32(1)), np.float32(0.5))
        nothing = operators.multiply(win, np.float32(0))
        wdl = operators.concat([win, nothing, operators.subtract(np.float32(1), win)], 1)
        return policy, wdl, _flat_whole(nothing), operators.multiply(points, np.float32(0))

    def _conv(self, x: Node, name: str) -> Node:
        weight = self._arrays[f"{name}.weight"]
        margin = [weight.shape[3] // 2] * 2
        found = operators.convolution(x, weight, [1, 1], margin, margin, [1, 1])
        bias = self._arrays.get(f"{name}.bias")
        return found if bias is None else operators.add(found, bias[None, :, None, None])

    def _linear(self, x: Node, name: str) -> Node:
        found = operators.matmul(x, self._arrays[f"{name}.weight"], False, True)
        bias = self._arrays.get(f"{name}.bias")
        return found if bias is None else operators.add(found, bias[None])

    def _bias_of(self, pooled: Node, name: str) -> Node:
        """Return what a layer makes of pooled values, for every point of the board."""
        return operators.unsqueeze(self._linear(pooled, name), np.array([2, 3]))

    def _pool(self, x: Node) -> Node:
        """Return the mean over the board, the mean by how wide the board is, and the maximum [batch, 3·channels]."""
        mean = operators.reduce_mean(x, np.array([2, 3]), False)
        width = np.float32((self._size - 9) / 4)
        maximum = operators.reduce_max(x, np.array([2, 3]), False)
        return operators.concat([mean, operators.multiply(mean, width), maximum], 1)


def _split(x: Node, *lengths: int) -> list[Node]:
    """Return the parts of so many channels each."""
    return list(operators.variadic_split(x, 1, np.array(lengths)).outputs())


def _flat(x: Node) -> Node:
    """Return values [batch, …] as [batch, n]."""
    return operators.reshape(x, np.array([0, -1]), special_zero=True)


def _flat_whole(x: Node) -> Node:
    """Return values as [n]."""
    return operators.reshape(x, np.array([-1]), special_zero=False)
