"""Networks as OpenVINO's models, made from their arrays: the forms of `miai.nets.form`, batch norms folded."""

import numpy as np

from miai.nets.folding import fold
from miai.nets.form import evaluate
from miai.nets.inference.openvino_library import openvino, operators
from miai.nets.inference.openvino_operations import OpenvinoOperations
from miai.nets.net_files import LoadedNet
from miai.nets.planes import num_planes

_REPLY_LAYERS = ("policy_conv", "pass_linear")
"""Layers of the kind `miai` whose second output is the opponent's reply, which only training needs."""


def build_model(net: LoadedNet, size: int) -> openvino.Model:
    """Return a model of a network for boards of one size, which takes batches of any number.

    Its input are planes [batch, C, size, size], its outputs those of `miai.nets.inference.backend.Outputs`, in that
    order.
    """
    planes = operators.parameter([-1, num_planes(net.config.planes), size, size], np.float32)
    arrays = fold(net.config, net.arrays)
    if net.config.kind == "miai":
        arrays |= {name: array[:1] for name, array in arrays.items() if name.startswith(_REPLY_LAYERS)}
    outputs = evaluate(OpenvinoOperations(arrays, size), net.config, planes)
    return openvino.Model([operators.result(output) for output in outputs], [planes])
