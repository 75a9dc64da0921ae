"""A network in 8 bits: OpenVINO's models with rounding put in, which its CPU plugin turns into such.

Weights of convolutions and matrix products are rounded by output channel, what goes in by the range that it has on
some positions. Everything else stays as it is: sums, the network's last layers, and the first convolution, as komi
must not be rounded.
"""

from typing import Any

import numpy as np
import openvino
from openvino import opset13 as operators

_OUTLIERS = 0.01
"""Percent of the values going into a layer that may lie beyond either end of its range; they count as the end."""
_NARROWEST = np.float32(1e-6)
"""Width of a range at least: a channel may be all zeros."""
_LEVELS = 256
_WEIGHT_LEVELS = 255
"""As many below 0 as above."""


def quantize(model: openvino.Model, planes: np.ndarray) -> None:
    """Make a model compute most of its convolutions and matrix products in 8 bits.

    Args:
        model: that of a network; changed.
        planes: float32 [positions, planes, size, size], from which it learns how far inner values reach.
    """
    layers = [operator for operator in model.get_ordered_ops() if _is_rounded(operator)]
    inputs = {_key(layer.input_value(0)): layer.input_value(0) for layer in layers}
    ranges = dict(zip(inputs, _ranges(model, list(inputs.values()), planes), strict=True))
    rounded = {key: _rounding(values, *ranges[key], _LEVELS) for key, values in inputs.items()}
    for layer in layers:
        layer.input(0).replace_source_output(rounded[_key(layer.input_value(0))])
        weights = layer.input_value(1).get_node().get_data()
        channels = tuple(range(1, weights.ndim))
        widest = np.maximum(np.abs(weights).max(axis=channels, keepdims=True), _NARROWEST)
        layer.input(1).replace_source_output(_rounding(layer.input_value(1), -widest, widest, _WEIGHT_LEVELS))
    model.validate_nodes_and_infer_types()


def _is_rounded(operator: Any) -> bool:
    """Tell whether an operator is a convolution, or a product of what all points have with weights."""
    kind = operator.get_type_name()
    if kind == "Convolution":
        return bool(operator.input_value(0).get_node().get_type_name() not in ("Parameter", "VariadicSplit"))
    is_product = kind == "MatMul" and operator.input_value(1).get_node().get_type_name() == "Constant"
    return is_product and operator.get_output_partial_shape(0).rank.get_length() == 3


def _key(values: Any) -> tuple[str, int]:
    return values.get_node().get_friendly_name(), values.get_index()


def _ranges(model: openvino.Model, outputs: list[Any], planes: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the range of inner values of a model, in float32."""
    watched = openvino.Model([operators.result(output) for output in outputs], model.get_parameters())
    exact = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": 1}
    request = openvino.compile_model(watched, "CPU", exact).create_infer_request()
    request.infer(planes)
    return [_range_of(request.get_output_tensor(index).data) for index in range(len(outputs))]


def _range_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a range with 0 in it and nearly all values, float32 []."""
    low, high = np.percentile(values, [_OUTLIERS, 100 - _OUTLIERS]).astype(np.float32)
    return np.minimum(low, np.float32(0)), np.maximum(high, _NARROWEST)


def _rounding(values: Any, low: np.ndarray, high: np.ndarray, levels: int) -> Any:
    """Return values rounded to some levels between two ends."""
    return operators.fake_quantize(values, low, high, low, high, levels).output(0)
