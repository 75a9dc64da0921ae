"""A network's convolutions in 8 bits: OpenVINO's models with quantization operators, which its CPU plugin runs so.

Weights are quantized by output channel, inputs by the range that they have on some positions. Everything
else stays float32: sums, the network's last layers, and the first convolution, as komi must not be rounded.
"""

from typing import Any

import numpy as np
import openvino
from openvino import opset13 as operators

from miai.nets.inference.calibration import calibration_planes

_OUTLIERS = 0.01
"""Percent of a convolution's inputs that may lie beyond either end of its range; they count as the end."""
_NARROWEST = np.float32(1e-6)
"""Width of a range at least: a channel may be all zeros."""
_LEVELS = 256
_WEIGHT_LEVELS = 255
"""As many below 0 as above."""


def quantize(model: openvino.Model, kind: str, size: int) -> None:
    """Make a model compute most of its convolutions in 8 bits.

    Args:
        model: that of a network for boards of `size`; changed.
        kind: of its planes.
    """
    convolutions = [
        operator
        for operator in model.get_ordered_ops()
        if operator.get_type_name() == "Convolution"
        and operator.input_value(0).get_node().get_type_name() != "Parameter"
    ]
    inputs = [convolution.input_value(0) for convolution in convolutions]
    ranges = [_range_of(values) for values in _evaluate(model, inputs, calibration_planes(kind, size))]
    for convolution, ends in zip(convolutions, ranges, strict=True):
        _round(convolution, 0, *ends, _LEVELS)
        weights = convolution.input_value(1).get_node().get_data()
        widest = np.maximum(np.abs(weights).max(axis=(1, 2, 3), keepdims=True), _NARROWEST)
        _round(convolution, 1, -widest, widest, _WEIGHT_LEVELS)
    model.validate_nodes_and_infer_types()


def _evaluate(model: openvino.Model, outputs: list[Any], planes: np.ndarray) -> list[np.ndarray]:
    """Return inner values of a model, in float32."""
    watched = openvino.Model([operators.result(output) for output in outputs], model.get_parameters())
    exact = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": 1}
    request = openvino.compile_model(watched, "CPU", exact).create_infer_request()
    request.infer(planes)
    return [request.get_output_tensor(index).data for index in range(len(outputs))]


def _range_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of a range with 0 in it and nearly all values, float32 []."""
    low, high = np.percentile(values, [_OUTLIERS, 100 - _OUTLIERS]).astype(np.float32)
    return np.minimum(low, np.float32(0)), np.maximum(high, _NARROWEST)


def _round(operator: Any, index: int, low: np.ndarray, high: np.ndarray, levels: int) -> None:
    """Round an operator's input to some levels between two values."""
    rounded = operators.fake_quantize(operator.input_value(index), low, high, low, high, levels)
    operator.input(index).replace_source_output(rounded.output(0))
