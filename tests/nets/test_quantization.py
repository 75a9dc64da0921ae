"""Which layers compute in 8 bits, and that they say about the same."""

import numpy as np
import pytest

pytest.importorskip("openvino")

from miai.nets.inference import quantization
from miai.nets.inference.openvino_library import openvino, operators
from miai.nets.inference.quantization import quantize


def small_transformer(rng: np.random.Generator) -> openvino.Model:
    """Return a model of values [batch, 9, 16]: two layers of the trunk, a head of four channels, and its sums."""
    values = operators.parameter([-1, 9, 16], np.float32)
    node = values
    for outputs in (32, 16, 4):
        inputs = node.get_output_partial_shape(0)[2].get_length()
        weight = (rng.normal(size=(outputs, inputs)) / np.sqrt(inputs)).astype(np.float32)
        node = operators.relu(operators.matmul(node, operators.constant(weight), False, True))
    return openvino.Model([operators.result(operators.reduce_mean(node, np.array([1]), False))], [values])


def test_the_trunk_is_rounded_and_the_heads_are_not() -> None:
    rng = np.random.default_rng(1)
    model = small_transformer(rng)
    values = rng.normal(size=(64, 9, 16)).astype(np.float32)
    outputs = [openvino.compile_model(model, "CPU")(values)[0]]
    quantize(model, values)
    products = [operator for operator in model.get_ordered_ops() if operator.get_type_name() == "MatMul"]
    rounded = {
        operator.get_output_partial_shape(0)[2].get_length(): [
            operator.input_value(index).get_node().get_type_name() == "FakeQuantize" for index in range(2)
        ]
        for operator in products
    }
    assert rounded == {32: [True, True], 16: [True, True], 4: [False, False]}
    outputs.append(openvino.compile_model(model, "CPU")(values)[0])
    difference = np.abs(outputs[0] - outputs[1])
    assert 0.0 < difference.max() < 0.05 * outputs[0].max()


def test_little_memory_gives_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(size=(64, 9, 16)).astype(np.float32)
    outputs = []
    for limit in (1 << 30, 1):
        monkeypatch.setattr(quantization, "_MAX_BYTES", limit)
        model = small_transformer(np.random.default_rng(1))
        quantize(model, values)
        outputs.append(openvino.compile_model(model, "CPU")(values)[0])
    assert np.array_equal(*outputs)
