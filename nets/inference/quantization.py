"""A network in 8 bits: OpenVINO's models with quantization operators, which its CPU plugin runs so.

Weights of convolutions and matrix products are quantized by output channel, their inputs by the range that they have on
some positions. Everything else stays as it is: sums, the first convolution, as komi must not be rounded, and matrix
products outside of a transformer's blocks, as in heads, which cost little.

What goes into a transformer's products has a few channels far wider than the rest. There each channel is divided by a
factor that its weights are multiplied by, so that both are about as hard to round (Xiao et al. 2022, "SmoothQuant").
"""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from miai.nets.inference.openvino_library import openvino, operators

_OUTLIERS = {"Convolution": 0.01, "MatMul": 0.001}
"""Percent of the values going into a layer that may lie beyond either end of its range; they count as the end."""
_WIDEST_OF_CHANNEL = 99.99
"""Percentile of a channel's absolute values that counts as its width."""
_SMOOTHING = 0.5
"""How much of a channel's width moves into its weights: 0 none, 1 all."""
_NARROWEST = np.float32(1e-6)
"""Width of a range at least: a channel may be all zeros."""
_HEAD_RATIO = 4
"""A matrix product with so many times more inputs than outputs belongs to a head."""
_MAX_BYTES = 1 << 30
"""Of inner values that are kept at a time; a large network on 19x19 has ten times as many."""
_LEVELS = 256
_WEIGHT_LEVELS = 255
"""As many below 0 as above."""
_ONE_THREAD: dict[str, Any] = {"NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": 1}


def quantize(model: openvino.Model, planes: np.ndarray) -> None:
    """Make a model compute most of its convolutions and matrix products in 8 bits.

    Args:
        model: that of a network; changed.
        planes: float32 [positions, planes, size, size], from which it learns how far inner values reach.
    """
    groups: dict[tuple[str, int], list[Any]] = {}
    for layer in filter(_is_rounded, model.get_ordered_ops()):
        values = layer.input_value(0)
        groups.setdefault((values.get_node().get_friendly_name(), values.get_index()), []).append(layer)
    inputs = [layers[0].input_value(0) for layers in groups.values()]
    for layers, seen in zip(groups.values(), _evaluate(model, inputs, planes), strict=True):
        _round_layers(layers, seen)
    model.validate_nodes_and_infer_types()


def _round_layers(layers: list[Any], seen: np.ndarray) -> None:
    """Round what goes into some layers, of which `seen` are examples, and their weights."""
    values = layers[0].input_value(0)
    weights = [layer.input_value(1).get_node().get_data() for layer in layers]
    kind = layers[0].get_type_name()
    stretch = 2 if kind == "MatMul" and _sums_overflow() else 1
    if kind == "MatMul":
        factors = _smoothing_factors(seen, weights)
        values = operators.multiply(values, operators.constant(1 / factors)).output(0)
        seen = seen / factors
        weights = [weight * factors for weight in weights]
    low, high = np.percentile(seen, [_OUTLIERS[kind], 100 - _OUTLIERS[kind]]).astype(np.float32)
    rounded = _rounded(values, np.minimum(low, np.float32(0)), np.maximum(high, _NARROWEST), _LEVELS)
    for layer, weight in zip(layers, weights, strict=True):
        layer.input(0).replace_source_output(rounded)
        channels = tuple(range(1, weight.ndim))
        widest = stretch * np.maximum(np.abs(weight).max(axis=channels, keepdims=True), _NARROWEST)
        constant = operators.constant(np.ascontiguousarray(weight)).output(0)
        layer.input(1).replace_source_output(_rounded(constant, -widest, widest, _WEIGHT_LEVELS))


@functools.cache
def _sums_overflow() -> bool:
    """Tell whether this CPU sums pairs of products in 16 bits, where great ones do not fit: it has AVX2, but no VNNI.

    Then the weights of matrix products fill half of their range only, as with NNCF's `overflow_fix`. Convolutions
    hardly suffer and keep all of it.
    """
    ones = np.ones((32, 32), dtype=np.float32)
    values = operators.parameter([-1, 32], np.float32)
    rounded = _rounded(values.output(0), np.float32(0), np.float32(1), _LEVELS)
    weights = _rounded(operators.constant(ones).output(0), np.float32(-1), np.float32(1), _WEIGHT_LEVELS)
    product = operators.matmul(rounded.get_node(), weights.get_node(), False, True)
    model = openvino.Model([operators.result(product)], [values])
    return bool(openvino.compile_model(model, "CPU", _ONE_THREAD)(ones)[0].max() < 31)  # of 32


def _smoothing_factors(seen: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Return a factor for each input channel of matrix products [channels], about 1 in the mean."""
    width = np.percentile(np.abs(seen).reshape(-1, seen.shape[-1]), _WIDEST_OF_CHANNEL, axis=0)
    weight_width = np.max([np.abs(weight).max(axis=0) for weight in weights], axis=0)
    logarithm = _SMOOTHING * np.log(np.maximum(width, _NARROWEST))
    logarithm -= (1 - _SMOOTHING) * np.log(np.maximum(weight_width, _NARROWEST))
    return np.exp(logarithm - logarithm.mean()).astype(np.float32)


def _is_rounded(operator: Any) -> bool:
    """Tell whether an operator is a convolution, or a product in the trunk of what all points have with weights."""
    kind = operator.get_type_name()
    if kind == "Convolution":
        return bool(operator.input_value(0).get_node().get_type_name() not in ("Parameter", "VariadicSplit"))
    is_product = kind == "MatMul" and operator.input_value(1).get_node().get_type_name() == "Constant"
    if not is_product or operator.get_output_partial_shape(0).rank.get_length() != 3:
        return False
    outputs, inputs = operator.input_value(1).get_node().get_data().shape
    return bool(outputs * _HEAD_RATIO > inputs)


def _evaluate(model: openvino.Model, outputs: list[Any], planes: np.ndarray) -> Iterator[np.ndarray]:
    """Yield inner values of a model as it is now, in float32; it may be changed between them."""
    copy = model.clone()
    nodes = {node.get_friendly_name(): node for node in copy.get_ops()}
    copied = [nodes[output.get_node().get_friendly_name()].output(output.get_index()) for output in outputs]
    exact = _ONE_THREAD | {"INFERENCE_PRECISION_HINT": "f32"}
    for group in _groups(copied, len(planes)):
        watched = openvino.Model([operators.result(output) for output in group], copy.get_parameters())
        request = openvino.compile_model(watched, "CPU", exact).create_infer_request()
        request.infer(planes)
        for index in range(len(group)):
            yield request.get_output_tensor(index).data


def _groups(outputs: list[Any], batch: int) -> Iterator[list[Any]]:
    """Yield outputs in groups whose values for a batch fit in `_MAX_BYTES`, or of one."""
    group: list[Any] = []
    free = _MAX_BYTES
    for output in outputs:
        _, *shape = output.get_partial_shape()
        size = 4 * batch * math.prod(dimension.get_length() for dimension in shape)
        if group and size > free:
            yield group
            group, free = [], _MAX_BYTES
        group.append(output)
        free -= size
    yield group


def _rounded(values: Any, low: np.ndarray | np.float32, high: np.ndarray | np.float32, levels: int) -> Any:
    """Return values rounded to some levels between two ends."""
    return operators.fake_quantize(values, low, high, low, high, levels).output(0)
